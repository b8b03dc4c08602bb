const { slug } = require('../src/slug');

describe('slug', () => {
  it('letters are small', () => {
    expect(slug('Hello')).toBe('hello');
  });

  it('words are joined', () => {
    expect(slug('Hello World')).toBe('hello-world');
  });
});
