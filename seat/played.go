package seat

import (
	"encoding/json"
	"fmt"
	"strings"

	"agentleague/protocol"
)

// Of a match of more than mostPlayed moves only the first and the last shownPlayed are shown, and of a move its
// beginning.
const (
	mostPlayed  = 8
	shownPlayed = 3
	longestMove = 80 // bytes
)

// playedText is a player's move or list of moves, short enough for a line.
func playedText(choice json.RawMessage) string {
	var moves []json.RawMessage
	if json.Unmarshal(choice, &moves) != nil || len(moves) <= mostPlayed {
		return protocol.Clip(string(choice), mostPlayed*longestMove)
	}
	return fmt.Sprintf("%d moves: [%s,…,%s]", len(moves), movesText(moves[:shownPlayed]),
		movesText(moves[len(moves)-shownPlayed:]))
}

// movesText truncates each move: an opponent's answer may be long, and is shown to a model.
func movesText(moves []json.RawMessage) string {
	texts := make([]string, len(moves))
	for i, m := range moves {
		texts[i] = protocol.Clip(string(m), longestMove)
	}
	return strings.Join(texts, ",")
}
