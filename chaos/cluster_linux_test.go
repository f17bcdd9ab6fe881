package chaos_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"agentleague/engine/journal"
	"agentleague/league"
	"agentleague/rpc/rpctest"
)

// A group is a cluster of managers and NATS servers, each a process on a simulated machine, with referees and players
// on this one.
type group struct {
	t        *testing.T
	lan      *lan
	nats     []*agent
	stores   []string // of the NATS servers
	managers []*agent
	roots    []string // of the managers
	engine   string   // the address of the cluster
	leagues  []string
	players  int // in each league
}

// The machines of the network: NATS servers are at 11 and up, managers at 21 and up.
const (
	firstNode    = 11
	firstManager = 21
	natsPort     = 4222
	managerPort  = 8000
)

// newGroup starts three of each.
func newGroup(t *testing.T) *group {
	t.Helper()
	g := &group{t: t, lan: newLAN(t)}
	server := filepath.Join(filepath.Dir(program), natsServer)
	for n := range 3 {
		g.nats = append(g.nats, g.on(firstNode+n, "nats", server, "-c", g.natsConfig(n)))
	}
	g.engine = fmt.Sprintf("nats://%s:%d,%s:%d,%s:%d?monitor=%s,%s,%s&partitions=4",
		g.lan.address(11), natsPort, g.lan.address(12), natsPort, g.lan.address(13), natsPort,
		g.monitor(0), g.monitor(1), g.monitor(2))
	for n := range 3 {
		g.managers = append(g.managers, g.manager(n, program))
	}
	for n := range 3 {
		rpctest.Eventually(t, "a manager", func() bool { return strings.Contains(g.managers[n].said(), "Watch it at") })
	}
	return g
}

// manager starts a manager with a new root on a machine of its own.
func (g *group) manager(n int, program string) *agent {
	g.t.Helper()
	g.roots = append(g.roots, filepath.Join(g.t.TempDir(), "SHARED"))
	return g.on(firstManager+n, "manager", program, "manager", "--root", g.roots[n], "--host", g.lan.address(firstManager+n), "--port",
		fmt.Sprint(managerPort), "--allow", g.lan.address(0)+"/24", "--engine", g.engine, "--insecure-nats")
}

// natsServer is the name of the program that buildNATS builds.
const natsServer = "nats-server"

// buildNATS builds the NATS server of the module that go.mod names into a folder, unless it is there.
func buildNATS(t *testing.T, dir string) {
	t.Helper()
	path := filepath.Join(dir, natsServer)
	if _, err := os.Stat(path); err == nil {
		return
	}
	if out, err := exec.Command("go", "build", "-o", path, "github.com/nats-io/nats-server/v2").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// on starts a program on a machine.
func (g *group) on(machine int, name string, argv ...string) *agent {
	g.t.Helper()
	return (&agent{t: g.t, name: name, argv: append(g.lan.add(machine), argv[0]), args: argv[1:]}).begin()
}

// monitor returns the address of a NATS server's monitoring page.
func (g *group) monitor(n int) string {
	return fmt.Sprintf("http://%s:8222", g.lan.address(firstNode+n))
}

// natsConfig writes the settings of a NATS server, and returns their file.
func (g *group) natsConfig(n int) string {
	g.t.Helper()
	dir, at := g.t.TempDir(), g.lan.address(firstNode+n)
	g.stores = append(g.stores, filepath.Join(dir, "store"))
	text := fmt.Sprintf("server_name: n%d\nlisten: %s:%d\nhttp: %s:8222\njetstream { store_dir: %q, sync_interval: always }\n"+
		"cluster { name: test, listen: %s:6222, routes: [nats://%s:6222, nats://%s:6222, nats://%s:6222] }\n",
		n+1, at, natsPort, at, g.stores[n], at, g.lan.address(11), g.lan.address(12), g.lan.address(13))
	path := filepath.Join(dir, "nats.conf")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		g.t.Fatal(err)
	}
	return path
}

// url is the address of a manager.
func (g *group) url(n int) string {
	return fmt.Sprintf("http://%s:%d", g.lan.address(firstManager+n%3), managerPort)
}

