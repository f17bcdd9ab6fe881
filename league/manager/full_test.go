package manager_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"agentleague/engine"
	"agentleague/engine/sim"
	"agentleague/league"
	"agentleague/league/manager"
	"agentleague/player"
	"agentleague/protocol"
	"agentleague/rpc/rpctest"
)

// A tank is a disk that can be full.
type tank struct {
	full  atomic.Bool
	tries atomic.Int64 // of using it while it was full
	reads bool         // a full one cannot be read either
}

func (k *tank) check(key string) sim.Fault {
	reads := k.reads && strings.HasPrefix(key, "read ")
	if !k.full.Load() || !strings.HasPrefix(key, "append ") && !reads {
		return sim.None
	}
	k.tries.Add(1)
	return sim.Full
}

// bootTank starts a league whose manager writes to k.
func (w *world) bootTank(k *tank, referees, players int) {
	m, err := w.bootFaulty("LM", 8000, k.check)
	if err != nil {
		w.t.Fatal(err)
	}
	w.manager = m
	for n := range referees {
		w.bootReferee(n + 1)
	}
	for n := range players {
		w.bootPlayer(n + 1)
	}
}

const fullSentence = "the disk in memory is full: free some space, and the league continues by itself"

// acknowledged collects the matches whose result the manager has acknowledged.
func (w *world) acknowledged() func() map[string]bool {
	var mu sync.Mutex
	out := map[string]bool{}
	w.tap = func(_, answer []byte) {
		if !strings.Contains(string(answer), `"MATCH_RESULT_ACK"`) {
			return
		}
		_, rest, _ := strings.Cut(string(answer), `"match_id":"`)
		id, _, _ := strings.Cut(rest, `"`)
		mu.Lock()
		defer mu.Unlock()
		out[id] = true
	}
	return func() map[string]bool {
		mu.Lock()
		defer mu.Unlock()
		copied := map[string]bool{}
		for id := range out {
			copied[id] = true
		}
		return copied
	}
}

func TestFullDiskPausesTheLeagueAndRoomLetsItGoOn(t *testing.T) { fillDisk(t, 1) }

func TestLongFullDiskPausesTheLeagueAndRoomLetsItGoOn(t *testing.T) { fillDisk(t, 0, 1, 2, 3) }

// fillDisk fills the disk of a league of each seed, later in the one than in the one before, and gives it room again.
func fillDisk(t *testing.T, seeds ...uint64) {
	for _, reads := range []bool{false, true} {
		for _, seed := range seeds {
			t.Run(fmt.Sprint(seed, reads), func(t *testing.T) {
				inWorld(t, seed, rpctest.Faults{}, manager.Options{StartPlayers: 6, StartReferees: 2}, func(w *world) {
					acknowledged := w.acknowledged()
					k := &tank{reads: reads}
					w.bootTank(k, 2, 6)
					w.await(time.Hour, "some results", func(s *league.State) bool { return s.Recorded > 2*int(seed) })
					k.full.Store(true)
					w.awaitStatus("the pause", func(s protocol.LeagueStatus) bool { return s.Paused && s.PauseReason == fullSentence })
					time.Sleep(time.Minute) // in virtual time: open matches end
					before, told := w.disk.Len(leagueID), len(acknowledged())
					tried, asked := k.tries.Load(), w.sent(string(protocol.TypeStartMatch))
					time.Sleep(2 * time.Minute)
					if got := w.status(); got.MatchesCompleted != w.state().Recorded || !got.Paused {
						t.Errorf("the full league shows %+v, but its log has %d results", got, w.state().Recorded)
					}
					if w.disk.Len(leagueID) != before || len(acknowledged()) != told {
						t.Error("something was written to, or acknowledged by, a full disk")
					}
					if n := w.sent(string(protocol.TypeStartMatch)) - asked; n > 0 || asked == 0 {
						t.Errorf("%d matches were handed out by a manager that cannot record them", n)
					}
					if n := k.tries.Load() - tried; n < 12 || n > 40 {
						t.Errorf("a full disk was tried %d times in two minutes, want about every 8 s", n)
					}
					k.full.Store(false)
					if w.finish(time.Hour) {
						w.checkLaws()
					}
					if n := w.count(fullSentence); n != 1 {
						t.Errorf("the manager said %d times that its disk is full, want once", n)
					}
					if n := w.count("there is space again: the league continues"); n != 1 {
						t.Errorf("the manager said %d times that it goes on, want once", n)
					}
					if s := w.status(); s.Paused || s.PauseReason != "" {
						t.Errorf("afterwards the league shows %+v", s)
					}
					for id := range acknowledged() {
						if w.state().Matches[id].Outcome == nil {
							t.Errorf("%s was acknowledged and is lost", id)
						}
					}
					for _, row := range w.state().Standings() {
						if row.TechnicalLosses > 0 {
							t.Errorf("%s lost a match because the disk was full", row.PlayerID)
						}
					}
				})
			})
		}
	}
}

