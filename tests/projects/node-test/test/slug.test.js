import assert from 'node:assert';
import { describe, it } from 'node:test';
import { slug } from '../src/slug.js';

describe('slug', () => {
  it('letters are small', () => {
    assert.strictEqual(slug('Hello'), 'hello');
  });

  it('words are joined', () => {
    assert.strictEqual(slug('Hello World'), 'hello-world');
  });
});
