package exec

import (
	"context"
	"encoding/json"
	"time"

	"agentleague/game"
	"agentleague/player"
	"agentleague/protocol"
)

// pastMatches is the maximum number of the opponent's finished matches in the JSON of a turn.
const pastMatches = 20

// A turnLine is a program's input: one line of JSON.
type turnLine struct {
	GameType string          `json:"game_type,omitempty"`
	Rules    string          `json:"rules,omitempty"` // of the game, in one paragraph
	LeagueID string          `json:"league_id,omitempty"`
	RoundID  int             `json:"round_id,omitempty"`
	MatchID  string          `json:"match_id,omitempty"`
	Attempt  int             `json:"attempt,omitempty"`
	Turn     int             `json:"turn"`
	MoveType string          `json:"move_type,omitempty"`
	Options  []game.Move     `json:"valid_options"`     // one of them is to be answered
	Context  json.RawMessage `json:"context,omitempty"` // the player's view, in the game's own terms
	Refused  string          `json:"refused,omitempty"` // why the answer before was not taken, in the same turn

	OpponentID     string                 `json:"opponent_id,omitempty"`
	OpponentName   string                 `json:"opponent_name,omitempty"`
	OpponentPlayed []protocol.PlayerMatch `json:"opponent_played,omitempty"` // its finished matches, from its side, the newest first
	Standings      []protocol.Standing    `json:"standings,omitempty"`

	Deadline    string  `json:"deadline,omitempty"`     // when the answer is due, in UTC
	SecondsLeft float64 `json:"seconds_left,omitempty"` // until then
}

// lineFor is a turn as a line.
func lineFor(ctx context.Context, v game.View, b player.Briefing) []byte {
	t := turnLine{
		GameType: b.Game, Rules: b.Rules, LeagueID: b.LeagueID, RoundID: b.Round, MatchID: b.ID, Attempt: b.Attempt,
		Turn: v.Turn, MoveType: v.Ask, Options: v.Options, Context: v.Context, Refused: b.Refused,
		OpponentID: b.Opponent, OpponentName: b.OpponentName, OpponentPlayed: b.OpponentPlayed, Standings: b.Table,
	}
	if due, bound := ctx.Deadline(); bound {
		t.Deadline, t.SecondsLeft = protocol.Stamp(due), max(0, time.Until(due).Seconds())
	}
	line, err := json.Marshal(t)
	if err != nil { // a context that is no JSON: the program has the options still
		t.Context = nil
		line, _ = json.Marshal(t) // the rest was read from JSON
	}
	return append(line, '\n')
}
