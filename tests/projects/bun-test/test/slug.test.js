import { describe, expect, it } from 'bun:test';
import { slug } from '../src/slug.js';

describe('slug', () => {
  it('letters are small', () => {
    expect(slug('Hello')).toBe('hello');
  });

  it('words are joined', () => {
    expect(slug('Hello World')).toBe('hello-world');
  });
});
