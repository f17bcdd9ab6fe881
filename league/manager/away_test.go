package manager_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"agentleague/engine"
	"agentleague/engine/sim"
	"agentleague/league"
	"agentleague/league/manager"
	"agentleague/protocol"
	"agentleague/rpc/rpctest"
)

const (
	awaySentence = "the disk in memory was moved or deleted: put it back as it was, and the league continues by itself"
	backSentence = "the log is back: the league continues"
)

// A drawer is a disk that can be taken away.
type drawer struct{ away atomic.Bool }

func (d *drawer) check(key string) sim.Fault {
	if d.away.Load() && (strings.HasPrefix(key, "append ") || strings.HasPrefix(key, "read ")) {
		return sim.Away
	}
	return sim.None
}

func (d *drawer) intact() error {
	if d.away.Load() {
		return fmt.Errorf("check: %w", &engine.AwayError{Place: "the disk in memory", What: "was moved or deleted"})
	}
	return nil
}

// TestALogThatIsTakenAwayPausesTheLeague removes the log while nothing is written, so that only the health check
// detects it.
func TestALogThatIsTakenAwayPausesTheLeague(t *testing.T) {
	var d drawer
	inWorld(t, 1, rpctest.Faults{}, manager.Options{Window: -1, Intact: d.intact}, func(w *world) {
		m, err := w.bootFaulty("LM", 8000, d.check)
		if err != nil {
			t.Fatal(err)
		}
		w.manager = m
		w.bootReferee(1)
		w.bootPlayer(1)
		w.await(time.Hour, "two agents", func(s *league.State) bool { return len(s.Agents) == 2 })
		time.Sleep(time.Minute)
		before := w.disk.Len(leagueID)
		d.away.Store(true)
		time.Sleep(time.Second)
		if got := m.Resting(); got != awaySentence {
			t.Errorf("after a second the manager rests because %q, want %q", got, awaySentence)
		}
		w.bootPlayer(2)
		if _, err := w.order(protocol.TypeStartLeague, ""); refusal(err) != "INTERNAL_ERROR -32603" ||
			!strings.Contains(err.Error(), "log is missing") {
			t.Errorf("an order: got %v", err)
		}
		time.Sleep(10 * time.Minute)
		if got := w.disk.Len(leagueID); got != before || len(w.state().Agents) != 2 {
			t.Errorf("%d entries and %d agents, want as before: %d and 2", got, len(w.state().Agents), before)
		}
		d.away.Store(false)
		w.await(time.Minute, "the second player", func(s *league.State) bool { return len(s.Agents) == 3 })
		if said, back := w.count(awaySentence), w.count(backSentence); said != 1 || back != 1 {
			t.Errorf("said %d times that the log is away and %d times that it is back, want once each", said, back)
		}
		if s := w.status(); s.Paused || s.PauseReason != "" {
			t.Errorf("afterwards the league shows %+v", s)
		}
	})
}

// TestALogThatIsTakenAwayWhileItIsWrittenLosesNothing takes it away in the middle of a league.
func TestALogThatIsTakenAwayWhileItIsWrittenLosesNothing(t *testing.T) {
	for seed := range uint64(4) {
		var d drawer
		inWorld(t, seed, rpctest.Faults{}, manager.Options{StartPlayers: 6, StartReferees: 2}, func(w *world) {
			acknowledged := w.acknowledged()
			m, err := w.bootFaulty("LM", 8000, d.check)
			if err != nil {
				t.Fatal(err)
			}
			w.manager = m
			for n := range 2 {
				w.bootReferee(n + 1)
			}
			for n := range 6 {
				w.bootPlayer(n + 1)
			}
			w.await(time.Hour, "some results", func(s *league.State) bool { return s.Recorded > 2*int(seed) })
			d.away.Store(true)
			w.awaitStatus("the pause", func(s protocol.LeagueStatus) bool { return s.Paused && s.PauseReason == awaySentence })
			time.Sleep(5 * time.Minute)
			d.away.Store(false)
			if w.finish(time.Hour) {
				w.checkLaws()
			}
			for id := range acknowledged() {
				if w.state().Matches[id].Outcome == nil {
					t.Errorf("%s was acknowledged and is lost", id)
				}
			}
		})
	}
}
