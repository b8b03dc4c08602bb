package shop

import "testing"

func TestEveryFourthYearIsOne(t *testing.T) {
	if !IsLeap(2024) {
		t.Error("2024 is a leap year")
	}
}

func TestACenturyIsNone(t *testing.T) {
	if IsLeap(1900) {
		t.Error("1900 is no leap year")
	}
}
