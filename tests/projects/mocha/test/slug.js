const assert = require('node:assert');
const { slug } = require('../src/slug');

describe('slug', () => {
  it('letters are small', () => {
    assert.strictEqual(slug('Hello'), 'hello');
  });

  it('words are joined', () => {
    assert.strictEqual(slug('Hello World'), 'hello-world');
  });
});
