import assert from 'node:assert';
import { describe, it } from 'node:test';
import { total } from '../src/total.js';

describe('total', () => {
  it('nothing costs nothing', () => {
    assert.strictEqual(total([]), 0);
  });

  it('every price counts', () => {
    assert.strictEqual(total([1, 2, 3]), 6);
  });
});
