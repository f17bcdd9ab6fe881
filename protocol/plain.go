package protocol

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Plain sanitizes an untrusted text for display: characters that do not print, move a cursor or change the direction
// of writing are replaced by a visible sign. Joiners between letters or pictures, which many scripts need, stay.
func Plain(text string) string {
	if plainASCII(text) && !strings.Contains(text, "\n") {
		return text
	}
	out := []rune(text)
	joinable := func(i int) bool {
		return i >= 0 && i < len(out) && out[i] >= 0x80 && out[i] != utf8.RuneError && unicode.IsPrint(out[i])
	}
	for i, r := range out {
		joiner := r == 0x200c || r == 0x200d
		if !unicode.IsPrint(r) && !(joiner && joinable(i-1) && joinable(i+1)) {
			out[i] = utf8.RuneError
		}
	}
	return string(out)
}

// plainASCII reports whether a text is printable ASCII and line breaks, which can be shown as it is.
func plainASCII[T string | []byte](text T) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' && c != '\n' || c > '~' {
			return false
		}
	}
	return true
}

// Clip truncates an untrusted text to n bytes for display. It marks a truncated text with an ellipsis, which is not
// counted in n.
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}

// longName is the maximum number of bytes of a name in a sentence.
const longName = 200

// Quoted returns an untrusted name for a sentence that a model reads: between quotes that the name cannot close, in
// one line, and not long.
func Quoted(name string) string {
	return `"` + quoted.Replace(Plain(Clip(name, longName))) + `"`
}

// quoted escapes the characters that would end a quoted text.
var quoted = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// PlainJSON escapes all characters in JSON that a terminal may interpret as
// control sequences, some of which encoding/json leaves unescaped.
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
