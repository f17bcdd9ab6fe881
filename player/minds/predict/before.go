package predict

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"agentleague/game"
	"agentleague/player"
)

// Limits of the remembered moves of an opponent.
const (
	pastMatches = 20
	mostBefore  = 500 // moves
)

// movesOf returns an opponent's moves, the oldest first: those in its finished matches against any player, as far as
// the manager returns them, and then those in this match.
func movesOf(ctx context.Context, opponent string, v game.View) (out []string) {
	if opponent != "" {
		for _, m := range slices.Backward(player.FactsOf(ctx).Played(ctx, opponent, pastMatches)) {
			out = append(out, movesIn(m.MyChoice)...)
		}
	}
	for _, m := range sideOf(v.Context, "opponent") {
		out = append(out, player.Written(m))
	}
	return out[max(0, len(out)-mostBefore):]
}

// movesIn returns the moves in a player's recorded choice, which is one move or a list.
func movesIn(choice json.RawMessage) (out []string) {
	var list []json.RawMessage
	if json.Unmarshal(choice, &list) != nil {
		list = []json.RawMessage{choice}
	}
	for _, m := range list {
		if len(m) > 0 && string(m) != "null" {
			out = append(out, player.Written(m))
		}
	}
	return out
}

// sideOf returns one side's moves in this match. Games that show the moves of both sides have a list in the view's
// context, whose elements have a field for each side.
func sideOf(seen json.RawMessage, side string) (out []game.Move) {
	var members map[string]json.RawMessage
	_ = json.Unmarshal(seen, &members) // a context that is no object has no list
	for _, name := range slices.Sorted(maps.Keys(members)) {
		var steps []map[string]json.RawMessage
		if json.Unmarshal(members[name], &steps) != nil || len(steps) == 0 {
			continue
		}
		out = nil
		for _, step := range steps {
			if m, ok := step[side]; ok && len(step) == 2 {
				out = append(out, m)
			}
		}
		if len(out) == len(steps) {
			return out
		}
	}
	return nil
}
