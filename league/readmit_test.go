package league

import (
	"math/rand/v2"
	"testing"

	"agentleague/format"
	"agentleague/protocol"
)

// A player leaves a knockout, its opponent goes on without a match, and the player registers again: the bracket stays.
func TestABracketTakesNoPlayerBack(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		s, rng := inFormat(t, 8, format.Settings{Format: "knockout"}), rand.New(rand.NewPCG(seed, 3))
		s.write(OpenNext(s.state, s.secret, s.state.At())...)
		for s.state.RoundOpen {
			s.playOne(rng)
		}
		gone := s.state.Players()[rng.IntN(8)]
		s.write(Withdrawn{ID: gone})
		s.write(OpenNext(s.state, s.secret, s.state.At())...)
		s.write(Readmitted{ID: gone})
		for s.state.RoundOpen {
			s.playOne(rng)
		}
		for !s.state.Completed() {
			s.write(OpenNext(s.state, s.secret, s.state.At())...)
			for s.state.RoundOpen {
				s.playOne(rng)
			}
			if s.state.Round > 3 {
				t.Fatalf("seed %d: %s was readmitted, and round %d was played", seed, gone, s.state.Round)
			}
		}
		if found := s.clean(); len(found) > 0 {
			t.Errorf("seed %d: %v", seed, found)
		}
	}
}

// A knockout match whose winner has played on cannot be annulled, even by an organizer that writes the log by hand.
func TestTheAuditRefusesAnAnnulmentInAFinishedStage(t *testing.T) {
	t.Parallel()
	s, rng := inFormat(t, 4, format.Settings{Format: "knockout"}), rand.New(rand.NewPCG(1, 3))
	s.write(OpenNext(s.state, s.secret, s.state.At())...)
	for s.state.RoundOpen {
		s.playOne(rng)
	}
	s.write(OpenNext(s.state, s.secret, s.state.At())...)
	var played *Match
	for _, m := range s.state.InRound(1) {
		if m.Outcome.Result.Status != protocol.TechnicalLoss {
			played = m
		}
	}
	s.write(Annulled{Match: played.ID})
	if found := s.clean(); len(found) == 0 {
		t.Error("an annulment in a finished stage is not found")
	}
}
