package cli

import (
	"cmp"
	"context"
	"net/http"

	"github.com/spf13/cobra"

	"agentleague/host"
	"agentleague/internal/bench"
	"agentleague/player"
	"agentleague/protocol"
)

// benchPartCommand is the hidden verb for the processes that the bench starts.
func benchPartCommand(a *app) *cobra.Command {
	var f agentFlags
	var players int
	var unsigned, apart bool
	cmd := a.managedBy(&cobra.Command{Use: "part crowd|std|null", Short: "Run one part of a bench: a crowd of " +
		"players, or the server of a yardstick", Hidden: true,
		Example: "  league bench part crowd --players 100 --manager http://localhost:8000/mcp\n  league bench part std"})
	cmd.Flags().IntVar(&players, "players", 100, "number of players in a crowd")
	cmd.Flags().BoolVar(&apart, "apart", false, "give each player of the crowd its own port")
	cmd.Flags().BoolVar(&unsigned, "unsigned", false, "the players of the crowd show no key and sign nothing; use "+
		"with --apart")
	cmd.Flags().StringVar(&f.LeagueID, "league-id", "", "the league to join (default: the root's)")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		switch args[0] {
		case "crowd":
			return runCrowd(cmd.Context(), a, f.LeagueID, benchCrowd{players, apart, unsigned})
		case "std", "null":
			return bench.Serve(cmd.Context(), args[0], func(at string) { a.say(map[string]string{"endpoint": at}, "R_%s at %s", args[0], at) })
		}
		return wrongUsage("unknown part %q: use crowd, std or null", args[0])
	}
	return cmd
}

// A benchCrowd describes the players of a bench.
type benchCrowd struct {
	players         int
	apart, unsigned bool // each has its own port; none has a key
}

// runCrowd hosts many players until ctx ends, at one port unless each has its own.
func runCrowd(ctx context.Context, a *app, leagueID string, crowd benchCrowd) error {
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
	first := "" // endpoint of the first player
	c, entered := host.NewCrew(ctx), collector.crowdEnters()
	for n := range crowd.players {
		p := host.Player{Strategy: player.Random(nil), Stay: true, Unsigned: crowd.unsigned, Agent: host.Agent{
			Shared: shared, Name: host.NameOf("Agent", n), ID: protocol.AgentID(protocol.RolePlayer, n+1), LeagueID: h.League.LeagueID,
		}}
		if crowd.apart || crowd.unsigned { // a player without a key needs its own port
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
		a.say(map[string]any{"endpoint": first, "players": crowd.players}, "%d players, the first at %s", crowd.players, first)
		<-c.Context.Done()
	}
	stop()
	c.Wait()
	err = host.NotCancelled(context.Cause(c.Context))
	return cmp.Or(err, <-at.Ended)
}
