package manager_test

import (
	"slices"
	"testing"
	"time"

	"agentleague/league"
	"agentleague/league/manager"
	"agentleague/protocol"
	"agentleague/rpc/rpctest"
)

func TestRegistrationIsOpenForAMinute(t *testing.T) {
	inWorld(t, 1, rpctest.Faults{}, manager.Options{}, func(w *world) {
		w.bootAll(1, 2)
		time.Sleep(59 * time.Second)
		if w.state().Started() {
			t.Error("the league started before its window closed")
		}
		w.await(3*time.Second, "started", started)
		late := w.apply("player:late", "", "c", named("late", "http://localhost:8199/mcp"))
		if late.Status != protocol.Rejected || late.ErrorCode != "E019" || late.Code != 2001 || late.Reason == nil ||
			late.PlayerID != nil {
			t.Errorf("a late player got %+v", late)
		}
		if w.finish(10 * time.Minute) {
			w.checkLaws()
		}
	})
}

func TestLeagueTooSmallStaysOpenAndSaysWhatIsMissing(t *testing.T) {
	inWorld(t, 2, rpctest.Faults{}, manager.Options{}, func(w *world) {
		w.bootAll(1, 1)
		time.Sleep(90 * time.Second)
		const missing = "1 of at least 2 players have registered and can be reached"
		status := w.status()
		if status.State != protocol.WaitingForRegistrations || status.Missing != missing {
			t.Errorf("got %+v, want %q missing", status, missing)
		}
		if !w.logged("still accepting registrations") {
			t.Error("the log does not say that registrations are still accepted")
		}
		w.bootPlayer(2)
		w.await(5*time.Second, "started", started)
	})
}

func TestLeagueWithoutRefereeStaysOpen(t *testing.T) {
	inWorld(t, 3, rpctest.Faults{}, manager.Options{}, func(w *world) {
		w.bootAll(0, 2)
		time.Sleep(70 * time.Second)
		if got, want := w.status().Missing, "0 of at least 1 referees have registered and can be reached"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		w.bootReferee(1)
		if w.finish(10 * time.Minute) {
			w.checkLaws()
		}
	})
}

func TestLeagueStartsByNumber(t *testing.T) {
	inWorld(t, 4, rpctest.Faults{}, manager.Options{StartPlayers: 3, StartReferees: 2, Window: -1}, func(w *world) {
		w.bootAll(1, 3)
		time.Sleep(2 * time.Minute)
		if w.state().Started() {
			t.Error("the league started without its second referee")
		}
		w.bootReferee(2)
		w.await(5*time.Second, "started", started)
	})
}

func TestAdminStartsTheLeague(t *testing.T) {
	inWorld(t, 5, rpctest.Faults{}, manager.Options{Window: -1, Pace: time.Hour}, func(w *world) {
		w.bootAll(1, 1)
		time.Sleep(time.Second)
		if _, err := w.order(protocol.TypeStartLeague, ""); refusal(err) != "LEAGUE_NOT_STARTED 4005" {
			t.Errorf("too few players: got %v", err)
		}
		w.bootPlayer(2)
		time.Sleep(time.Second)
		for range 2 {
			ack, err := w.order(protocol.TypeStartLeague, "")
			if err != nil || ack.Status != protocol.Accepted || ack.State == protocol.WaitingForRegistrations || ack.Paused {
				t.Errorf("got %+v, %v", ack, err)
			}
		}
		w.await(5*time.Second, "started", started)
	})
}

func TestNobodyPlaysAlone(t *testing.T) {
	inWorld(t, 23, rpctest.Faults{}, manager.Options{MinPlayers: 1}, func(w *world) {
		w.bootAll(1, 1)
		time.Sleep(2 * time.Minute)
		if _, err := w.order(protocol.TypeStartLeague, ""); refusal(err) != "LEAGUE_NOT_STARTED 4005" || w.state().Started() {
			t.Errorf("a league of one player: got %v, started %v", err, w.state().Started())
		}
	})
}

func TestWhoWithdrawsBeforeTheStartDoesNotPlay(t *testing.T) {
	inWorld(t, 24, rpctest.Faults{}, manager.Options{StartPlayers: 3}, func(w *world) {
		w.bootAll(1, 2)
		time.Sleep(time.Second)
		if _, err := w.order(protocol.TypeWithdrawPlayer, "P01"); err != nil {
			t.Error(err)
		}
		if got := w.status(); got.Players != 1 {
			t.Errorf("%d players after a withdrawal, want 1", got.Players)
		}
		w.bootPlayer(3)
		time.Sleep(time.Second)
		if w.state().Started() {
			t.Error("the one that withdrew was counted")
		}
		w.bootPlayer(4)
		w.await(5*time.Second, "started", started)
		if got := w.state().Players(); !slices.Equal(got, []string{"P02", "P03", "P04"}) {
			t.Errorf("got %v", got)
		}
	})
}

