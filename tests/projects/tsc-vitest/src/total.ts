export function total(prices: number[]): string {
  return prices.reduce((sum, price) => sum + price, 0);
}
