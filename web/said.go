package web

import (
	"regexp"
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

// causeMost is how many characters of a cause are shown: its class, and what the agent answered.
const causeMost = 500

// cause is why a player failed, as a reader may see it. An insider, who is the organizer or the owner of the player, also
// reads what its agent answered.
func cause(text string, insider bool) string {
	if text = strings.Replace(text, protocol.YourAgent, "its agent", 1); insider {
		return said(protocol.RedactIn(text), causeMost)
	}
	return said(protocol.RedactText(text), causeMost)
}

// named replaces the ids of players in a sentence by their names.
func named(text string, players ...NameView) string {
	for _, p := range players {
		if p.Name != "" && p.ID != "" {
			text = regexp.MustCompile(`\b`+regexp.QuoteMeta(p.ID)+`\b`).ReplaceAllLiteralString(text, p.Name)
		}
	}
	return text
}
