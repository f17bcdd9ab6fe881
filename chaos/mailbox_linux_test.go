package chaos_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"agentleague/engine/journal"
	"agentleague/league"
	"agentleague/rpc/rpctest"
)

// firstAgent is the machine of the first player that cannot be called: it listens on its own loopback address.
const firstAgent = 31

// TestLongAgentsBehindNATOutliveTheirManager kills the owner of a league in which two players cannot be called: one dialled
// the owner, the other one another manager. The owner does not return before the league is over. Each of the two loses at
// most the match in hand.
func TestLongAgentsBehindNATOutliveTheirManager(t *testing.T) {
	if !onOwnNetwork(t) {
		return
	}
	const id, players, cycles = "behind", 4, 3
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
	killed := time.Now()
	g.managers[owner].kill()
	for n, p := range behind {
		rpctest.Eventually(t, "a new connection", func() bool { return strings.Count(p.said(), "connected with the mailbox") > 1 })
		t.Logf("behind %d is connected again after %v", n+1, time.Since(killed).Round(100*time.Millisecond))
	}
	rpctest.Until(t, "the end of the league", g.recorded)
	lost := 0
	s, err := league.Fold(journal.ReadFile(journal.Path(filepath.Join(g.newestRoot(id), "data"), id)))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range s.Matches {
		if len(m.Outcome.Result.Forfeits) == 0 {
			continue
		}
		lost++
		t.Logf("%s: forfeits %v", m.ID, m.Outcome.Result.Forfeits)
	}
	t.Logf("%d matches, %d with a forfeit", len(s.Matches), lost)
	if lost > len(behind) || len(s.Matches) != cycles*players*(players-1)/2 {
		t.Error("more than the match in hand was lost")
	}
}
