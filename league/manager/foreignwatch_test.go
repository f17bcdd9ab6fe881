package manager_test

import (
	"testing"
	"time"

	"agentleague/league"
	"agentleague/league/manager"
	"agentleague/protocol"
)

// taken is a foreign referee's answer to an order that it takes and never reports.
func taken(*foreigner, string) (int, string) { return 200, `{"result":{"status":"started"}}` }

// A foreign referee that ends during a match loses it. An idle referee gets the match within seconds.
func TestMatchOfAForeignRefereeThatIsGoneIsAnothersInSeconds(t *testing.T) {
	inForeignWorld(t, manager.Options{}, taken, func(w *world, ref *foreigner) {
		w.await(time.Minute, "the match is ordered", func(*league.State) bool { return ref.count("run_match R1M1") == 1 })
		w.bootReferee(2)
		time.Sleep(time.Minute) // it has refused every form of a ping in the meantime
		ref.setAway(true)
		gone := time.Now()
		w.await(time.Minute, "it is another's", func(s *league.State) bool {
			return s.Matches["R1M1"].Attempt().Referee == "REF02"
		})
		if took := time.Since(gone); took > 10*time.Second {
			t.Errorf("reassigned after %v, want a few seconds", took)
		}
		if w.finish(time.Minute) && w.state().Matches["R1M1"].Outcome.Referee != "REF02" {
			t.Error("the match was not recorded by the one that played it")
		}
	})
}

// A foreign referee that was unreachable for less than that may have been restarted without its match.
func TestMatchOfAForeignRefereeThatWasAwayIsAnothersSoon(t *testing.T) {
	inForeignWorld(t, manager.Options{}, taken, func(w *world, ref *foreigner) {
		w.await(time.Minute, "the match is ordered", func(*league.State) bool { return ref.count("run_match R1M1") == 1 })
		w.bootReferee(2)
		time.Sleep(5 * time.Second)
		ref.setAway(true)
		time.Sleep(3 * time.Second) // a ping or two
		ref.setAway(false)
		back := time.Now()
		w.await(5*time.Minute, "it is another's", func(s *league.State) bool {
			return s.Matches["R1M1"].Attempt().Referee == "REF02"
		})
		if took := time.Since(back); took > 40*time.Second {
			t.Errorf("reassigned after %v, want half a minute", took)
		}
		if ref := w.state().Agents["REF01"]; ref.State == protocol.AgentSuspended {
			t.Errorf("REF01 is %s: %s", ref.State, ref.Why)
		}
		w.finish(5 * time.Minute)
	})
}

// Without another referee it gets the match again, as a new attempt.
func TestOnlyForeignRefereeThatWasAwayIsAskedAnew(t *testing.T) {
	forgetful := func(f *foreigner, match string) (int, string) {
		if f.count("run_match "+match) > 1 {
			return plays(f, match)
		}
		return taken(f, match)
	}
	inForeignWorld(t, manager.Options{}, forgetful, func(w *world, ref *foreigner) {
		w.await(time.Minute, "the match is ordered", func(*league.State) bool { return ref.count("run_match R1M1") == 1 })
		ref.setAway(true)
		time.Sleep(3 * time.Second)
		ref.setAway(false)
		back := time.Now()
		if !w.finish(5 * time.Minute) {
			return
		}
		if took, a := time.Since(back), w.state().Matches["R1M1"].Attempt(); took > 3*time.Minute || a.Attempt != 2 {
			t.Errorf("attempt %d was over after %v, want the second within three minutes", a.Attempt, took)
		}
	})
}
