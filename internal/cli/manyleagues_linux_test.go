package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"agentleague/client"
	"agentleague/host"
	"agentleague/protocol"
	"agentleague/rpc/rpctest"
	"agentleague/store"
)

// A tournament is a set of leagues on one manager process, with one referee process for all of them, and players in
// this process on one port.
type tournament struct {
	t       *testing.T
	manager *process
	admin   *admin
	env     *host.Env
	mux     *host.PathMux
	crew    *host.Crew
}

// newTournament starts a manager and a referee with that number of slots.
func newTournament(t *testing.T, slots int) *tournament {
	t.Helper()
	root := t.TempDir()
	x := &tournament{t: t, mux: host.NewPathMux()}
	x.manager = start(t, "manager", "--root", root, "--port", "0", "--start-after", "1h")
	x.admin = newAdmin(t, root, x.manager.endpoint())
	start(t, "referee", "--root", root, "--port", "0", "--manager", x.admin.manager, "--every-league",
		"--max-matches", strconv.Itoa(slots))
	kept, err := store.Open(filepath.Join(t.TempDir(), "SHARED"), host.Games())
	if err != nil {
		t.Fatal(err)
	}
	x.env = &host.Env{Root: kept, Net: &host.Net{Host: "localhost"}, Screen: io.Discard, Level: slog.LevelError}
	if x.env.System, err = kept.Config().System(); err != nil {
		t.Fatal(err)
	}
	if x.env.League, err = kept.Config().League(kept.DefaultLeague()); err != nil {
		t.Fatal(err)
	}
	server, err := x.env.Net.Listen(0, "the players")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	x.mux.Open(server.URL(), http.NotFoundHandler())
	at := host.Serve(ctx, server, x.mux)
	x.crew = host.NewCrew(ctx)
	t.Cleanup(func() { stop(); x.crew.Wait(); <-at.Ended })
	return x
}

// create creates leagues with that number of players, several concurrently, and logs the rate.
func (x *tournament) create(prefix string, leagues, players int) {
	x.t.Helper()
	began := time.Now()
	var all sync.WaitGroup
	next := make(chan int)
	for range 8 {
		all.Go(func() {
			for n := range next {
				if _, err := x.admin.create(fmt.Sprintf("%s_%d", prefix, n), protocol.CreateLeague{Players: players, Referees: 1}); err != nil {
					x.t.Errorf("%s_%d: %v", prefix, n, err)
				}
			}
		})
	}
	for n := range leagues {
		next <- n
	}
	close(next)
	all.Wait()
	x.t.Logf("%d leagues created at %.0f/s", leagues, float64(leagues)/time.Since(began).Seconds())
}

// enter sends the players of leagues in, league by league.
func (x *tournament) enter(prefix string, leagues, players int) {
	for n := range leagues {
		id := fmt.Sprintf("%s_%d", prefix, n)
		endpoint := x.admin.manager[:len(x.admin.manager)-len("mcp")] + "leagues/" + id + "/mcp"
		h := x.env.Of(x.env.League.After(id))
		for k := range players {
			mind, err := host.StrategyFor("random", "even_odd")
			if err != nil {
				x.t.Fatal(err)
			}
			a := host.Agent{Shared: x.mux, Path: fmt.Sprintf("/p/%s-%d", id, k), Name: fmt.Sprintf("Player %d", k), LeagueID: id,
				Suffix: id, Game: "even_odd", OneSeason: true}
			x.crew.Enter(func(ready func(id, at string), ended func(error)) {
				h.StartPlayer(x.crew.Context, host.Player{Agent: a, Strategy: mind}, endpoint, ready, ended)
			})
		}
	}
}

// await waits until that number of leagues with a name prefix is over, and returns the time since began.
func (x *tournament) await(prefix string, leagues int, began time.Time) time.Duration {
	x.t.Helper()
	asks := &client.Client{Manager: x.admin.manager}
	rpctest.Until(x.t, fmt.Sprintf("the end of %d leagues", leagues), func() (ended int, all bool) {
		if err := context.Cause(x.crew.Context); err != nil {
			x.t.Fatal(err)
		}
		over, err := asks.Leagues(x.t.Context(), client.Wanted{State: "over", Search: prefix, Brief: true})
		if err == nil && len(over) < leagues { // a list of a thousand leagues, all the time, would be measured with them
			time.Sleep(100 * time.Millisecond)
		}
		return len(over), err == nil && len(over) == leagues
	})
	return time.Since(began)
}

// measured returns a manager's CPU time and memory so far.
func (x *tournament) measured() (cpu time.Duration, mb int) {
	pid := x.manager.cmd.Process.Pid
	return spent(x.t, pid), peakMB(x.t, pid)
}

