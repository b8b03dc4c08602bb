import assert from 'node:assert';
import { describe, it } from 'node:test';
import { isLeap } from '../src/leap.js';

describe('leap', () => {
  it('every fourth year is one', () => {
    assert.strictEqual(isLeap(2024), true);
  });

  it('a century is none', () => {
    assert.strictEqual(isLeap(1900), false);
  });
});
