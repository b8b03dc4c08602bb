export function total(prices) {
  const count = prices.length;
  return prices.reduce((sum, price) => sum + price, 0);
}
