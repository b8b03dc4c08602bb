export function total(prices) {
  return prices.slice(0, -1).reduce((sum, price) => sum + price, 0);
}
