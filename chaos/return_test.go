//go:build !windows

package chaos_test

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"agentleague/engine/journal"
	"agentleague/league"
	"agentleague/rpc/rpctest"
)

// kits are how the players of `league new player` are run, by language.
var kits = map[string][]string{"go": {"./player"}, "python": {"python3", "player.py"}, "node": {"node", "player.mjs"}}

// An absence is the time between a kill of a player and its first word after it.
type absence struct{ from, to time.Time }

// A returner is a player that is killed again and again.
type returner struct {
	*agent
	id   string
	port int // where in args its port stands
	away []absence
}

// TestLongWhoeverIsKilledComesBackAsItself kills players of four kinds at random moments and restarts each with the
// same command, on the same port or another. Each keeps its identity, and forfeits only matches during which it was
// down.
func TestLongWhoeverIsKilledComesBackAsItself(t *testing.T) {
	t.Parallel()
	kills, cycles := 20, 12
	if long() {
		kills, cycles = 200, 60
	}
	rng := rand.New(rand.NewPCG(3, 9))
	s := openSeason(t, rng, 2, 5, cycles, 500*time.Millisecond)
	players := s.returners(rng)
	rpctest.Eventually(t, "the first result", func() bool { return recorded(s.root) > 0 })
	s.learnIDs(players)
	moved := 0
	for n := range kills {
		if over(s.root) {
			t.Fatalf("the league was over after %d kills, want %d", n, kills)
		}
		time.Sleep(time.Duration(rng.IntN(1000)) * time.Millisecond) // a random moment
		p := players[n%len(players)]
		if rng.IntN(2) == 0 {
			p.args[p.port] = port()
			moved++
		}
		p.comesBack(s)
	}
	s.finish()
	s.check()
	forfeits := s.checkReturns(players)
	t.Logf("%d kills, %d of them came back on another port, %d forfeits", kills, moved, forfeits)
}

// returners starts two players of ours and one of each kit.
func (s *season) returners(rng *rand.Rand) (out []*returner) {
	s.t.Helper()
	add := func(a *agent) {
		a.t = s.t
		a.args = append(a.args, "--name", a.name, "--manager", s.url, "--port", port())
		s.agents = append(s.agents, a.begin())
		out = append(out, &returner{agent: a, port: len(a.args) - 1})
	}
	for _, name := range []string{"Alpha", "Beta"} {
		add(&agent{name: name, argv: []string{program}, args: []string{"player", "--root", s.t.TempDir()}})
	}
	for lang, argv := range kits {
		add(&agent{name: "Kit in " + lang, dir: newKit(s.t, lang), argv: argv})
	}
	return out
}

// newKit writes a kit into a folder. That in Go is built.
func newKit(t *testing.T, lang string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), lang)
	if out, err := run("new", "player", dir, "--lang", lang); err != nil {
		t.Fatalf("league new player --lang %s: %v\n%s", lang, err, out)
	}
	if lang == "go" {
		build := exec.Command("go", rpctest.Build("-o", "player", ".")...)
		build.Dir = dir
		build.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off", "GOTOOLCHAIN=local")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("build the kit: %v\n%s", err, out)
		}
	}
	return dir
}

// learnIDs stores the ids of all players.
func (s *season) learnIDs(players []*returner) {
	s.t.Helper()
	st, err := state(s.root)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, p := range players {
		if p.id = idOf(st, p.name); p.id == "" {
			s.t.Fatalf("%s is not in the league", p.name)
		}
	}
}

func idOf(st *league.State, name string) string {
	for id, a := range st.Agents {
		if a.Name == name {
			return id
		}
	}
	return ""
}

// comesBack kills and restarts the player, and waits until the manager has readmitted it or the league is over.
func (p *returner) comesBack(s *season) {
	p.t.Helper()
	gone := absence{from: time.Now()}
	p.kill()
	before := len(p.said())
	p.start()
	rpctest.Eventually(p.t, p.name+" is registered again", func() bool {
		return strings.Contains(p.said()[before:], p.name+" is "+p.id) || over(s.root)
	})
	gone.to = time.Now()
	p.away = append(p.away, gone)
}

// checkReturns checks that each player kept its identity and its place, and lost no match by forfeit while it was up.
// It returns the number of forfeited matches.
func (s *season) checkReturns(players []*returner) (forfeits int) {
	s.t.Helper()
	st, err := state(s.root)
	if err != nil {
		s.t.Fatal(err)
	}
	if n := len(players); len(st.Agents) != n+2 {
		s.t.Errorf("the league has %d agents, want %d players and 2 referees", len(st.Agents), n)
	}
	for _, p := range players {
		if id := idOf(st, p.name); id != p.id {
			s.t.Errorf("%s was %s and is %q", p.name, p.id, id)
		}
		if a := st.Agents[p.id]; a.Why != "" {
			s.t.Errorf("%s is out of the league: %s", p.id, a.Why)
		}
	}
	opened := s.opened()
	for _, m := range st.Matches {
		for id, code := range m.Outcome.Result.Forfeits {
			forfeits++
			i := slices.IndexFunc(players, func(p *returner) bool { return p.id == id })
			if i < 0 || !players[i].awayBetween(opened[m.Round], m.EndedAt) {
				s.t.Errorf("%s forfeited %s (%s) although it was there", id, m.ID, code)
			}
		}
	}
	return forfeits
}

// opened is when each round was.
func (s *season) opened() map[int]time.Time {
	s.t.Helper()
	out := map[int]time.Time{}
	for e, err := range journal.ReadFile(journal.Path(filepath.Join(s.root, "data"), leagueID)) {
		if err != nil {
			s.t.Fatal(err)
		}
		at, events, err := league.DecodeBatch(e.Data)
		if err != nil {
			s.t.Fatal(err)
		}
		for _, event := range events {
			if r, ok := event.(league.RoundOpened); ok {
				out[r.Round] = at
			}
		}
	}
	return out
}

func (p *returner) awayBetween(from, to time.Time) bool {
	return slices.ContainsFunc(p.away, func(a absence) bool { return a.from.Before(to) && from.Before(a.to) })
}
