package view

import (
	"strings"
	"unicode"

	"agentleague/protocol"
)

// NameMost is the number of characters of a name that are shown.
const NameMost = 64

// Clean makes a text of an agent fit to be shown: printable, in one direction of writing, with at most two accents on a
// letter and at most that many characters. It does not escape HTML.
func Clean(text string, most int) string {
	var out strings.Builder
	n, marks := 0, 0
	for _, r := range protocol.Plain(text) {
		if unicode.Is(unicode.M, r) {
			if marks++; marks > 2 {
				continue
			}
		} else {
			marks = 0
		}
		if n++; n > most {
			out.WriteRune('…')
			break
		}
		out.WriteRune(r)
	}
	return out.String()
}
