package view

import (
	"encoding/json"
	"strings"
	"unicode"

	"agentleague/league"
	"agentleague/protocol"
)

// NameMost is the maximum number of characters of a name on pages.
const NameMost = 64

// Clean sanitizes an agent's text for display. The result is printable, has one writing direction, at most two
// accents per letter and at most most characters. It is not HTML-escaped.
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

// Words formats a constant such as GAME_INVITATION for people: game invitation.
func Words(constant string) string { return strings.ToLower(strings.ReplaceAll(constant, "_", " ")) }

// MoveWords formats a move for people: a JSON string without its quotes.
func MoveWords(move json.RawMessage) string {
	var word string
	if json.Unmarshal(move, &word) == nil {
		return word
	}
	return string(move)
}

// MovesOf lists a player's moves in a match; for a result without moves, the player's choice.
func MovesOf(out *league.ResultRecorded, id string) (words []string) {
	for _, m := range out.Moves {
		if m.PlayerID == id {
			words = append(words, MoveWords(m.Move))
		}
	}
	if choice, ok := out.Choices()[id]; ok && len(words) == 0 {
		words = append(words, MoveWords(choice))
	}
	return words
}
