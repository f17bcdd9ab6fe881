package chaos_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"agentleague/engine"
	"agentleague/league"
	"agentleague/rpc/rpctest"
)

// firstAgent is the machine of the first player that cannot be called: it listens on its own loopback address.
const firstAgent = 31

// TestLongAgentsBehindNATOutliveTheirManager plays a league in which two players cannot be called: one dialled the owner of
// the league, the other one another manager. One gets another address, the packets of the other are dropped for ten
// seconds, and the owner is killed and does not return before the league is over. Each loses at most a match by the last.
func TestLongAgentsBehindNATOutliveTheirManager(t *testing.T) {
	if !onOwnNetwork(t) {
		return
	}
	const id, players, cycles = "behind", 4, 4
	g := newGroup(t)
	if out, err := run("create", id, "--root", g.roots[0], "--manager", g.url(0)+"/mcp", "--players", fmt.Sprint(players),
		"--referees", "2", "--cycles", fmt.Sprint(cycles)); err != nil {
		t.Fatalf("create: %v: %s", err, out)
	}
	g.leagues, g.players = []string{id}, players-2
	t.Cleanup(g.tellUnfinished)
	ctx, stop := context.WithCancel(t.Context())
	var crew sync.WaitGroup
	defer crew.Wait()
	defer stop()
	g.seat(ctx, &crew, 2*time.Second)
	owner := g.owned(id).manager
	var behind []*agent
	for n, at := range []int{owner, (owner + 1) % 3} {
		p := g.on(firstAgent+n, fmt.Sprint("behind ", n+1), program, "player", "--root", filepath.Join(t.TempDir(), "SHARED"), "--port", "0",
			"--name", fmt.Sprint("Behind ", n+1), "--manager", g.url(at)+"/leagues/"+id+"/mcp")
		rpctest.Eventually(t, "a mailbox", func() bool { return strings.Contains(p.said(), " at mailbox:") })
		behind = append(behind, p)
	}
	rpctest.Eventually(t, "the first result", func() bool { return len(g.owned(id).results) > 0 })
	reconnects := func(what string, n int, fault func()) {
		t.Helper()
		connections := func() int { return strings.Count(behind[n].said(), "connected with the mailbox") }
		before, began := connections(), time.Now()
		fault()
		rpctest.Eventually(t, "a new connection after "+what, func() bool { return connections() > before })
		t.Logf("%s: behind %d is connected again after %v", what, n+1, time.Since(began).Round(100*time.Millisecond))
	}
	reconnects("another address", 0, func() { g.lan.renumber(firstAgent, firstAgent+10) })
	reconnects("10 s without a packet", 1, func() {
		g.lan.cut(firstAgent + 1)
		time.Sleep(10 * time.Second)
		g.lan.join(firstAgent + 1)
	})
	if n := lost(t, g, id); n > 0 {
		t.Errorf("%d matches had a forfeit before the manager was killed", n)
	}
	reconnects("kill -9 of the owner", 0, func() {
		reconnects("kill -9 of the owner", 1, func() { g.managers[owner].kill() })
	})
	rpctest.Until(t, "the end of the league", g.recorded)
	n, matches := lost(t, g, id), len(g.folded(id).Matches)
	t.Logf("%d matches, %d with a forfeit", matches, n)
	if n > len(behind) || matches != cycles*players*(players-1)/2 {
		t.Error("more than the match in hand was lost")
	}
}

// folded returns a league from the newest copy of its log.
func (g *group) folded(id string) *league.State {
	g.t.Helper()
	s, err := league.Fold(func(yield func(engine.Entry, error) bool) {
		for e := range g.logIn(g.newestRoot(id), id) {
			if !yield(e, nil) {
				return
			}
		}
	})
	if err != nil {
		g.t.Fatal(err)
	}
	return s
}

// lost returns the number of recorded matches with a forfeit.
func lost(t *testing.T, g *group, id string) (n int) {
	t.Helper()
	for _, m := range g.folded(id).Matches {
		if m.Outcome != nil && len(m.Outcome.Result.Forfeits) > 0 {
			n++
			t.Logf("%s: forfeits %v", m.ID, m.Outcome.Result.Forfeits)
		}
	}
	return n
}