// healthy waits until a NATS server has the state of the others.
func (g *group) healthy(n int) {
	g.t.Helper()
	rpctest.Eventually(g.t, "a NATS server that is back", func() bool {
		resp, err := (&http.Client{Timeout: 2 * time.Second}).Get(g.monitor(n) + "/healthz")
		if err != nil {
			return false
		}
		_ = resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
}

// create makes leagues, each at another manager.
func (g *group) create(leagues, players int) {
	g.t.Helper()
	g.players = players
	for n := range leagues {
		id := fmt.Sprintf("l%02d", n+1)
		out, err := run("create", id, "--root", g.roots[n%3], "--manager", g.url(n)+"/mcp", "--players", fmt.Sprint(players),
			"--referees", "2")
		if err != nil {
			g.t.Fatalf("create %s: %v: %s", id, err, out)
		}
		g.leagues = append(g.leagues, id)
	}
}

// recorded is how many results all leagues have by the word of a manager that answers, and whether all are over.
func (g *group) recorded() (results int, over bool) {
	for n := range 3 {
		resp, err := (&http.Client{Timeout: 5 * time.Second}).Get(g.url(n) + "/api/v1/leagues")
		if err != nil {
			continue
		}
		text, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		var list struct {
			Leagues []struct {
				ID      string `json:"league_id"`
				State   string
				Results int `json:"matches_recorded"`
			}
		}
		if err != nil || json.Unmarshal(text, &list) != nil {
			continue
		}
		finished := 0
		for _, l := range list.Leagues {
			results += l.Results
			if l.State == "LEAGUE_COMPLETED" {
				finished++
			}
		}
		return results, finished == len(g.leagues)
	}
	return 0, false
}

// goesOn waits until results are recorded that were not before.
func (g *group) goesOn(what string) {
	g.t.Helper()
	before, _ := g.recorded()
	start := time.Now()
	rpctest.Eventually(g.t, "a result after "+what, func() bool {
		now, over := g.recorded()
		return now > before || over
	})
	g.t.Logf("%s: goes on after %v", what, time.Since(start).Round(100*time.Millisecond))
}

// wholeRoots returns the roots that have all of a league: its log to the end, and all records.
func (g *group) wholeRoots(id string) (out []string) {
	for _, root := range g.roots {
		s, err := league.Fold(journal.ReadFile(journal.Path(filepath.Join(root, "data"), id)))
		if err != nil || !s.Completed() {
			continue
		}
		records, err := os.ReadDir(filepath.Join(root, "data/matches", id))
		if err == nil && len(records) == g.players*(g.players-1)/2 {
			out = append(out, root)
		}
	}
	return out
}

// check holds every league against its log and records: each match has one result, and all follows from the files.
func (g *group) check() {
	g.t.Helper()
	matches := g.players * (g.players - 1) / 2
	for _, id := range g.leagues {
		rpctest.Eventually(g.t, "all of "+id+" in the root of its manager", func() bool { return g.isWhole(id) })
		if n := resultsIn(g.t, g.wholeRoots(id)[0], id); n != matches {
			g.t.Errorf("%s: %d results in the log, want %d", id, n, matches)
		}
	}
	var all sync.WaitGroup
	limit := make(chan struct{}, 2)
	for _, id := range g.leagues {
		all.Go(func() {
			limit <- struct{}{}
			defer func() { <-limit }()
			g.verify(id)
		})
	}
	all.Wait()
}

// isWhole opens a league on its owner and reports whether a root has all of it.
func (g *group) isWhole(id string) bool {
	for n := range 3 {
		resp, err := (&http.Client{Timeout: 20 * time.Second}).Get(g.url(n) + "/leagues/" + id)
		if err == nil {
			_ = resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				break
			}
		}
	}
	return len(g.wholeRoots(id)) > 0
}

// verify proves a league from the root of its manager. Other roots may have all of it too, but older tables.
func (g *group) verify(id string) {
	g.t.Helper()
	var said string
	for _, root := range g.wholeRoots(id) {
		out, err := run("verify", "--root", root, "--league-id", id)
		if err == nil {
			return
		}
		said += out
	}
	g.t.Errorf("verify %s: %s", id, said)
}

// resultsIn counts the events in a log that give a match a result, and fails if a match has two.
func resultsIn(t *testing.T, root, id string) int {
	t.Helper()
	seen := map[string]bool{}
	for e, err := range journal.ReadFile(journal.Path(filepath.Join(root, "data"), id)) {
		if err != nil {
			t.Fatal(err)
		}
		_, events, err := league.DecodeBatch(e.Data)
		if err != nil {
			t.Fatal(err)
		}
		for _, event := range events {
			if r, ok := event.(league.ResultRecorded); ok {
				if seen[r.Match] {
					t.Errorf("%s: %s has two results", id, r.Match)
				}
				seen[r.Match] = true
			}
		}
	}
	return len(seen)
}

// play plays new leagues with all agents, disturbs the cluster during play, and compares the outcome with the files.
func (g *group) play(leagues, players int, think time.Duration, meanwhile func()) {
	g.t.Helper()
	g.create(leagues, players)
	g.t.Cleanup(g.tellUnfinished)
	ctx, stop := context.WithCancel(g.t.Context())
	var crew sync.WaitGroup
	defer crew.Wait()
	defer stop()
	g.seat(ctx, &crew, think)
	rpctest.Eventually(g.t, "the first result", func() bool { n, _ := g.recorded(); return n > 0 })
	meanwhile()
	rpctest.Until(g.t, "the end of all leagues", g.recorded)
	g.check()
}

// tellUnfinished shows which leagues the managers list as not over, if the test has failed.
func (g *group) tellUnfinished() {
	for n := 0; n < 3 && g.t.Failed(); n++ {
		resp, err := (&http.Client{Timeout: 5 * time.Second}).Get(g.url(n) + "/api/v1/leagues?state=open")
		if err != nil {
			g.t.Logf("manager %d: %v", n+1, err)
			continue
		}
		text, err := io.ReadAll(io.LimitReader(resp.Body, 8<<10))
		_ = resp.Body.Close()
		g.t.Logf("manager %d lists %s %v", n+1, text, err)
	}
}

// TestLongClusterLosesManagersAndNodes kills the managers and the NATS servers of a cluster in turn, and cuts one of each
// off for ten seconds, while leagues are played: every match is recorded once, and everything can be verified.
func TestLongClusterLosesManagersAndNodes(t *testing.T) {
	if !onOwnNetwork(t) {
		return
	}
	leagues, players, think := 4, 6, 8*time.Second
	if os.Getenv("CI") == "true" || os.Getenv("LEAGUE_LONG") != "" {
		leagues, players, think = 20, 10, 4*time.Second
	}
	g := newGroup(t)
	g.play(leagues, players, think, func() {
		for n := range 3 {
			g.managers[n].kill()
			g.goesOn(fmt.Sprintf("the death of manager %d", n+1))
			g.managers[n].start()
			g.nats[n].kill()
			g.goesOn(fmt.Sprintf("the death of NATS server %d", n+1))
			g.nats[n].start()
			g.healthy(n) // the next one may not go before: two of three have to be there
		}
		for _, machine := range []int{firstManager, firstNode} {
			g.lan.cut(machine)
			enough := time.After(10 * time.Second)
			g.goesOn(fmt.Sprintf("the cut at machine %d", machine))
			<-enough
			g.lan.join(machine)
			g.goesOn(fmt.Sprintf("the return of machine %d", machine))
		}
	})
}

// TestLongClusterIsRestartedManagerByManager interrupts one manager after the other, as for an update: it finishes its
// open work and hands its leagues over. Nothing is lost, duplicated or forfeited.
func TestLongClusterIsRestartedManagerByManager(t *testing.T) {
	if !onOwnNetwork(t) {
		return
	}
	g := newGroup(t)
	g.play(3, 6, 4*time.Second, func() {
		for n, m := range g.managers {
			if err := m.interrupt(); err != nil {
				t.Errorf("manager %d ended with %v", n+1, err)
			}
			g.goesOn(fmt.Sprintf("the end of manager %d", n+1))
			m.start()
			rpctest.Eventually(t, "its return", func() bool { return strings.Count(m.said(), "Watch it at") == m.lives })
		}
	})
	for _, id := range g.leagues {
		s, err := league.Fold(journal.ReadFile(journal.Path(filepath.Join(g.wholeRoots(id)[0], "data"), id)))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range s.Matches {
			if len(m.Outcome.Result.Forfeits) > 0 || len(m.Assigned) > 1 {
				t.Errorf("%s of %s was played %d times, forfeits %v", m.ID, id, len(m.Assigned), m.Outcome.Result.Forfeits)
			}
		}
	}
}
