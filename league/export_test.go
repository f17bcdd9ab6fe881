package league

import (
	"testing"

	"agentleague/protocol"
)

// States for the tests of the packages that read them.
var FullState = fullState

// TwoKeyless returns a state with two players of a version without keys.
func TwoKeyless(t *testing.T) *State {
	s := createdWith(t, Created{Schema: 1, Tiebreakers: Tiebreakers})
	s.write(keyless(protocol.RolePlayer, "P01"), keyless(protocol.RolePlayer, "P02"))
	return s.state
}

// AddMatch adds a match of a player to a state without rounds.
func (s *State) AddMatch(id string, m *Match) { s.of[id] = append(s.of[id], m) }
