package manager_test

import (
	"strings"
	"testing"
	"time"

	"agentleague/league"
	"agentleague/league/manager"
	"agentleague/player"
	"agentleague/protocol"
	"agentleague/rpc/rpctest"
)

func TestRestBetweenRounds(t *testing.T) {
	inWorld(t, 12, rpctest.Faults{}, manager.Options{StartPlayers: 4, Pace: 20 * time.Second}, func(w *world) {
		w.bootAll(2, 4)
		if !w.finish(10 * time.Minute) {
			return
		}
		var started, closed time.Time
		for _, e := range w.disk.Entries(leagueID) {
			at, events, err := league.DecodeBatch(e.Data)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range events {
				switch e := e.(type) {
				case league.Started:
					started = at
				case league.RoundClosed:
					closed = at
				case league.RoundOpened:
					if e.Round == 1 && at.Sub(started) > time.Second {
						t.Errorf("round 1 was opened %v after the start, want at once", at.Sub(started))
					}
					if rest := at.Sub(closed); e.Round > 1 && (rest < 20*time.Second || rest > 21*time.Second) {
						t.Errorf("round %d was opened after a rest of %v, want 20s", e.Round, rest)
					}
				}
			}
		}
	})
}

func TestPlayerThatIsGoneIsOutAfterThreeForfeits(t *testing.T) {
	inWorld(t, 15, rpctest.Faults{}, manager.Options{StartPlayers: 6}, func(w *world) {
		w.strategy = func(string) player.Strategy { return slow(time.Second) }
		w.bootAll(2, 6)
		w.await(time.Minute, "round 1 is open", func(s *league.State) bool { return s.Round == 1 })
		w.procs["P03"].Crash()
		if !w.finish(time.Hour) {
			return
		}
		w.checkLaws()
		s := w.state()
		if a := s.Agents["P03"]; a.State != protocol.AgentShutdown || !strings.HasPrefix(a.Why, "3 forfeits in a row, the last in R3M2: its endpoint does not answer: connection refused") {
			t.Errorf("P03 is %s, %q", a.State, a.Why)
		}
		played, unplayed := 0, 0
		for _, m := range s.Matches {
			if _, lost := m.Outcome.Result.Forfeits["P03"]; lost && m.Outcome.Attempt > 0 {
				played++
			} else if lost {
				unplayed++
			}
		}
		if played != 3 || unplayed != 2 {
			t.Errorf("P03 forfeited %d matches and %d were not played, want 3 and 2", played, unplayed)
		}
	})
}

func TestManagerThatReturnsAsksForItsMatchesAtOnce(t *testing.T) {
	inWorld(t, 26, rpctest.Faults{}, manager.Options{StartPlayers: 2}, func(w *world) {
		w.strategy = func(string) player.Strategy { return slow(20 * time.Second) }
		w.bootAll(1, 2)
		start := time.Now()
		w.await(time.Minute, "round 1 is announced", func(s *league.State) bool {
			return s.Announced[league.Announced{What: "round", Round: 1}]
		})
		time.Sleep(5 * time.Second)
		w.procs["LM"].Crash()
		w.bootManager()
		back := time.Since(start)
		if w.finish(10 * time.Minute) {
			w.checkLaws()
		}
		orders, _ := w.seen(8001, "START_MATCH R1M1")
		if len(orders) < 2 || orders[1]-back > time.Second {
			t.Errorf("the match was ordered at %v, the manager came back at %v", orders, back)
		}
		if m := w.state().Matches["R1M1"]; len(m.Assigned) != 1 {
			t.Errorf("the match had the attempts %v, want one", m.Assigned)
		}
	})
}

func TestMatchStartsWhenItsPlayersKnowOfItOrAfterTenSeconds(t *testing.T) {
	inWorld(t, 20, rpctest.Faults{}, manager.Options{StartPlayers: 4, StartReferees: 2, Rounds: 1}, func(w *world) {
		w.bootAll(2, 4)
		w.unresponsive(1)
		if !w.finish(10 * time.Minute) {
			return
		}
		w.checkLaws()
		announced, _ := w.seen(8103, "ROUND_ANNOUNCEMENT 1 ")
		slowly, _ := w.seen(8001, "START_MATCH R1M1")
		quickly, _ := w.seen(8002, "START_MATCH R1M2")
		if d := quickly[0] - announced[0]; d > time.Second {
			t.Errorf("the match of those who acknowledged started after %v, want at once", d)
		}
		if d := slowly[0] - announced[0]; d < 9900*time.Millisecond || d > 11*time.Second {
			t.Errorf("the match of the unresponsive player started after %v, want 10s", d)
		}
	})
}
