pub fn total(prices: &[u32]) -> u32 {
    prices.iter().sum::<u32>().to_string()
}
