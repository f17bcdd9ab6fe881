package league

import (
	"errors"
	"fmt"

	"agentleague/protocol"
)

// CheckPairedDraws returns an error if a league cannot have paired draws. They need an even number of cycles, and a
// game in which chance comes before the last move. In a game such as even_odd, where chance comes last, a known draw
// would decide the match; a game without chance has no draws.
func CheckPairedDraws(cycles int, game string, chanceComesLast bool) error {
	if chanceComesLast {
		return fmt.Errorf("paired draws are not for %s: nothing is drawn in it before the last move, so a draw that is known "+
			"would decide the match, or there is none", game)
	}
	if cycles%2 != 0 {
		return errors.New("paired draws need an even number of cycles, so that every match has its counterpart; " +
			fmt.Sprintf("got %d", cycles))
	}
	return nil
}

// DrawKey derives the key of all random draws in a match from the league's secret. name is the name of the match in the
// formula, see [Match.DrawName].
//
// With paired draws, a match of the second, fourth … cycle has the key of the match between the same players in the
// cycle before, with swapped seats: each player then gets the draws that the other had. An annulled match has a
// separate key.
func (s *State) DrawKey(secret []byte, m *Match, name string) []byte {
	a, b := m.A, m.B
	if first, paired := s.counterpart(m); paired && name == m.ID {
		name, a, b = first, m.B, m.A
	}
	return protocol.DrawKey(secret, s.Created.LeagueID, name, s.Agents[a].Nonce, s.Agents[b].Nonce)
}

// counterpart returns the id of the match of the previous cycle that has the same draws as match m; paired is false if
// there is none.
func (s *State) counterpart(m *Match) (id string, paired bool) {
	round, n, ok := protocol.ParseMatchID(m.ID)
	ring, fixed := s.Schedule.(Ring)
	if !s.Created.PairedDraws || !ok || !fixed {
		return "", false
	}
	cycle := ring.ringSize() - 1
	if (round-1)/cycle%2 == 0 {
		return "", false
	}
	return protocol.MatchID(round-cycle, n), true
}
