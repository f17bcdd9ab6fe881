package manager_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"agentleague/engine/line"
	"agentleague/engine/sim"
	"agentleague/league/manager"
	"agentleague/rpc"
	"agentleague/rpc/rpctest"
)

// A cost is the cost of a league per match: the figures from which docs/guide/operating.md computes the cost of
// thousands of leagues.
type cost struct {
	exchanges float64 // calls between agents, registration and news among them
	appends   float64 // entries of the log
	bytes     float64 // of the log, as it stands on a disk
}

// simulated plays a league of that number of players in virtual time, with a referee for every four of them, and
// counts.
func simulated(t *testing.T, seed uint64, players int) (c cost, matches int) {
	t.Helper()
	var calls atomic.Int64
	o := manager.Options{StartPlayers: players, StartReferees: (players + 3) / 4}
	inWorld(t, seed, rpctest.Faults{Delay: 5 * time.Millisecond}, o, func(w *world) {
		w.tap = func([]byte, []byte) { calls.Add(1) }
		w.bootAll(o.StartReferees, players)
		if !w.finish(6 * time.Hour) {
			t.Error("the league does not end")
		}
		matches = players * (players - 1) / 2
		for _, e := range w.disk.Entries(leagueID) {
			c.appends++
			c.bytes += float64(len(line.Append(nil, e.Seq, line.Hash{}, time.Now(), line.Ready(e.Data))) + 1)
		}
	})
	n := float64(matches)
	return cost{float64(calls.Load()) / n, c.appends / n, c.bytes / n}, matches
}

// The figures of the guide for operators are measured here: leagues of several sizes, played by the real manager,
// referees and players in virtual time.
func TestLeaguesCostWhatTheOperatorsGuideSays(t *testing.T) {
	t.Parallel()
	for _, players := range []int{4, 8, 16} {
		checkCost(t, players)
	}
}

// A larger one, too: a match of it costs less.
func TestLongALargerLeagueCostsWhatTheOperatorsGuideSays(t *testing.T) {
	t.Parallel()
	checkCost(t, 40)
}

// checkCost plays a league and holds its row of the guide's table against it.
func checkCost(t *testing.T, players int) {
	t.Helper()
	c, matches := simulated(t, 1, players)
	t.Logf("%d players, %d matches: for a match %.1f exchanges, %.2f appends, %.0f bytes of log", players, matches, c.exchanges,
		c.appends, c.bytes)
	said := guideRow(t, players)
	for what, pair := range map[string][2]float64{
		"exchanges": {c.exchanges, said.exchanges}, "appends": {c.appends, said.appends}, "bytes": {c.bytes, said.bytes},
	} {
		if is, wrote := pair[0], pair[1]; math.Abs(is-wrote) > wrote/20 {
			t.Errorf("%d players: a match takes %.2f %s; docs/guide/operating.md says %.2f", players, is, what, wrote)
		}
	}
}

// guideRow returns the guide's row for leagues of that number of players.
func guideRow(t *testing.T, players int) cost {
	t.Helper()
	text, err := os.ReadFile("../../docs/guide/operating.md")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile(fmt.Sprintf(`(?m)^\| %d \| ([\d.]+) \| ([\d.]+) \| ([\d,]+) \|$`, players)).FindSubmatch(text)
	if row == nil {
		t.Fatalf("docs/guide/operating.md has no row of simulated leagues of %d players", players)
	}
	number := func(b []byte) float64 {
		n, err := strconv.ParseFloat(strings.ReplaceAll(string(b), ",", ""), 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	return cost{number(row[1]), number(row[2]), number(row[3])}
}

// A thousand leagues that wait for their players are open in one process; this is the memory of each without a server.
func TestAnOpenLeagueHoldsLittleMemory(t *testing.T) {
	const leagues = 200
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		net := rpctest.NewNetwork(1, synctest.Wait, rpctest.Faults{})
		p := net.Boot("LM", "http://localhost:8000/mcp")
		disk := sim.New(1).Open(sim.Options{})
		before := heap()
		var open []*manager.Manager
		for n := range leagues {
			m, err := manager.Open(ctx, disk, manager.Options{
				Options: rpc.Options{Network: p}, LeagueID: fmt.Sprintf("league_%d", n), Endpoint: "http://localhost:8000/mcp",
				AdminToken: adminToken, Holder: "LM", StartPlayers: 4, StartReferees: 1, Window: -1,
			})
			if err != nil {
				t.Fatal(err)
			}
			open = append(open, m)
		}
		synctest.Wait()
		each := (heap() - before) / leagues
		t.Logf("an open league that waits for its players holds %d bytes", each)
		if each > 256<<10 {
			t.Errorf("an open league holds %d bytes, want at most 256 KiB", each)
		}
		stop()
		p.Crash()
		for _, m := range open {
			m.Wait()
		}
	})
}

// heap returns the live heap.
func heap() int64 {
	var s runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&s)
	return int64(s.HeapAlloc)
}
