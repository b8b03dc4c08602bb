const assert = require('node:assert');
const { isLeap } = require('../src/leap');

describe('leap', () => {
  it('every fourth year is one', () => {
    assert.strictEqual(isLeap(2024), true);
  });

  it('a century is none', () => {
    assert.strictEqual(isLeap(1900), false);
  });
});
