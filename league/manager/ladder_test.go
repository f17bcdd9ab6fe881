package manager_test

import (
	"os"
	"runtime"
	"testing"
	"time"

	"agentleague/format"
	"agentleague/league"
	"agentleague/league/calendar"
	"agentleague/league/manager"
	"agentleague/rpc/rpctest"
)

// An open ladder in virtual time: a day, or with LEAGUE_LONG a month. Players come and go, the manager is killed, and
// the ladder ends with the month. Each match takes the same room in the log and in memory, however long it has run.
func TestAnOpenLadderRunsForAMonth(t *testing.T) {
	end, every := 24*time.Hour, 12*time.Minute
	if os.Getenv("LEAGUE_LONG") != "" {
		end, every = 31*24*time.Hour, 10*time.Minute // the clock of the world begins with January
	}
	o := manager.Options{StartPlayers: 6, Schedule: format.Settings{Format: "ladder"}, MaxForfeits: -1,
		Calendar: calendar.Rules{EverySec: int(every.Seconds()), Zone: "UTC"}}
	inWorld(t, 31, rpctest.Faults{}, o, func(w *world) {
		w.bootAll(2, 6)
		w.await(time.Minute, "the start", func(s *league.State) bool { return s.Started() })
		first := w.sizeAfter(t, end/8)
		w.crash("P02")
		w.bootPlayer(7) // it joins late
		time.Sleep(end / 8)
		w.crash("LM")
		w.bootManager()
		w.bootPlayer(2)
		time.Sleep(end / 4)
		if err := w.manager.Orders.Withdraw(w.ctx, "P03", "admin"); err != nil {
			t.Fatal(err)
		}
		last := w.sizeAfter(t, end/2)
		var s *league.State
		if s = w.state(); s.Completed() != (end > 30*24*time.Hour) {
			t.Errorf("after %v the season is over: %v", end, s.Completed())
		}
		if rounds := int(end / every); s.Round < rounds-2 || s.Round > rounds+1 {
			t.Errorf("%d rounds in %v, want %d", s.Round, end, rounds)
		}
		if r := league.FinalRatings(s); len(r) != 7 {
			t.Errorf("got ratings %v, want those of seven players", r)
		}
		memory := w.leanSize() / s.Recorded
		t.Logf("%d matches, each with %d bytes in memory and %d in the log, at first %d", s.Recorded, memory, last, first)
		if last > first*3/2 || memory > 4000 {
			t.Errorf("a match takes %d bytes in memory and %d in the log, at first %d", memory, last, first)
		}
		w.noFindings("rating", "round", "state")
	})
}

// sizeAfter waits, and returns the bytes in the log of each match of that time.
func (w *world) sizeAfter(t *testing.T, wait time.Duration) int {
	t.Helper()
	count := func() (matches, size int) {
		for _, e := range w.disk.Entries(leagueID) {
			size += len(e.Data)
		}
		return w.state().Recorded, size
	}
	n, before := count()
	time.Sleep(wait)
	more, after := count()
	if more == n {
		t.Fatalf("no match in %v", wait)
	}
	return (after - before) / (more - n)
}

// leanSize returns the bytes in memory of the state that a manager keeps.
func (w *world) leanSize() int {
	heap := func() int {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	before, s := heap(), league.NewSummaryState()
	for _, e := range w.disk.Entries(leagueID) {
		at, events, err := league.DecodeLean(e.Data)
		if err != nil {
			w.t.Fatal(err)
		}
		for _, e := range events {
			if err := s.Apply(at, e); err != nil {
				w.t.Fatal(err)
			}
		}
	}
	size := heap() - before
	runtime.KeepAlive(s)
	return size
}
