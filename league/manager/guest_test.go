package manager_test

import (
	"testing"
	"time"

	"agentleague/league"
	"agentleague/league/manager"
	"agentleague/protocol"
	"agentleague/rpc/rpctest"
)

// TestGuestJudgesWithoutAKey plays a league whose only referee is a guest: the manager draws, and all results are
// proven.
func TestGuestJudgesWithoutAKey(t *testing.T) {
	inWorld(t, 51, rpctest.Faults{}, manager.Options{StartPlayers: 4}, func(w *world) {
		w.guests["REF01"] = true
		w.bootAll(1, 4)
		if !w.finish(10 * time.Minute) {
			return
		}
		w.checkLaws()
		for id, m := range w.state().Matches {
			if m.Proof != league.Proven {
				t.Errorf("%s is %s", id, m.Proof)
			}
		}
	})
}

// TestManagerTellsTheEndWhenAGuestFallsSilent kills a guest between the moves that it shows and GAME_OVER.
func TestManagerTellsTheEndWhenAGuestFallsSilent(t *testing.T) {
	inWorld(t, 52, rpctest.Faults{}, manager.Options{StartPlayers: 2}, func(w *world) {
		w.guests["REF01"] = true
		w.bootAll(1, 2)
		w.await(time.Minute, "the moves are shown", func(s *league.State) bool { return s.Recorded == 1 })
		w.crash("REF01")
		if !w.finish(10 * time.Minute) {
			return
		}
		s := w.state()
		for _, id := range []string{"P01", "P02"} {
			h := w.players[id].History()
			if len(h) != 1 || h[0].Result != s.Matches["R1M1"].Outcome.Result.For(id) {
				t.Errorf("%s remembers %+v, want %+v", id, h, s.Matches["R1M1"].Outcome.Result)
			}
		}
	})
}

// TestForfeitOfAGuestIsLookedAtByTheOrganisersReferee has a guest's player be silent: the organiser's referee finds the
// same.
func TestForfeitOfAGuestIsLookedAtByTheOrganisersReferee(t *testing.T) {
	inWorld(t, 53, rpctest.Faults{}, manager.Options{StartPlayers: 8, StartReferees: 2}, func(w *world) {
		w.guests["REF02"] = true
		w.bootAll(2, 8)
		w.await(time.Minute, "started", started)
		w.crash("P08")
		if !w.finish(2 * time.Hour) {
			return
		}
		judged := 0
		for id, m := range w.state().Matches {
			if m.Outcome.Result.Status == protocol.TechnicalLoss && m.Outcome.Attempt != 0 {
				judged++
				if m.Outcome.Referee != "REF01" || m.Proof != league.Judged {
					t.Errorf("%s: the forfeit is the word of %s, %s", id, m.Outcome.Referee, m.Proof)
				}
			}
		}
		if judged == 0 {
			t.Error("nobody forfeited")
		}
	})
}