func TestStartByNumberWaitsForPlayersThatCanBeReached(t *testing.T) {
	inWorld(t, 7, rpctest.Faults{}, manager.Options{StartPlayers: 3}, func(w *world) {
		w.bootAll(1, 2)
		time.Sleep(time.Second)
		if r := w.apply("player:P03", "", "c", named("nowhere", "http://localhost:8199/mcp")); r.Status != protocol.Accepted {
			t.Fatalf("got %+v", r)
		}
		time.Sleep(time.Hour)
		const waits = "starts automatically when all 3 players have joined; 3 of 3, 1 cannot be reached " +
			"(`league status` names them; `league start` starts without them)"
		if got := w.status().Starting(time.Now()); w.state().Started() || got != waits {
			t.Errorf("started %v; got %q, want %q", w.state().Started(), got, waits)
		}
		w.bootPlayer(4)
		w.await(4*time.Second, "started", started)
		if s := w.state(); !slices.Equal(s.Players(), []string{"P01", "P02", "P04"}) {
			t.Errorf("the schedule has %v", s.Players())
		}
	})
}

func TestUnreachablePlayerIsLeftOut(t *testing.T) {
	inWorld(t, 7, rpctest.Faults{}, manager.Options{StartAfter: 3 * time.Second}, func(w *world) {
		w.bootAll(1, 2)
		time.Sleep(time.Second)
		if r := w.apply("player:P03", "", "c", named("nowhere", "http://localhost:8199/mcp")); r.Status != protocol.Accepted {
			t.Fatalf("got %+v", r)
		}
		time.Sleep(14 * time.Second)
		if w.state().Started() {
			t.Error("the league started before the last endpoint had its 15 seconds")
		}
		w.await(4*time.Second, "started", started)
		s := w.state()
		if a := s.Agents["P03"]; a.State != protocol.AgentSuspended || a.Why == "" ||
			!slices.Equal(s.Players(), []string{"P01", "P02"}) {
			t.Errorf("P03 is %s, %q; the schedule has %v", a.State, a.Why, s.Players())
		}
		if !w.logged(`"msg":"agent unreachable"`) {
			t.Error("the log does not warn of the unreachable agent")
		}
		if w.finish(10 * time.Minute) {
			w.checkLaws()
		}
	})
}

func TestPlayerThatListensLateTakesPart(t *testing.T) {
	inWorld(t, 8, rpctest.Faults{}, manager.Options{StartPlayers: 2}, func(w *world) {
		w.masked["P02"] = true // only agents without a key register before they listen
		w.bootAll(1, 1)
		w.apply("player:P02", "", "c", named("Agent P02", "http://localhost:8102/mcp"))
		time.Sleep(12 * time.Second)
		w.bootPlayer(2)
		if w.finish(10 * time.Minute) {
			w.checkLaws()
		}
		if got := w.state().Players(); !slices.Equal(got, []string{"P01", "P02"}) {
			t.Errorf("got %v", got)
		}
	})
}

func TestPlayerThatRegistersAgainIsLookedForAgain(t *testing.T) {
	inWorld(t, 25, rpctest.Faults{}, manager.Options{StartPlayers: 2}, func(w *world) {
		w.masked["P02"] = true // only agents without a key register before they listen
		w.bootAll(1, 1)
		w.apply("player:P02", "", "c", named("Agent P02", "http://localhost:8102/mcp"))
		time.Sleep(5 * time.Minute)
		if got, want := w.status().Missing, "1 of at least 2 players have registered and can be reached"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		w.bootPlayer(2)
		w.await(5*time.Second, "started", started)
	})
}

func TestUnreachableRefereeIsUsedOnceItAnswers(t *testing.T) {
	inWorld(t, 9, rpctest.Faults{}, manager.Options{StartPlayers: 4, StartReferees: 2, Pace: 10 * time.Second},
		func(w *world) {
			w.bootAll(2, 4)
			w.procs["REF01"].Crash()
			time.Sleep(50 * time.Millisecond)
			w.bootReferee(1) // it registers
			time.Sleep(100 * time.Millisecond)
			w.procs["REF01"].Crash() // and is gone
			w.await(time.Minute, "started without REF01", func(s *league.State) bool {
				return s.Started() && s.Agents["REF01"].State == protocol.AgentSuspended
			})
			p, _ := w.boot("REF01", 8001)
			p.Serve(w.referees["REF01"].Node) // it answers again, without a word to the manager
			w.await(time.Minute, "REF01 is active", func(s *league.State) bool {
				return s.Agents["REF01"].State == protocol.AgentActive
			})
		})
}

// An agent that waits for a league receives the missing agents and the start condition.
func TestLeagueTellsHowItWillStart(t *testing.T) {
	for _, c := range []struct {
		name string
		opts manager.Options
		want league.Start
		in   time.Duration // until the window closes; 0: there is none
	}{
		{"by its window", manager.Options{}, league.Start{Players: 2, Referees: 1}, time.Minute},
		{"by number", manager.Options{Window: -1, StartPlayers: 6, StartReferees: 2},
			league.Start{Players: 6, Referees: 2, ByNumber: true}, 0},
		{"by order", manager.Options{Window: -1, MinPlayers: 4}, league.Start{Players: 4, Referees: 1}, 0},
	} {
		inWorld(t, 1, rpctest.Faults{}, c.opts, func(w *world) {
			w.bootAll(0, 0)
			if c.in > 0 {
				c.want.At = w.state().CreatedAt.Add(c.in)
			}
			if got := w.manager.Starts(); got != c.want {
				t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
			}
		})
	}
}
