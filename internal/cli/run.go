package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"agentleague/host"
	"agentleague/internal/cli/show"
	"agentleague/league"
	"agentleague/league/manager"
	"agentleague/rpc/connlimit"
	"agentleague/server"
)

// A runFlags is the configuration of a whole league.
type runFlags struct {
	leagueFlags
	players, referees int
	strategy          string
	leagueID          string
	port              int
	serve             bool
	llm               *llmFlags
}

// runCommand is `league run`: a whole league in one process, without other agents. With the same flags it continues
// an interrupted league.
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
	cmd.Flags().IntVar(&f.port, "port", asConfigured, "the manager's port; referees follow it, players are 100 "+
		"above; 0 takes free ports for everyone (default: the ports of network in config/system.json, 8000, 8001 and "+
		"up, 8101 and up)")
	configured(cmd, "port")
	cmd.Flags().BoolVar(&f.serve, "serve", false, "keep everything running when the league is over")
	f.leagueFlags.add(cmd)
	f.llm.add(cmd)
	a.netFlags(cmd)
	a.outsideFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := f.check(a); err != nil {
			return err
		}
		return runLeague(cmd.Context(), a, f)
	}
	return cmd
}

// check refuses flags that nothing can be played with.
func (f *runFlags) check(a *app) error {
	switch {
	case f.players < 2:
		return wrongUsage("--players: a league needs at least 2, got %d", f.players)
	case f.referees < 1:
		return wrongUsage("--referees: a league needs at least 1, got %d", f.referees)
	}
	if err := f.leagueFlags.check(a.checkGame); err != nil {
		return err
	}
	return checkStrategies(f.strategy, f.game())
}

// suffices refuses a run that would wait for ever: for more agents than it brings.
func (f runFlags) suffices(h *host.Env) error {
	p, file := h.League.Participants, fmt.Sprintf("config/leagues/%s.json", h.League.LeagueID)
	switch {
	case f.players < p.MinPlayers:
		return wrongUsage("--players: %s wants at least %d (participants.min_players), got %d", file, p.MinPlayers, f.players)
	case f.players > p.MaxPlayers:
		return wrongUsage("--players: %s allows %d at most (participants.max_players), got %d", file, p.MaxPlayers, f.players)
	case f.referees < p.MinReferees:
		return wrongUsage("--referees: %s wants at least %d (participants.min_referees), got %d", file, p.MinReferees, f.referees)
	case f.referees > p.MaxReferees:
		return wrongUsage("--referees: %s allows %d at most (participants.max_referees), got %d", file, p.MaxReferees, f.referees)
	}
	return nil
}

// runLeague plays a league to its end, or continues an interrupted one.
func runLeague(ctx context.Context, a *app, f runFlags) (err error) {
	start := time.Now()
	h, err := f.league(a)
	if err != nil {
		return err
	}
	if err := errors.Join(f.suffices(h), f.plan(h, "league run")); err != nil {
		return err
	}
	crew, err := f.crew(ctx, h)
	if err != nil {
		return err
	}
	if err := crew.fits(connlimit.FileLimit()); err != nil {
		return err
	}
	// An interrupt ends ctx. The server and the agents live on until the matches in hand are over: they end with life.
	life, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	c, err := server.Open(life, h, server.Options{Port: crew.port, Shared: crew.shared, Edit: f.options})
	if err != nil {
		return err
	}
	c.Opened() // it has no other leagues
	m, at := c.First.Manager, c.At
	orchestrator, log := h.Orchestrator()
	defer log.Close()
	// From here on the log has an end for every start.
	noteStart(orchestrator, f, at.URL)
	defer func() { noteEnd(orchestrator, m, time.Since(start), err) }()
	watchAt(a, c.First.Endpoint())
	// The run's own players join by keys, so that they get in where only invited agents do, and under their names.
	keys := c.First.Invite(ctx, f.players, func(n int) string { return crew.players[n].Name })
	agents := crew.start(ctx, life, h, at.URL, keys, orchestrator)
	// The league was opened held: it starts when all agents have registered.
	agents.Then(m.Release)
	last, shown, err := playSeasons(ctx, a, c, agents, f)
	if m = last.Manager; errors.Is(err, errInterrupted) {
		a.shutdownServer(c)
		if err = nil; goesOn(last.Env) || !comesToItsEnd(m) {
			err = interrupted(a, f)
		}
	}
	settleLeague(a, m)
	all := seasonsOf(c, last)
	if err == nil && f.serve {
		err = printEnd(a, m, h, time.Since(start), shown, all)
		fmt.Fprintf(a.err, "The agents keep running: the manager is at %s, its page at %s. Press Ctrl-C to stop.\n", c.First.Endpoint(), server.PageOf(c.First.Endpoint()))
		<-ctx.Done()
	}
	if err == nil {
		c.Finish()
	}
	stop()
	agents.Wait()
	err = errors.Join(err, c.Wait())
	if err != nil || f.serve {
		return err
	}
	return printEnd(a, m, h, time.Since(start), shown, all)
}

