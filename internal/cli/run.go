package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"agentleague/config"
	"agentleague/host"
	"agentleague/internal/cli/show"
	"agentleague/internal/cli/usage"
	"agentleague/league"
	"agentleague/league/manager"
	"agentleague/league/seasons"
	"agentleague/player"
	"agentleague/server"
	"agentleague/standalone"
)

// A runFlags holds the flags of `league run`.
type runFlags struct {
	leagueFlags
	players, referees int
	strategy          string
	leagueID          string
	port              int
	serve             bool
	llm               *llmFlags
}

// runCommand is `league run`. It plays a whole league in one process; with the same flags it continues an interrupted
// league.
func runCommand(a *app) *cobra.Command {
	f := runFlags{llm: &llmFlags{}}
	cmd := &cobra.Command{Use: "run", Short: "Play a whole league: manager, referees and players, each on its own " +
		"port (above 256 players: paths on one port)",
		Example: "  league run\n  league run --players 8 --strategy random,history --pace 1s\n  league run --port 0 " +
			"--game tic_tac_toe --json"}
	cmd.Flags().IntVar(&f.players, "players", 4, "number of players")
	cmd.Flags().IntVar(&f.referees, "referees", 2, "number of referees")
	cmd.Flags().StringVar(&f.strategy, "strategy", "", "how the players choose, in turn, such as random,minimax:4; see league help strategies (default: that of config/defaults/player.json, random)")
	cmd.Flags().StringVar(&f.leagueID, "league-id", "", "the league (default: the root's, or the next one after it)")
	cmd.Flags().IntVar(&f.port, "port", standalone.AsConfigured, "the manager's port; referees follow it, players are 100 "+
		"above; 0 takes free ports for everyone (default: the ports of network in config/system.json, 8000, 8001 and "+
		"up, 8101 and up)")
	configured(cmd, "port")
	cmd.Flags().BoolVar(&f.serve, "serve", false, "keep everything running when the league is over")
	f.leagueFlags.add(cmd)
	f.llm.add(cmd)
	a.network.add(cmd)
	a.network.addOutside(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := f.check(a); err != nil {
			return err
		}
		return runLeague(cmd, a, f)
	}
	return cmd
}

// check rejects flags with which no league can be played.
func (f *runFlags) check(a *app) error {
	switch {
	case f.players < 2:
		return usage.Wrong("--players: a league needs at least 2, got %d", f.players)
	case f.referees < 1:
		return usage.Wrong("--referees: a league needs at least 1, got %d", f.referees)
	}
	if err := f.leagueFlags.check(a.checkGame); err != nil {
		return err
	}
	return checkStrategies(f.strategy, f.game())
}

// suffices returns an error if the number of players or referees is outside of the league's limits: too few agents
// would make the run wait forever.
func (f runFlags) suffices(h *host.Env) error {
	p, file := h.League.Participants, fmt.Sprintf("config/leagues/%s.json", h.League.LeagueID)
	switch {
	case f.players < p.MinPlayers:
		return usage.Wrong("--players: %s wants at least %d (participants.min_players), got %d", file, p.MinPlayers, f.players)
	case f.players > p.MaxPlayers:
		return usage.Wrong("--players: %s allows %d at most (participants.max_players), got %d", file, p.MaxPlayers, f.players)
	case f.referees < p.MinReferees:
		return usage.Wrong("--referees: %s wants at least %d (participants.min_referees), got %d", file, p.MinReferees, f.referees)
	case f.referees > p.MaxReferees:
		return usage.Wrong("--referees: %s allows %d at most (participants.max_referees), got %d", file, p.MaxReferees, f.referees)
	}
	return nil
}

// runLeague plays a league to its end, or continues an interrupted one.
func runLeague(cmd *cobra.Command, a *app, f runFlags) (err error) {
	ctx := cmd.Context()
	h, err := standalone.Find(f.leagueID, f.game(), a.open)
	if err == nil {
		h, err = f.apply(h, false)
	}
	if err != nil {
		return err
	}
	if err := errors.Join(f.suffices(h), f.plan(h, "league run")); err != nil {
		return err
	}
	r, err := standalone.Open(ctx, h, f.wanted(ctx, h), f.options)
	if err != nil {
		return err
	}
	defer func() { r.Report(err) }()
	first := r.Server.First.Endpoint()
	watchAt(a, first)
	r.Enter(ctx)
	shown, err := f.play(ctx, a, r)
	if errors.Is(err, standalone.ErrInterrupted) {
		a.interrupt.server(r.Server)
		if err = nil; goesOn(r.Last.Env) || !r.Over() {
			err = interrupted(a, cmd)
		}
	}
	m := r.Last.Manager
	settleLeague(a, m)
	all := seasonsOf(r.Server, r.Last)
	if err == nil && f.serve {
		err = printEnd(a, m, h, r.Took(), shown, all)
		fmt.Fprintf(a.err, "The agents keep running: the manager is at %s, its page at %s. Press Ctrl-C to stop.\n", first, server.PageOf(first))
		<-ctx.Done()
	}
	if err == nil {
		r.Server.Finish()
	}
	err = errors.Join(err, r.Close())
	if err != nil || f.serve {
		return err
	}
	return printEnd(a, m, h, r.Took(), shown, all)
}

