package cli

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"agentleague/bench"
	"agentleague/game"
	"agentleague/host"
	"agentleague/player"
	"agentleague/protocol"
)

// benchPartCommand is what the bench starts: everything that runs in a process of its own.
func benchPartCommand(a *app) *cobra.Command {
	var f agentFlags
	var players int
	var unsigned, apart bool
	var think time.Duration
	cmd := a.managedBy(&cobra.Command{Use: "part crowd|std|null", Short: "Run one part of a bench: a crowd of " +
		"players, or the server of a yardstick", Hidden: true,
		Example: "  league bench part crowd --players 100 --manager http://localhost:8000/mcp\n  league bench part std"})
	cmd.Flags().IntVar(&players, "players", 100, "number of players in a crowd")
	cmd.Flags().BoolVar(&apart, "apart", false, "give each player of the crowd its own port")
	cmd.Flags().BoolVar(&unsigned, "unsigned", false, "the players of the crowd show no key and sign nothing; use "+
		"with --apart")
	cmd.Flags().DurationVar(&think, "think", 0, "how long each player of the crowd thinks before it chooses")
	cmd.Flags().StringVar(&f.LeagueID, "league-id", "", "the league to join (default: the root's)")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		switch args[0] {
		case "crowd":
			return runCrowd(cmd.Context(), a, f.LeagueID, benchCrowd{players, apart, unsigned, think})
		case "std", "null":
			return bench.Serve(cmd.Context(), args[0], func(at string) { a.say(map[string]string{"endpoint": at}, "R_%s at %s", args[0], at) })
		}
		return wrongUsage("unknown part %q: use crowd, std or null", args[0])
	}
	return cmd
}

// A benchCrowd is players of a bench.
type benchCrowd struct {
	players         int
	apart, unsigned bool          // each has its own port; none has a key
	think           time.Duration // before each choice
}

// mind chooses at random, after a while.
func (c benchCrowd) mind() player.Strategy {
	random := player.Random(nil)
	if c.think == 0 {
		return random
	}
	return player.StrategyFunc(func(ctx context.Context, v game.View) (game.Move, error) {
		select {
		case <-time.After(c.think):
		case <-ctx.Done():
		}
		return random.Choose(ctx, v)
	})
}

// runCrowd hosts many players at one port until ctx ends.
func runCrowd(ctx context.Context, a *app, leagueID string, who benchCrowd) error {
	h, err := a.open(leagueID)
	if err != nil {
		return err
	}
	server, err := a.network.net.Listen(0, "the crowd")
	if err != nil {
		return err
	}
	shared := host.NewPathMux()
	shared.Open(server.URL(), http.NotFoundHandler())
	life, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	at := host.Serve(life, server, shared)
	first := "" // where the first player is
	c, entered := host.NewCrew(ctx), collector.crowdEnters()
	for n := range who.players {
		p := host.Player{Strategy: who.mind(), Stay: true, Unsigned: who.unsigned, Agent: host.Agent{
			Shared: shared, Name: host.NameOf("Agent", n), ID: protocol.AgentID(protocol.RolePlayer, n+1), LeagueID: h.League.LeagueID,
		}}
		if who.apart || who.unsigned { // who shows no key has a port to itself
			p.Shared = nil
		}
		c.Enter(func(ready func(id, at string), ended func(error)) {
			h.StartPlayer(life, p, a.manager, func(id, at string) {
				if n == 0 {
					first = at
				}
				ready(id, at)
			}, ended)
		})
	}
	c.Registered()
	entered()
	if c.Context.Err() == nil {
		a.say(map[string]any{"endpoint": first, "players": who.players}, "%d players, the first at %s", who.players, first)
		<-c.Context.Done()
	}
	stop()
	c.Wait()
	err = host.NotCancelled(context.Cause(c.Context))
	return cmp.Or(err, <-at.Ended)
}
