package league

import (
	"cmp"

	"agentleague/protocol"
)

// historyMost is how many matches of a player one answer holds, the newest.
const historyMost = 500

// A HistoryAnswer is the answer to GET_PLAYER_MATCHES.
type HistoryAnswer struct {
	Matches []protocol.PlayerMatch `json:"matches"`
	Total   int                    `json:"total"` // matches of the player that have a result
}

// HistoryOf lists the matches of a player that have a result, from the player's side, in the order of the rounds: up
// to the limit of a query, the newest after its offset. A player that was absent at the decision of a match learns of
// it from here, and a strategy learns the opponent's earlier choices. Matches in play are left out.
func HistoryOf(s *State, id string, p protocol.QueryParams) HistoryAnswer {
	var over []*Match
	for _, m := range s.of[id] {
		if m.Outcome != nil {
			over = append(over, m)
		}
	}
	most := p.Limit
	if most <= 0 || most > historyMost {
		most = historyMost
	}
	out := HistoryAnswer{Matches: []protocol.PlayerMatch{}, Total: len(over)}
	last := len(over) - min(max(p.Offset, 0), len(over))
	for _, m := range over[max(0, last-most):last] {
		out.Matches = append(out.Matches, Remembered(s, m, id))
	}
	return out
}

// Remembered returns a match with a result as one of its players remembers it.
func Remembered(s *State, m *Match, id string) protocol.PlayerMatch {
	r, opponent, choices := m.Outcome.Result, m.Opponent(id), m.Outcome.Choices()
	e := protocol.PlayerMatch{
		MatchID: m.ID, RoundID: protocol.Round(m.Round), Timestamp: protocol.Stamp(m.EndedAt), OpponentID: opponent,
		Result: protocol.Loss, MyChoice: choices[id], OpponentChoice: choices[opponent],
		DrawnNumber:  protocol.ToldIn(s.Created.GameType, r.Drawn),
		PointsEarned: m.Points(id, s.Created.Scoring), Attempt: max(m.Outcome.Attempt, 1),
	}
	switch {
	case r.Winner == id:
		e.Result = protocol.Win
	case r.Winner == "" || r.Status == protocol.TechnicalLoss:
		e.Result = cmp.Or(r.Status, protocol.Draw)
	}
	return e
}
