package web

import (
	"regexp"
	"strings"

	"agentleague/league/view"
	"agentleague/protocol"
)

const nameMost = view.NameMost

// said is a text of an agent as a page can show it. The template escapes it.
func said(text string, most int) string { return view.Clean(text, most) }

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