// league opens the league that is played: the one asked for, or else the next one of the game.
func (f runFlags) league(a *app) (*host.Env, error) {
	var h *host.Env
	var err error
	if f.leagueID != "" {
		h, err = a.open(f.leagueID)
	} else {
		h, err = leagueOf{game: f.game(), open: a.open}.find()
	}
	if err != nil {
		return nil, err
	}
	return f.apply(h, false)
}

// errInterrupted means that a run was interrupted.
var errInterrupted = errors.New("interrupted")

// playSeasons shows one season after the other until the last is over, and returns it.
func playSeasons(ctx context.Context, a *app, c *server.Server, agents *host.Crew, f runFlags) (
	last *server.League, shown *show.Progress, err error) {
	for last = c.First; ; {
		m := last.Manager
		shown = a.progress(m, f.title(last.Env))
		// Returns when the season is over, or when an agent of the run has failed: without it the league cannot
		// continue.
		shown.Follow(agents.Context, m.Done())
		select {
		case <-m.Done():
		case <-m.Ended():
			return last, shown, m.Err()
		case <-agents.Context.Done():
			switch {
			case isOver(m):
			case ctx.Err() != nil:
				return last, shown, errInterrupted
			default:
				return last, shown, context.Cause(agents.Context)
			}
		}
		next, err := c.After(last)
		if err != nil || next == nil {
			return last, shown, err
		}
		a.between(shown, next)
		last = next
	}
}

// comesToItsEnd reports whether a league is over, and waits for that if it has all its results.
func comesToItsEnd(m *manager.Manager) bool {
	var s league.Snapshot
	m.Read(func(state *league.State) { s = state.Snapshot() })
	wait := time.Duration(0)
	if s.TotalMatches > 0 && s.Version == s.TotalMatches {
		wait = server.Patience
	}
	select {
	case <-m.Done():
		return true
	case <-time.After(wait):
		return isOver(m)
	}
}

// isOver reports whether a league is over.
func isOver(m *manager.Manager) bool {
	select {
	case <-m.Done():
		return true
	default:
		return false
	}
}

// between prints the end of a season, and the next one.
func (a *app) between(shown *show.Progress, next *server.League) {
	if a.json {
		return
	}
	shown.Final()
	fmt.Fprintf(a.out, "\nSeason %d: %s\n", next.Env.League.SeasonNumber(), next.ID())
}

// seasonsOf adds up the seasons of a league that has several, or returns nil.
func seasonsOf(c *server.Server, last *server.League) *league.Series {
	all, err := c.Seasons(last.ID())
	if err != nil || len(all.Seasons) < 2 {
		return nil
	}
	return &all
}

// title is the display name of the league, with its game if that differs from its settings.
func (f runFlags) title(h *host.Env) string {
	if settings, err := h.Config().League(h.League.LeagueID); err != nil || settings.GameType == h.League.GameType {
		return h.League.DisplayName
	}
	return fmt.Sprintf("%s: %s", h.League.DisplayName, server.GameName(h, h.League.GameType))
}

