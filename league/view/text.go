package view

import (
	"encoding/json"
	"strings"
	"unicode"

	"agentleague/league"
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

// Words formats a constant such as GAME_INVITATION for people: game invitation.
func Words(constant string) string { return strings.ToLower(strings.ReplaceAll(constant, "_", " ")) }

// MoveWords formats a move for people: a text without its quotes.
func MoveWords(move json.RawMessage) string {
	var word string
	if json.Unmarshal(move, &word) == nil {
		return word
	}
	return string(move)
}

// MovesOf lists a player's moves in a match, or its choice if its result has no moves.
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