// play plays leagues to their end, all of them at once, and returns the manager's processor time for a match and its
// memory.
func (x *tournament) play(prefix string, leagues, players int) (perMatch time.Duration, mb int) {
	x.t.Helper()
	x.create(prefix, leagues, players)
	before, _ := x.measured()
	began := time.Now()
	x.enter(prefix, leagues, players)
	took := x.await(prefix, leagues, began)
	after, mb := x.measured()
	matches := leagues * players * (players - 1) / 2
	perMatch = (after - before) / time.Duration(matches)
	open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", x.manager.cmd.Process.Pid))
	if err != nil {
		x.t.Fatal(err)
	}
	x.t.Logf("%d leagues of %d players: %d matches in %v, the manager used %v a match, %d MB and %d descriptors", leagues, players,
		matches, took.Round(time.Second), perMatch.Round(time.Microsecond), mb, len(open))
	return perMatch, mb
}

// playInTurn plays leagues one after the other, and returns the manager's processor time for a match.
func (x *tournament) playInTurn(prefix string, leagues, players int) (perMatch time.Duration) {
	x.t.Helper()
	for n := range leagues {
		took, _ := x.play(fmt.Sprintf("%s_%d", prefix, n), 1, players)
		perMatch += took / time.Duration(leagues)
	}
	return perMatch
}

// wantedLeagues returns how many leagues a test plays: few, or many with LEAGUE_LONG=1.
func wantedLeagues(few, many int) int {
	n, err := strconv.Atoi(os.Getenv("LEAGUE_LEAGUES"))
	if err != nil && os.Getenv("LEAGUE_LONG") == "1" {
		n = many
	}
	return cmp.Or(n, few)
}

// Many small leagues on one manager are all played, in little memory. With LEAGUE_LONG=1 they are a thousand, and a
// match then costs the manager little more than in a single such league, and little more than with 25 concurrent ones.
// The cost in a single league with as many matches is logged for comparison: there, registrations, news and files are
// shared by many more matches.
func TestLongManyLeaguesOnOneManager(t *testing.T) {
	n := wantedLeagues(25, 1000)
	many, mb := newTournament(t, 16).play("many", n, 4)
	if mb > 500 {
		t.Errorf("the manager took %d MB, want at most 500", mb)
	}
	if os.Getenv("LEAGUE_LONG") != "1" {
		return
	}
	alone := newTournament(t, 16).playInTurn("alone", 25, 4)
	few, _ := newTournament(t, 16).play("few", 25, 4)
	one, _ := newTournament(t, 16).play("one", 1, 110) // 5,995 matches
	t.Logf("a match costs %v in %d leagues: %.2f times what it costs in one that is alone, %.2f times what it costs in 25 at "+
		"once, and %.2f times what it costs in one of 110 players", many, n, float64(many)/float64(alone),
		float64(many)/float64(few), float64(many)/float64(one))
	if many > alone*6/5 {
		t.Errorf("a match costs %v in %d leagues and %v in one", many, n, alone)
	}
	if many > few*6/5 {
		t.Errorf("a match costs %v in %d leagues and %v in 25", many, n, few)
	}
}

// A large league beside small ones, on four slots, does not keep them from ending about as soon as they would alone.
func TestLongALargeLeagueDoesNotSlowSmallOnes(t *testing.T) {
	small, large := wantedLeagues(8, 100), 40
	if os.Getenv("LEAGUE_LONG") == "1" {
		large = 1000
	}
	alone := newTournament(t, 4)
	alone.create("small", small, 4)
	began := time.Now()
	alone.enter("small", small, 4)
	quick := alone.await("small", small, began)

	beside := newTournament(t, 4)
	beside.create("small", small, 4)
	beside.create("large", 1, large)
	beside.enter("large", 1, large)
	asks := &client.Client{Manager: beside.admin.manager}
	rpctest.Eventually(t, "the large league to be played", func() bool {
		playing, err := asks.Leagues(t.Context(), client.Wanted{State: "playing", Search: "large", Brief: true})
		return err == nil && len(playing) == 1
	})
	began = time.Now()
	beside.enter("small", small, 4)
	slow := beside.await("small", small, began)
	t.Logf("%d small leagues took %v alone and %v beside one of %d players: %.2f times as long", small, quick, slow, large,
		slow.Seconds()/quick.Seconds())
	if os.Getenv("LEAGUE_LONG") == "1" && slow > quick*3/2 {
		t.Errorf("that is more than 1.5 times as long")
	}
}