// noteStart writes the start of a run to the orchestrator's log.
func noteStart(log *slog.Logger, f runFlags, manager string) {
	log.Info(fmt.Sprintf("the run started: %d players and %d referees, the manager at %s", f.players, f.referees, manager),
		slog.String("event_type", "RUN_STARTED"), slog.Int("players", f.players), slog.Int("referees", f.referees),
		slog.String("endpoint", manager))
}

// noteEnd writes the end of a run to the orchestrator's log.
func noteEnd(log *slog.Logger, m *manager.Manager, took time.Duration, err error) {
	var s league.Snapshot
	m.Read(func(state *league.State) { s = state.Snapshot() })
	// Seconds, to the millisecond.
	facts := []any{slog.Float64("elapsed_sec", float64(took.Milliseconds())/1000), slog.Int("matches_count", s.Version)}
	switch {
	case errors.Is(err, errReported):
		log.Warn("the run was interrupted", append(facts, slog.String("event_type", "RUN_INTERRUPTED"))...)
	case err != nil:
		log.Error("the run failed: "+err.Error(), append(facts, slog.String("event_type", "RUN_FAILED"))...)
	default:
		log.Info(fmt.Sprintf("the run ended after %d matches", s.Version), append(facts, slog.String("event_type", "RUN_ENDED"))...)
	}
}

// options are the flags as the league's options. A run without a start condition starts when its own agents have joined.
func (f runFlags) options(o *manager.Options) {
	o.Hold = true
	if !f.given() {
		o.StartPlayers, o.StartReferees, o.Manual = f.players, f.referees, true
	}
}

// settleLeague waits for the records of the last matches, on a machine that is slow for a while.
func settleLeague(a *app, m *manager.Manager) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if missing := m.Settle(ctx); missing > 0 {
		fmt.Fprintf(a.err, "%d match records are not in data/matches yet; the referees have them in data/referees. "+
			"Free some disk space and run the same command again to complete them.\n", missing)
	}
}

// interrupted prints the command that continues the run.
func interrupted(a *app, f runFlags) error {
	args := []string{"league", "run", "--root", quoted(a.root)}
	for _, flag := range []struct {
		name  string
		value any
		plain any
	}{{"players", f.players, 4}, {"referees", f.referees, 2}, {"strategy", f.strategy, ""}, {"league-id", f.leagueID, ""}, {"port", f.port, asConfigured}} {
		if flag.value != flag.plain {
			args = append(args, fmt.Sprintf("--%s %s", flag.name, quoted(fmt.Sprint(flag.value))))
		}
	}
	args = append(args, f.leagueFlags.again()...)
	args = append(append(args, f.llm.again(quoted)...), a.network.again()...)
	for _, flag := range []struct {
		name string
		set  bool
	}{{"--json", a.json}, {"--serve", f.serve}} {
		if flag.set {
			args = append(args, flag.name)
		}
	}
	fmt.Fprintf(a.err, "%s Continue with:\n  %s\n", a.kept(), strings.Join(args, " "))
	return errReported
}

// printEnd prints the result of the league and, with several seasons, the total.
func printEnd(a *app, m *manager.Manager, h *host.Env, took time.Duration, shown *show.Progress, all *league.Series) error {
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
	// For programs: never null.
	rows := make([]map[string]any, 0, len(s.Standings))
	for _, r := range s.Standings {
		rows = append(rows, map[string]any{"rank": r.Rank, "player_id": r.PlayerID, "display_name": r.DisplayName, "played": r.Played,
			"wins": r.Wins, "draws": r.Draws, "losses": r.Losses, "points": r.Points})
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
		"seal": s.Seal, "head": s.Heads[len(s.Heads)-1].Hash, "results": s.Basis, "standings": rows, "elapsed_sec": took.Seconds(), "root": h.Dir(),
	}
	if all != nil {
		told["series"] = all
	}
	return a.print(told)
}
