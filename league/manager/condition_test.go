package manager_test

import (
	"context"
	"testing"
	"time"

	"agentleague/league"
	"agentleague/league/manager"
	"agentleague/player"
	"agentleague/protocol"
	"agentleague/rpc/rpctest"
)

// A start condition has no deadline: two of four players wait as long as necessary, even if the manager restarts.
func TestConditionWaitsForAnHourAndARestart(t *testing.T) {
	inWorld(t, 61, rpctest.Faults{}, manager.Options{StartPlayers: 4, StartReferees: 1}, func(w *world) {
		w.bootAll(1, 2)
		time.Sleep(30 * time.Minute)
		w.procs["LM"].Crash()
		time.Sleep(time.Second)
		w.bootManager()
		time.Sleep(30 * time.Minute)
		if w.state().Started() {
			t.Error("the league started with 2 of 4 players")
		}
		const want = "starts automatically when all 4 players have joined; 2 of 4"
		if got := w.status().Starting(time.Now()); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		w.bootPlayer(3)
		w.bootPlayer(4)
		if w.finish(10 * time.Minute) {
			w.checkLaws()
		}
	})
}

func TestConditionOrTimeWhicheverComesFirst(t *testing.T) {
	inWorld(t, 62, rpctest.Faults{}, manager.Options{StartPlayers: 4, StartReferees: 1, StartAfter: 10 * time.Minute}, func(w *world) {
		w.bootAll(1, 2)
		time.Sleep(9 * time.Minute)
		if w.state().Started() {
			t.Error("the league started before its time")
		}
		w.await(2*time.Minute, "the start by time", started)
	})
}

func TestInvitedPlayersAreWaitedForByOrderOnly(t *testing.T) {
	inWorld(t, 63, rpctest.Faults{}, manager.Options{}, func(w *world) {
		w.bootAll(1, 2)
		if _, err := w.manager.Registrar.Invite(context.Background(), protocol.RolePlayer, []string{"Cleo"}, "admin"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		if w.state().Started() {
			t.Error("a league with invited players started when its window closed")
		}
		if _, err := w.order(protocol.TypeStartLeague, ""); err != nil {
			t.Error(err)
		}
		w.await(5*time.Second, "started", started)
	})
}

func TestPausedLeagueDoesNotStart(t *testing.T) {
	inWorld(t, 64, rpctest.Faults{}, manager.Options{}, func(w *world) {
		w.bootAll(1, 2)
		if _, err := w.order(protocol.TypePauseLeague, ""); err != nil {
			t.Error(err)
		}
		time.Sleep(time.Hour)
		if w.state().Started() {
			t.Error("a paused league started")
		}
		if _, err := w.order(protocol.TypeResumeLeague, ""); err != nil {
			t.Error(err)
		}
		w.await(5*time.Second, "started", started)
	})
}

func TestCancelledLeagueEndsWithItsResults(t *testing.T) {
	inWorld(t, 65, rpctest.Faults{}, manager.Options{StartPlayers: 4}, func(w *world) {
		w.strategy = func(string) player.Strategy { return slow(5 * time.Second) }
		w.bootAll(2, 4)
		w.await(2*time.Minute, "round 2 is open", func(s *league.State) bool { return s.Round == 2 })
		time.Sleep(2 * time.Second)
		for range 2 {
			if ack, err := w.order(protocol.TypeCancelLeague, ""); err != nil || ack.State != protocol.LeagueIsCancelled {
				t.Errorf("got %+v, %v", ack, err)
			}
		}
		w.await(time.Minute, "everyone has been told", func(s *league.State) bool {
			return s.Announced[league.Announced{What: "league"}]
		})
		time.Sleep(time.Minute)
		w.procs["LM"].Crash()
		time.Sleep(time.Second)
		w.bootManager()
		time.Sleep(10 * time.Minute)
		s := w.state()
		if s.Recorded != 2 || s.Round != 2 || !s.Cancelled || s.DrawSecret == "" {
			t.Errorf("%d results in round %d, cancelled %v; want those of round 1 alone", s.Recorded, s.Round, s.Cancelled)
		}
		for id, p := range w.players {
			select {
			case <-p.Done():
			default:
				t.Errorf("%s was not told of the end", id)
			}
		}
		if _, err := w.order(protocol.TypeStartLeague, ""); refusal(err) != "LEAGUE_ALREADY_COMPLETE 4005" {
			t.Errorf("the start of a league that is over: got %v", err)
		}
	})
}

func TestCancelledLeagueNeverStarts(t *testing.T) {
	inWorld(t, 66, rpctest.Faults{}, manager.Options{StartPlayers: 3}, func(w *world) {
		w.bootAll(1, 2)
		time.Sleep(time.Second)
		if _, err := w.order(protocol.TypeCancelLeague, ""); err != nil {
			t.Error(err)
		}
		time.Sleep(time.Minute)
		if s := w.state(); s.Started() || !s.Announced[league.Announced{What: "league"}] {
			t.Errorf("started %v; want an end that everyone was told of", s.Started())
		}
	})
}
