package chaos_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"agentleague/game"
	"agentleague/host"
	"agentleague/player"
	"agentleague/store"
)

// referees is how many there are in a group. Each judges in several leagues, and each league has two of them.
const referees = 6

// seat starts the referees and players of all leagues in this process. Each player thinks for so long about a move.
func (g *group) seat(ctx context.Context, crew *sync.WaitGroup, think time.Duration) {
	g.t.Helper()
	secret, err := os.ReadFile(filepath.Join(g.roots[0], "data/secrets/referee"))
	if err != nil {
		g.t.Fatal(err)
	}
	envs := make([]*host.Env, referees)
	for n := range envs {
		envs[n] = g.env()
		folder := filepath.Join(envs[n].DataDir(), "secrets")
		if err := errors.Join(os.MkdirAll(folder, 0o700), os.WriteFile(filepath.Join(folder, "referee"), secret, 0o600)); err != nil {
			g.t.Fatal(err)
		}
	}
	var ready sync.WaitGroup
	at := g.env()
	for n, id := range g.leagues {
		for i := range 2 {
			h := envs[(2*n+i)%referees]
			g.agent(crew, &ready, "a referee", func(in func(id, at string)) error {
				return g.of(h, id).RunReferee(ctx, host.Referee{
					Agent: host.Agent{Name: fmt.Sprintf("Referee %d of %s", i+1, id), LeagueID: id, OneSeason: true}, MaxMatches: 8,
				}, g.url(n+i)+"/mcp", in)
			})
		}
		for i := range g.players {
			g.agent(crew, &ready, "a player", func(in func(id, at string)) error {
				return g.of(at, id).RunPlayer(ctx, host.Player{
					Agent:    host.Agent{Name: fmt.Sprintf("Player %d of %s", i+1, id), LeagueID: id, OneSeason: true},
					Strategy: slowly(g.t, think),
				}, g.url(n+i)+"/mcp", in)
			})
		}
	}
	ready.Wait()
}

// agent runs an agent until it ends. Ready is released when the agent has joined its league.
func (g *group) agent(crew, ready *sync.WaitGroup, what string, run func(in func(id, at string)) error) {
	ready.Add(1)
	in := sync.OnceFunc(ready.Done)
	crew.Go(func() {
		defer in()
		err := run(func(string, string) { in() })
		if err != nil && !errors.Is(err, context.Canceled) {
			g.t.Errorf("%s has failed: %v", what, err)
		}
	})
}

// env is a root for agents of this process.
func (g *group) env() *host.Env {
	g.t.Helper()
	root, err := store.Open(filepath.Join(g.t.TempDir(), "SHARED"), host.Games())
	if err != nil {
		g.t.Fatal(err)
	}
	h := &host.Env{Root: root, Net: &host.Net{Host: g.lan.address(1)}, Screen: io.Discard, Level: slog.LevelError}
	h.Net.Guard.Allow = []netip.Prefix{netip.MustParsePrefix(g.lan.address(0) + "/24")}
	if h.System, err = root.Config().System(); err != nil {
		g.t.Fatal(err)
	}
	if h.Rules, err = host.LoadRules(g.t.Context(), root.Dir(), root.Config()); err != nil {
		g.t.Fatal(err)
	}
	return h
}

// of is the environment of agents in a league.
func (g *group) of(h *host.Env, id string) *host.Env {
	settings, err := h.Config().League(id)
	if err != nil {
		g.t.Fatal(err)
	}
	return h.Of(settings)
}

// slowly is a player that thinks first, which costs nothing.
func slowly(t *testing.T, think time.Duration) player.Strategy {
	t.Helper()
	random, err := host.StrategyFor("random", "even_odd")
	if err != nil {
		t.Fatal(err)
	}
	return player.StrategyFunc(func(ctx context.Context, v game.View) (game.Move, error) {
		select {
		case <-time.After(think):
		case <-ctx.Done():
		}
		return random.Choose(ctx, v)
	})
}
