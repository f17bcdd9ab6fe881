package chaos_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"agentleague/engine"
	"agentleague/engine/journal"
	"agentleague/league"
	"agentleague/rpc/rpctest"
)

// The aim is that a league goes on within five seconds of its manager's death. A machine with more to do than it can
// takes longer over everything: the middle one of ten takeovers may take so much more.
const (
	takeoverAim  = 5 * time.Second
	takeoverBusy = 10 * time.Second
)

// TestLongALeagueGoesOnSecondsAfterItsManagerIsKilled kills the manager of a league ten times and logs how long each
// takeover took, until the next manager has recorded a result according to the log.
func TestLongALeagueGoesOnSecondsAfterItsManagerIsKilled(t *testing.T) {
	if !onOwnNetwork(t) {
		return
	}
	g := newGroup(t)
	id := g.createEndless("takeover", 4)
	ctx, stop := context.WithCancel(t.Context())
	var crew sync.WaitGroup
	defer crew.Wait()
	defer stop()
	g.seat(ctx, &crew, 200*time.Millisecond)
	rpctest.Eventually(t, "the first result", func() bool { return !g.owned(id).resultAfter(time.Time{}).IsZero() })
	var took []time.Duration
	for range 10 {
		took = append(took, g.takeover(id))
	}
	slices.Sort(took)
	t.Logf("from the death of a league's manager to the next result: %v; half of them within %v",
		took, took[len(took)/2])
	if took[len(took)/2] > takeoverAim+takeoverBusy {
		t.Errorf("half of the takeovers took longer than %v, want %v on a machine with nothing else to do",
			took[len(took)/2], takeoverAim)
	}
	resultsIn(t, g.newestRoot(id), id)
}

// createEndless makes a league that is not over before the test is.
func (g *group) createEndless(id string, players int) string {
	g.t.Helper()
	out, err := run("create", id, "--root", g.roots[0], "--manager", g.url(0)+"/mcp", "--players", fmt.Sprint(players),
		"--referees", "2", "--cycles", "500")
	if err != nil {
		g.t.Fatalf("create %s: %v: %s", id, err, out)
	}
	g.leagues, g.players = []string{id}, players
	return id
}

// takeover kills the manager of a league, waits until another has recorded a result, and starts the killed one again. It
// returns the time from the one to the other.
func (g *group) takeover(id string) time.Duration {
	g.t.Helper()
	was := g.owned(id)
	victim := g.managers[was.manager]
	killed := time.Now()
	victim.kill()
	var next time.Time
	rpctest.Eventually(g.t, "a result of the next manager", func() bool {
		now := g.owned(id)
		next = now.resultAfter(killed)
		return now.manager != was.manager && !next.IsZero()
	})
	victim.start()
	rpctest.Eventually(g.t, "its return", func() bool { return strings.Count(victim.said(), "Watch it at") == victim.lives })
	return next.Sub(killed).Round(10 * time.Millisecond)
}

// A tenure is the list of results that a league's newest manager has recorded.
type tenure struct {
	manager int         // which of the group's
	results []time.Time // when they were
}

// resultAfter is the time of the first result after a moment; zero: there is none.
func (o tenure) resultAfter(t time.Time) time.Time {
	for _, at := range o.results {
		if at.After(t) {
			return at
		}
	}
	return time.Time{}
}

// owned returns the league's owner and the results that it has recorded, from the newest copy of the log.
func (g *group) owned(id string) (out tenure) {
	for e := range g.logIn(g.newestRoot(id), id) {
		at, events, err := league.DecodeBatch(e.Data)
		if err != nil {
			g.t.Fatal(err)
		}
		for _, event := range events {
			switch event := event.(type) {
			case league.Epoch:
				holds := func(n int) bool { return strings.HasPrefix(event.Holder, g.url(n)+"/") }
				out = tenure{manager: slices.IndexFunc([]int{0, 1, 2}, holds)}
			case league.ResultRecorded:
				out.results = append(out.results, at)
			}
		}
	}
	return out
}

// newestRoot returns the root with the longest copy of a league's log.
func (g *group) newestRoot(id string) string {
	return slices.MaxFunc(g.roots, func(a, b string) int { return g.length(a, id) - g.length(b, id) })
}

// length is how many entries of a log a root has.
func (g *group) length(root, id string) (n int) {
	for range g.logIn(root, id) {
		n++
	}
	return n
}

// logIn yields a root's entries of a log. A copy that is being written may end in the middle of a line.
func (g *group) logIn(root, id string) func(yield func(engine.Entry) bool) {
	return func(yield func(engine.Entry) bool) {
		for e, err := range journal.ReadFile(journal.Path(filepath.Join(root, "data"), id)) {
			if err != nil || !yield(e) {
				return
			}
		}
	}
}
