const assert = require('node:assert');
const { total } = require('../src/total');

describe('total', () => {
  it('nothing costs nothing', () => {
    assert.strictEqual(total([]), 0);
  });

  it('every price counts', () => {
    assert.strictEqual(total([1, 2, 3]), 6);
  });
});
