package shop

func Total(prices []int) int {
	sum := 0
	for i := 0; i+1 < len(prices); i++ {
		sum += prices[i]
	}
	return sum
}
