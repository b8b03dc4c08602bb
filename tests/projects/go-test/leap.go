package shop

func IsLeap(year int) bool {
	return year%4 == 0
}
