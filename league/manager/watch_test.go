package manager_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"agentleague/league"
	"agentleague/league/manager"
	"agentleague/player"
	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/rpc/rpctest"
)

func TestMatchesOfADeadRefereeArePlayedByAnother(t *testing.T) {
	inWorld(t, 16, rpctest.Faults{}, manager.Options{StartPlayers: 4, StartReferees: 2}, func(w *world) {
		w.strategy = func(string) player.Strategy { return slow(5 * time.Second) }
		w.bootAll(2, 4)
		w.await(time.Minute, "round 1 is open", func(s *league.State) bool { return s.Round == 1 })
		time.Sleep(time.Second)
		w.procs["REF01"].Crash()
		w.await(time.Minute, "R1M1 is reassigned", func(s *league.State) bool {
			return s.Matches["R1M1"].Attempt() == league.MatchAssigned{Match: "R1M1", Referee: "REF02", Attempt: 2}
		})
		if got := w.state().Agents["REF01"]; got.State != protocol.AgentSuspended {
			t.Errorf("REF01 is %s", got.State)
		}
		w.await(time.Minute, "R1M1 is recorded", func(s *league.State) bool { return s.Matches["R1M1"].Outcome != nil })
		w.announcedFirst("R1M1", 8002, 8101, 8102)
		w.bootReferee(1)
		if !w.finish(10 * time.Minute) {
			return
		}
		w.checkLaws()
		used := false
		for _, m := range w.state().Matches {
			used = used || m.Round > 1 && m.Outcome.Referee == "REF01"
		}
		if !used {
			t.Error("the referee that returned was given no further match")
		}
	})
}

// announcedFirst checks that players received the announcement of a further attempt before its referee received the
// order.
func (w *world) announcedFirst(match string, referee int, players ...int) {
	w.t.Helper()
	orders, _ := w.seen(referee, "START_MATCH "+match)
	if len(orders) == 0 {
		w.t.Fatalf("%s was never started", match)
	}
	for _, port := range players {
		times, _ := w.seen(port, "ROUND_ANNOUNCEMENT 1 ")
		if len(times) != 2 || times[1] > orders[0] {
			w.t.Errorf("the player at %d heard announcements at %v, the match was ordered at %v", port, times, orders)
		}
	}
}

func TestTwoSilencesAreForgiven(t *testing.T) {
	inWorld(t, 22, rpctest.Faults{}, manager.Options{StartPlayers: 2, StartReferees: 2}, func(w *world) {
		w.strategy = func(string) player.Strategy { return slow(25 * time.Second) }
		w.bootAll(2, 2)
		w.await(time.Minute, "round 1 is open", func(s *league.State) bool { return s.Round == 1 })
		time.Sleep(3 * time.Second)
		w.net.Cut("LM", "REF01", true)
		time.Sleep(8 * time.Second) // two pings, of two seconds each
		w.net.Cut("LM", "REF01", false)
		if w.finish(10 * time.Minute) {
			w.checkLaws()
		}
		s := w.state()
		if m, ref := s.Matches["R1M1"], s.Agents["REF01"]; len(m.Assigned) != 1 || ref.State != protocol.AgentActive {
			t.Errorf("REF01 is %s, %q; the match had the attempts %v", ref.State, ref.Why, m.Assigned)
		}
	})
}

func TestOnlyRefereeReturnsToTheSameAttempt(t *testing.T) {
	inWorld(t, 17, rpctest.Faults{}, manager.Options{StartPlayers: 2}, func(w *world) {
		w.strategy = func(string) player.Strategy { return slow(5 * time.Second) }
		w.bootAll(1, 2)
		w.await(time.Minute, "round 1 is open", func(s *league.State) bool { return s.Round == 1 })
		time.Sleep(2 * time.Second)
		w.procs["REF01"].Crash()
		w.await(time.Minute, "REF01 is suspended", func(s *league.State) bool {
			return s.Agents["REF01"].State == protocol.AgentSuspended
		})
		time.Sleep(time.Minute)
		w.bootReferee(1)
		if !w.finish(10 * time.Minute) {
			return
		}
		w.checkLaws()
		if m := w.state().Matches["R1M1"]; len(m.Assigned) != 1 || m.Outcome.Attempt != 1 {
			t.Errorf("got %+v, want one attempt", m.Assigned)
		}
	})
}

func TestRefereeThatRefusesLosesItsMatches(t *testing.T) {
	inWorld(t, 18, rpctest.Faults{}, manager.Options{StartPlayers: 4, StartReferees: 2}, func(w *world) {
		w.bootAll(2, 4)
		w.referees["REF01"].Node.Handle(protocol.TypeStartMatch,
			func(context.Context, rpc.From, protocol.Message) (protocol.Message, error) {
				return nil, protocol.Errorf(protocol.UnsupportedGame, "not today")
			})
		if !w.finish(10 * time.Minute) {
			return
		}
		w.checkLaws()
		for id, m := range w.state().Matches {
			if m.Outcome.Referee != "REF02" {
				t.Errorf("%s was reported by %s", id, m.Outcome.Referee)
			}
		}
	})
}

func TestBusyRefereeIsAskedAgain(t *testing.T) {
	inWorld(t, 19, rpctest.Faults{}, manager.Options{StartPlayers: 2}, func(w *world) {
		w.bootAll(1, 2)
		var asked atomic.Int64
		w.referees["REF01"].Node.Handle(protocol.TypeStartMatch,
			func(_ context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
				asked.Add(1)
				return &protocol.StartMatchAck{
					Envelope: protocol.Envelope{MessageType: protocol.TypeStartMatchAck, MatchID: m.Head().MatchID},
					Status:   protocol.Busy,
				}, nil
			})
		w.await(time.Minute, "round 1 is open", func(s *league.State) bool { return s.Round == 1 })
		time.Sleep(10 * time.Second)
		if n, m := asked.Load(), w.state().Matches["R1M1"]; n < 9 || n > 11 || len(m.Assigned) != 1 {
			t.Errorf("asked %d times in 10 s with %d attempts, want about 10 with one", n, len(m.Assigned))
		}
	})
}
