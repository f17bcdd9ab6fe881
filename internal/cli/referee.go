package cli

import (
	"context"
	"sync"

	"github.com/spf13/cobra"

	"agentleague/client"
	"agentleague/host"
	"agentleague/internal/cli/show"
	"agentleague/internal/cli/usage"
	"agentleague/internal/term"
	"agentleague/protocol"
	"agentleague/referee"
	"agentleague/server"
)

// refereeCommand is `league referee`. The data directory's secret, or a copy of it, identifies it as the organizer's
// referee; without the secret it joins as a guest.
func refereeCommand(a *app) *cobra.Command {
	var f agentFlags
	var maxMatches int
	var every bool
	cmd := a.managedBy(&cobra.Command{Use: "referee", Short: "Run a referee",
		Example: "  league referee --port 8001 --name \"Referee Alpha\"\n  league referee --port 0 --manager " +
			"http://localhost:8000/mcp --max-matches 8"})
	f.add(a, cmd, 0, "Referee")
	configured(cmd, "port")
	cmd.Flags().Lookup("port").Usage += " (default: the first free one of network.default_referee_port_range in " +
		"config/system.json, 8001 to 8010)"
	cmd.Flags().IntVar(&maxMatches, "max-matches", 0, "matches at a time (default: that of its id in "+
		"config/agents/agents_config.json, or of config/defaults/referee.json, 2)")
	cmd.Flags().BoolVar(&every, "every-league", false, "serve every league of the manager, also those created later; "+
		"--max-matches is then for all of them together, shared fairly")
	cmd.Flags().StringVar(&f.secretFile, "referee-secret", "", "a copy of data/secrets/referee from the manager's "+
		"root, for the organiser's referee on another machine")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if every && cmd.Flags().Changed("league-id") {
			return usage.Wrong("--every-league and --league-id contradict each other; give one of them")
		}
		s, err := f.start(cmd, protocol.RoleReferee)
		if err != nil {
			return err
		}
		secret, err := f.refereeSecret()
		if err != nil {
			return err
		}
		agent, err := f.agent()
		if err != nil {
			return err
		}
		agent.Shutdown = a.interrupt.drain
		r := host.Referee{Agent: agent, MaxMatches: maxMatches, Secret: secret}
		if !a.json {
			r.Recorder = func(kept referee.Recorder) referee.Recorder { return &show.ConsoleRecorder{Recorder: kept, Err: a.err} }
		}
		if every {
			r.OnlyID = false // it may be free in some leagues and not in others
			return a.interrupt.ended(cmd.Context(), serveEveryLeague(cmd.Context(), a, s.env, r))
		}
		err = s.env.RunReferee(cmd.Context(), r, a.manager, a.joined(f.Name))
		return a.interrupt.ended(cmd.Context(), err)
	}
	return cmd
}

// serveEveryLeague runs a referee in every league of the manager.
func serveEveryLeague(ctx context.Context, a *app, h *host.Env, r host.Referee) error {
	asks := &client.Client{Manager: a.manager, Options: h.Net.Caller()}
	list := func(ctx context.Context) (ids []string, err error) {
		open, err := asks.Leagues(ctx, client.Wanted{State: "open", Brief: true})
		for _, l := range open {
			ids = append(ids, l.ID)
		}
		return ids, err
	}
	// Printed once for any number of leagues.
	told := sync.OnceFunc(func() { a.interrupt.drain(func(context.Context) {}) })
	r.Shutdown = func(drain func(context.Context)) {
		told()
		ctx, cancel := context.WithTimeout(context.Background(), server.Patience)
		defer cancel()
		drain(ctx)
	}
	return h.RunEveryLeague(ctx, r, a.manager, list, func(league, id, at string) {
		a.say(map[string]any{"name": r.Name, "id": id, "endpoint": at, "manager": a.manager, "league_id": league},
			"%s is %s of %s at %s", r.Name, term.Brief(id), term.Brief(league), at)
	})
}
