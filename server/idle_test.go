package server

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"agentleague/host"
	"agentleague/league"
	"agentleague/protocol"
	"agentleague/rpc/rpctest"
)

// A load is the cost of leagues for a process.
type load struct{ bytes, goroutines, files float64 }

// loadNow measures the live state: memory of the heap and of stacks, goroutines, and open files of this process below a
// folder.
func loadNow(dir string) load {
	runtime.GC()
	runtime.GC() // memory that the first one has released
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	open := 0
	links, _ := os.ReadDir("/proc/self/fd")
	for _, link := range links {
		if name, err := os.Readlink("/proc/self/fd/" + link.Name()); err == nil && strings.HasPrefix(name, dir) {
			open++
		}
	}
	return load{float64(m.HeapAlloc + m.StackInuse), float64(runtime.NumGoroutine()), float64(open)}
}

// per returns the cost of each of n leagues that were added since before.
func (now load) per(n int, before load) load {
	of := float64(n)
	return load{(now.bytes - before.bytes) / of, (now.goroutines - before.goroutines) / of, (now.files - before.files) / of}
}

// makeIdle makes n leagues that wait for their players.
func makeIdle(t testing.TB, c *Server, n int) {
	t.Helper()
	for i := range n {
		_, err := c.Organizer.Create(t.Context(), &protocol.CreateLeague{
			Envelope: protocol.Envelope{LeagueID: fmt.Sprintf("idle_%d", i)}, Players: 4,
		}, "admin")
		if err != nil {
			t.Fatal(err)
		}
	}
}

// closeIdle closes all leagues of a server that rest.
func closeIdle(t testing.TB, c *Server) {
	t.Helper()
	rpctest.Eventually(t, "leagues to be closed", func() bool {
		c.Leagues.closeResting(time.Now())
		return len(c.Leagues.Running()) == 1
	})
}

// The cost of a league that waits for players: while it is open, and from a minute after the last request on.
func BenchmarkIdleLeague(b *testing.B) {
	const n = 1000
	for b.Loop() {
		b.StopTimer()
		c := openServer(b, "even_odd", nil, 2)
		before := loadNow(c.env.Dir())
		b.StartTimer()
		start := time.Now()
		makeIdle(b, c, n)
		b.ReportMetric(n/time.Since(start).Seconds(), "created/s")
		open := loadNow(c.env.Dir()).per(n, before)
		b.ReportMetric(open.bytes, "B/open")
		b.ReportMetric(open.goroutines, "goroutines/open")
		closeIdle(b, c)
		shut := loadNow(c.env.Dir()).per(n, before)
		b.ReportMetric(shut.bytes, "B/idle")
		b.ReportMetric(shut.goroutines, "goroutines/idle")
		b.ReportMetric(shut.files, "files/idle")
	}
}

// An idle league costs no goroutine, and with it no timer that one waits for, no file, and at most 20 KiB.
func TestIdleLeaguesCostNextToNothing(t *testing.T) { // not parallel: others have goroutines and memory too
	const n = 40
	c := openServer(t, "even_odd", nil, 2)
	awaitReferee(t, c) // with all that the process keeps for its first agent
	makeIdle(t, c, 1)  // state that is created once for all leagues
	closeIdle(t, c)
	before := loadNow(c.env.Dir())
	for i := range n {
		createLeague(t, c, protocol.CreateLeague{Envelope: protocol.Envelope{LeagueID: fmt.Sprintf("quiet_%d", i)}, Players: 4})
	}
	closeIdle(t, c)
	var got load
	defer func() { t.Logf("each: %+v", got) }()
	rpctest.Eventually(t, "what they had to be let go", func() bool {
		got = loadNow(c.env.Dir()).per(n, before)
		return got.goroutines < 0.5 && got.files < 0.1 && got.bytes <= 20<<10
	})
}

// A waiting league that was closed is opened by the first player that joins, and played. Opening alone writes nothing.
func TestAnIdleLeagueIsPlayedWhenItsPlayersCome(t *testing.T) {
	t.Parallel()
	c := openServer(t, "even_odd", nil, 2)
	id := createLeague(t, c, protocol.CreateLeague{Envelope: protocol.Envelope{LeagueID: "later"}, Players: 2})
	closeIdle(t, c)
	if got := c.Leagues.vacant(""); len(got) != 2 {
		t.Errorf("these can be joined: %v, want the first league and the idle one", got)
	}
	l, err := c.Leagues.Visit(id)
	if err != nil {
		t.Fatal(err)
	}
	was := l.Manager.Sequence()
	closeIdle(t, c)
	if l, err = c.Leagues.Visit(id); err != nil || l.Manager.Sequence() != was {
		t.Errorf("its log has %d entries, want %d: %v", l.Manager.Sequence(), was, err)
	}
	closeIdle(t, c)

	endpoint := c.endpoint(id)
	ctx, stop := context.WithCancel(t.Context())
	agents := host.NewCrew(ctx)
	env := c.env.Of(l.Env.League)
	agents.Start(func(ready func(id, at string)) error {
		return env.RunReferee(ctx, host.Referee{Agent: host.Agent{Name: "Judge", LeagueID: id, OneSeason: true}, MaxMatches: 2}, endpoint, ready)
	})
	for n := range 2 {
		agents.Start(func(ready func(id, at string)) error {
			mind, err := host.StrategyFor("random", "even_odd")
			if err != nil {
				return err
			}
			a := host.Agent{Name: fmt.Sprintf("Player %d", n), LeagueID: id, Game: "even_odd", OneSeason: true}
			return env.RunPlayer(ctx, host.Player{Agent: a, Strategy: mind}, endpoint, ready)
		})
	}
	rpctest.Eventually(t, "the end of the league", func() (over bool) {
		if l := c.Leagues.Opened(id); l != nil {
			l.Manager.Read(func(s *league.State) { over = s.Completed() })
		}
		return over
	})
	stop()
	agents.Wait()
}