// awaitStatus waits until the league's status fulfils a condition.
func (w *world) awaitStatus(what string, ok func(s protocol.LeagueStatus) bool) {
	w.t.Helper()
	for range 600 {
		if ok(w.status()) {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	w.t.Fatalf("waited in vain for %s: %+v", what, w.status())
}

// count returns how often a text was logged.
func (w *world) count(text string) int {
	w.logMu.Lock()
	defer w.logMu.Unlock()
	return strings.Count(w.logs.String(), `"msg":"`+text+`"`)
}

// sent returns the number of sent messages with that label.
func (w *world) sent(label string) (n int) {
	for _, line := range w.net.Trace() {
		if strings.Contains(line, label) {
			n++
		}
	}
	return n
}

// A manager that is killed while its disk is full has everything that it acknowledged.
func TestNothingAcknowledgedIsLostWithAManagerThatDiesOnAFullDisk(t *testing.T) {
	for seed := range uint64(4) {
		inWorld(t, seed, rpctest.Faults{}, manager.Options{StartPlayers: 4, StartReferees: 2}, func(w *world) {
			acknowledged := w.acknowledged()
			k := &tank{}
			w.bootTank(k, 2, 4)
			w.await(time.Hour, "a result", func(s *league.State) bool { return s.Recorded > int(seed)%4 })
			k.full.Store(true)
			w.awaitStatus("the pause", func(s protocol.LeagueStatus) bool { return s.Paused })
			w.crash("LM")
			told := acknowledged()
			w.bootManager()
			for id := range told {
				if m := w.state().Matches[id]; m == nil || m.Outcome == nil {
					t.Errorf("seed %d: %s was acknowledged and is lost", seed, id)
				}
			}
			if w.finish(time.Hour) {
				w.checkLaws()
			}
		})
	}
}

func TestWhoAsksAManagerWithAFullDiskIsToldToAskAgain(t *testing.T) {
	inWorld(t, 1, rpctest.Faults{}, manager.Options{Window: -1}, func(w *world) {
		var answers sync.Map
		w.tap = func(_, answer []byte) {
			if strings.Contains(string(answer), "disk is full") {
				answers.Store(strings.Contains(string(answer), `"retryable":true`), string(answer))
			}
		}
		k := &tank{}
		w.bootTank(k, 1, 2)
		w.await(time.Hour, "three agents", func(s *league.State) bool { return len(s.Agents) == 3 })
		k.full.Store(true)
		w.bootPlayer(3)
		for range 2 {
			if _, err := w.order(protocol.TypePauseLeague, ""); refusal(err) != "INTERNAL_ERROR -32603" {
				t.Errorf("an order: got %v", err)
			}
		}
		time.Sleep(30 * time.Second) // virtual
		if _, ok := answers.Load(true); !ok {
			t.Error("nobody was told that asking again helps")
		}
		if answer, ok := answers.Load(false); ok {
			t.Errorf("somebody was told that asking again does not help: %s", answer)
		}
		k.full.Store(false)
		w.await(time.Minute, "the third player", func(s *league.State) bool { return len(s.Agents) == 4 })
	})
}

func TestDrainDoesNotWaitForAFullDisk(t *testing.T) {
	inWorld(t, 2, rpctest.Faults{}, manager.Options{StartPlayers: 4, StartReferees: 1}, func(w *world) {
		k := &tank{}
		w.bootTank(k, 1, 4)
		w.await(time.Hour, "a result", func(s *league.State) bool { return s.Recorded > 0 })
		k.full.Store(true)
		w.awaitStatus("the pause", func(s protocol.LeagueStatus) bool { return s.Paused })
		start := time.Now()
		_ = w.manager.Orders.Drain(w.ctx, "admin")
		if took := time.Since(start); took > time.Second {
			t.Errorf("draining took %v although nothing can be recorded", took)
		}
	})
}

// A referee that cannot write stops reporting, and the log has nothing to write and so does not notice.
func TestNoRoomBesideTheLogPausesTheLeagueToo(t *testing.T) {
	var full atomic.Bool
	room := func() error {
		if full.Load() {
			return &engine.FullError{Place: "the disk in memory", Err: errors.New("no space left on device")}
		}
		return nil
	}
	inWorld(t, 3, rpctest.Faults{}, manager.Options{StartPlayers: 4, StartReferees: 1, Room: room}, func(w *world) {
		w.strategy = func(string) player.Strategy { return slow(3 * time.Second) }
		w.bootAll(1, 4)
		w.await(time.Hour, "a result", func(s *league.State) bool { return s.Recorded > 0 })
		full.Store(true)
		w.awaitStatus("the pause", func(s protocol.LeagueStatus) bool { return s.PauseReason == fullSentence })
		time.Sleep(time.Minute) // virtual
		before := w.state().Recorded
		time.Sleep(10 * time.Minute)
		if got := w.state().Recorded; got != before || !w.status().Paused {
			t.Errorf("%d further results were recorded in a paused league", got-before)
		}
		full.Store(false)
		if w.finish(time.Hour) {
			w.checkLaws()
		}
		if said, room := w.count(fullSentence), w.count("there is space again: the league continues"); said != 1 || room != 1 {
			t.Errorf("said %d times that it is full and %d times that it goes on, want once each", said, room)
		}
	})
}
