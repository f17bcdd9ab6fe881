package duel

import (
	"encoding/json"
	"fmt"

	"agentleague/game"
	"agentleague/protocol"
)

// spectator is a seat outside of the match.
const spectator = game.Seat(-1)

// Retrace plays the moves of a finished match again. It returns the spectator's view before the first move and after
// each turn; the last one is what the game reveals at the end.
func Retrace(g game.Game, rec *protocol.MatchRecord) (views []json.RawMessage, err error) {
	state, err := Openings{}.Begin(g, rec.Fairness.Key)
	if err != nil {
		return nil, err
	}
	seats := map[string]game.Seat{rec.PlayerAID: 0, rec.PlayerBID: 1}
	views = append(views, state.View(spectator).Context)
	for rest := rec.Moves; len(rest) > 0; {
		step, turn := map[game.Seat]game.Move{}, rest[0].Turn
		for len(rest) > 0 && rest[0].Turn == turn {
			step[seats[rest[0].PlayerID]] = rest[0].Move
			rest = rest[1:]
		}
		if err := state.Apply(step); err != nil {
			return nil, fmt.Errorf("turn %d: %w", turn, err)
		}
		views = append(views, state.View(spectator).Context)
	}
	if o, over := state.Outcome(); over && len(o.Details) > 0 {
		views[len(views)-1], err = json.Marshal(o.Details)
	}
	return views, err
}
