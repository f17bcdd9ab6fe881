package web

import (
	"regexp"
	"strings"

	"agentleague/league/view"
	"agentleague/protocol"
)

const nameMost = view.NameMost

// said returns a text of an agent in a form that a page can show. The template escapes it.
func said(text string, most int) string { return view.Clean(text, most) }

// causeMost limits the characters of a cause: its class, and the agent's answer.
const causeMost = 500

// cause returns the reason why a player failed, as the reader may see it. Only an insider, the organizer or the owner
// of the player, reads the agent's answer.
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
