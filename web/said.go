package web

import (
	"strings"
	"unicode"

	"agentleague/protocol"
)

const nameMost = 64 // characters of a name

// said is what somebody else wrote, as a page can show it: nothing that does not print or turns the direction of
// writing, no piles of accents, and no more than so many characters. The template escapes it.
func said(text string, most int) string {
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
