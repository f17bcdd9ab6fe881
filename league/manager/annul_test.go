package manager_test

import (
	"context"
	"testing"
	"time"

	"agentleague/league"
	"agentleague/league/manager"
	"agentleague/rpc/rpctest"
)

// A match that is annulled between two rounds is replayed at once. Its players receive an announcement although no
// round is open, so that they expect the invitation.
func TestAMatchAnnulledBetweenRoundsIsPlayedAtOnce(t *testing.T) {
	inWorld(t, 3, rpctest.Faults{}, manager.Options{StartPlayers: 4, Pace: time.Minute}, func(w *world) {
		w.bootAll(2, 4)
		w.await(time.Minute, "the rest after round 1", func(s *league.State) bool { return s.Round == 1 && !s.RoundOpen })
		if err := w.manager.Orders.Annul(context.Background(), "R1M1", "the wrong board", "admin"); err != nil {
			t.Fatal(err)
		}
		w.await(5*time.Second, "another result of R1M1", func(s *league.State) bool {
			m := s.Matches["R1M1"]
			return m.Annulled == 1 && m.Outcome != nil && s.Round == 1
		})
		if w.finish(time.Hour) {
			w.checkLaws()
		}
		if again := w.state().Matches["R1M1"]; again.Attempt().Attempt != 2 || len(again.Outcome.Result.Forfeits) > 0 {
			t.Errorf("R1M1 was played again as %+v, want a second attempt without a forfeit", again.Outcome)
		}
		if err := w.manager.Orders.Annul(context.Background(), "R1M1", "once more", "admin"); err == nil {
			t.Error("a result of a league that is over was annulled")
		}
	})
}
