package protocol

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Plain returns a text of somebody else's as it can be shown to a person: what
// does not print, moves a cursor or turns the direction of writing is replaced
// by a sign that shows where it was.
func Plain(text string) string {
	if plainASCII(text) && !strings.Contains(text, "\n") {
		return text
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return utf8.RuneError
	}, text)
}

func plainASCII[T string | []byte](text T) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' && c != '\n' || c > '~' {
			return false
		}
	}
	return true
}

// PlainJSON returns the same JSON with everything escaped that a terminal may
// take for more than text: encoding/json leaves some of it as it is.
func PlainJSON(text []byte) []byte {
	if plainASCII(text) {
		return text
	}
	out := make([]byte, 0, len(text)+len(text)/8)
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		switch {
		case r < ' ' || unicode.IsPrint(r): // of the former only the space between tokens is left
			out = append(out, text[:size]...)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, "\\u%04x\\u%04x", high, low)
		default:
			out = fmt.Appendf(out, "\\u%04x", r)
		}
		text = text[size:]
	}
	return out
}
