const { isLeap } = require('../src/leap');

describe('leap', () => {
  it('every fourth year is one', () => {
    expect(isLeap(2024)).toBe(true);
  });

  it('a century is none', () => {
    expect(isLeap(1900)).toBe(false);
  });
});
