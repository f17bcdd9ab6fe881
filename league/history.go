package league

import (
	"cmp"

	"agentleague/protocol"
)

// historyMost is how many matches of a player one answer holds, the newest.
const historyMost = 500

// MatchesOf lists the matches of a player that have a result, as the player would remember them: so many at most, the
// newest, in the order of the rounds. One that was away when a match of its was decided learns of it from here.
func MatchesOf(s *State, id string, most int) []protocol.PlayerMatch {
	out := []protocol.PlayerMatch{}
	for _, m := range s.of[id] {
		if m.Outcome != nil {
			out = append(out, remembered(s, m, id))
		}
	}
	if most <= 0 || most > historyMost {
		most = historyMost
	}
	return out[max(0, len(out)-most):]
}

// remembered is a match that has a result, from one player's side.
func remembered(s *State, m *Match, id string) protocol.PlayerMatch {
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