// wanted returns the options of the run. Its players take the strategies of the flag in turn, or else those of the
// configuration.
func (f runFlags) wanted(ctx context.Context, h *host.Env) standalone.Options {
	minds := host.SplitSpecs(f.strategy)
	if len(minds) == 0 {
		minds = []string{""}
	}
	return standalone.Options{
		Players: f.players, Referees: f.referees, Port: f.port, Stay: f.serve,
		Strategy: func(n int, s config.Started) (player.Strategy, []string, error) {
			return f.llm.strategyOr(ctx, minds[n%len(minds)], s, h.League.GameType)
		},
	}
}

// play plays all seasons. It prints the end of every season but the last, whose display it returns.
func (f runFlags) play(ctx context.Context, a *app, r *standalone.Run) (shown *show.Progress, err error) {
	err = r.Play(ctx, func(ctx context.Context, l *server.League) {
		if shown != nil && !a.json {
			shown.Final()
			fmt.Fprintf(a.out, "\nSeason %d: %s\n", l.Env.League.SeasonNumber(), l.ID())
		}
		shown = a.progress(l.Manager, f.title(l.Env))
		shown.Follow(ctx, l.Manager.Done())
	})
	return shown, err
}

// seasonsOf returns the totals over all seasons of a league; nil if it has only one, or they cannot be read.
func seasonsOf(c *server.Server, last *server.League) *seasons.Series {
	all, err := c.Organizer.Series(last.ID())
	if err != nil || len(all.Seasons) < 2 {
		return nil
	}
	return &all
}

// title returns the display name of the league. It adds the game if that differs from the league's settings.
func (f runFlags) title(h *host.Env) string {
	if settings, err := h.Config().League(h.League.LeagueID); err != nil || settings.GameType == h.League.GameType {
		return h.League.DisplayName
	}
	return fmt.Sprintf("%s: %s", h.League.DisplayName, server.GameName(h, h.League.GameType))
}

// options makes the league start when all agents of this run have joined, unless a flag sets another start condition.
func (f runFlags) options(o *manager.Options) {
	if !f.given() {
		o.StartPlayers, o.StartReferees, o.Manual = f.players, f.referees, true
	}
}

// settleLeague waits up to a minute for the records of the last matches, and warns about those that are missing.
func settleLeague(a *app, m *manager.Manager) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if missing := m.Settle(ctx); missing > 0 {
		fmt.Fprintf(a.err, "%d match records are not in data/matches yet; the referees have them in data/referees. "+
			"Free some disk space and run the same command again to complete them.\n", missing)
	}
}

// interrupted prints the command that continues the run, and returns the error for the exit status.
func interrupted(a *app, cmd *cobra.Command) error {
	fmt.Fprintf(a.err, "%s Continue with:\n  %s\n", a.interrupt.kept(), again(cmd))
	return errors.Join(standalone.ErrInterrupted, errReported)
}

// again returns the command line of a command with the given flags, in their order, quoted for a shell.
func again(cmd *cobra.Command) string {
	line := cmd.CommandPath()
	cmd.Flags().SortFlags = false
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		values := []string{flag.Value.String()}
		if list, ok := flag.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, value := range values {
			if line += " --" + flag.Name; flag.NoOptDefVal == "" || value != flag.NoOptDefVal {
				line += " " + quoted(value)
			}
		}
	})
	return line
}

// printEnd prints the result of the league and, with several seasons, the total.
func printEnd(a *app, m *manager.Manager, h *host.Env, took time.Duration, shown *show.Progress, all *seasons.Series) error {
	var s league.Snapshot
	m.Read(func(state *league.State) { s = state.Snapshot() })
	forfeits := 0
	for _, r := range s.Rounds {
		forfeits += r.Summary.TechnicalLosses
	}
	if !a.json {
		shown.Final()
		a.noteDown(m)
		if all != nil {
			fmt.Fprintln(a.out)
			show.Seasons(a.out, *all)
		}
		fmt.Fprintf(a.out, "\nThe files are in %s: the table in data/leagues/%s/standings.json,\nevery match, message "+
			"by message, in data/matches/%s/.\n", h.Dir(), s.LeagueID, s.LeagueID)
		fmt.Fprintf(a.out, "\nTry next:\n  league run --players 8 --strategy random,history --pace 3s    and watch it "+
			"in a browser\n  league run --game connect_four --strategy minimax:3,random\n  league play minimax random "+
			"--game tic_tac_toe --games 100    which is better, and by how much\n  league manager --start-when "+
			"players=2,referees=1    and bring your own agents\n")
		return nil
	}
	first, co := s.Standings[0], []map[string]any{}
	m.Read(func(state *league.State) {
		for _, r := range m.View().Latest(state).Leaders()[1:] {
			co = append(co, map[string]any{"player_id": r.PlayerID, "display_name": r.DisplayName, "points": r.Points})
		}
	})
	told := map[string]any{
		"league_id": s.LeagueID, "status": "COMPLETED", "rounds": s.TotalRounds, "matches": s.TotalMatches, "technical_losses": forfeits,
		"champion": map[string]any{"player_id": first.PlayerID, "display_name": first.DisplayName, "points": first.Points}, "co_champions": co,
		"seal": s.Seal, "head": s.Heads[len(s.Heads)-1].Hash, "results": s.Basis, "standings": s.Standings, "elapsed_sec": took.Seconds(), "root": h.Dir(),
	}
	if all != nil {
		told["series"] = all
	}
	return a.print(told)
}
