package shop

import "testing"

func TestNothingCostsNothing(t *testing.T) {
	if got := Total(nil); got != 0 {
		t.Errorf("got %d, want 0", got)
	}
}

func TestEveryPriceCounts(t *testing.T) {
	if got := Total([]int{1, 2, 3}); got != 6 {
		t.Errorf("got %d, want 6", got)
	}
}
