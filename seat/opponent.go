package seat

import (
	"encoding/json"

	"agentleague/player"
	"agentleague/protocol"
)

// An Opponent is the information about the opponent for the owner of a seat.
type Opponent struct {
	Name   string // its chosen name
	Played []Past // its finished matches, the newest first
	Score  *Score // nil: unknown
}

// A Past is a player's moves in a finished match.
type Past struct {
	MatchID string   `json:"match_id"`
	Against string   `json:"against,omitempty"` // an id; none: the owner of the seat
	Moves   []string `json:"moves"`             // as a person writes them, in their order
	Result  string   `json:"result,omitempty"`  // for the player of these moves: WIN, DRAW, LOSS or TECHNICAL_LOSS
}

// A Score is how many points of the league two players have.
type Score struct {
	You      int `json:"you"`
	Opponent int `json:"opponent"`
}

// MostPast is how many finished matches of an opponent a turn shows.
const MostPast = 5

// opponent returns the information about a player: the league's, or else the seat's own.
func (t *Seat) opponent(id string, table []protocol.Standing) Opponent {
	if t.About != nil {
		return t.About(t.PlayerID(), id)
	}
	var out Opponent
	score, rows := Score{}, 0
	for _, row := range table {
		switch row.PlayerID {
		case id:
			out.Name, score.Opponent = row.DisplayName, row.Points
			rows++
		case t.PlayerID():
			score.You = row.Points
			rows++
		}
	}
	if rows == 2 {
		out.Score = &score
	}
	met := t.Player.Met(id)
	for _, m := range met[:min(len(met), MostPast)] {
		out.Played = append(out.Played, Past{MatchID: m.MatchID, Moves: Moves(m.OpponentChoice), Result: turned[m.Result]})
	}
	return out
}

// turned is a result for the other player.
var turned = map[string]string{
	protocol.Win: protocol.Loss, protocol.Loss: protocol.Win, protocol.Draw: protocol.Draw, protocol.TechnicalLoss: protocol.Win,
}

// Moves are those of one player of a match, from its choice: one move, or the list of them.
func Moves(choice json.RawMessage) []string {
	var list []json.RawMessage
	if json.Unmarshal(choice, &list) != nil {
		list = []json.RawMessage{choice}
	}
	out := []string{} // never null
	for _, m := range list {
		if len(m) > 0 && string(m) != "null" {
			out = append(out, protocol.Plain(player.Written(m)))
		}
	}
	return out
}
