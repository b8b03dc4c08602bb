const { total } = require('../src/total');

describe('total', () => {
  it('nothing costs nothing', () => {
    expect(total([])).toBe(0);
  });

  it('every price counts', () => {
    expect(total([1, 2, 3])).toBe(6);
  });
});
