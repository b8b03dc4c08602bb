package shop

import "strings"

func Slug(title string) string {
	return strings.ToLower(title)
}
