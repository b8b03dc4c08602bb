package shop

import "testing"

func TestLettersAreSmall(t *testing.T) {
	if got := Slug("Hello"); got != "hello" {
		t.Errorf("got %q, want %q", got, "hello")
	}
}

func TestWordsAreJoined(t *testing.T) {
	if got := Slug("Hello World"); got != "hello-world" {
		t.Errorf("got %q, want %q", got, "hello-world")
	}
}
