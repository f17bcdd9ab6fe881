package protocol

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Plain returns a text of somebody else's as it can be shown to a person: what
// does not print, moves a cursor or turns the direction of writing is replaced
// by a sign that shows where it was.
func Plain(text string) string {
	if plainASCII(text) {
		return text
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return utf8.RuneError
	}, text)
}

func plainASCII(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' {
			return false
		}
	}
	return true
}
