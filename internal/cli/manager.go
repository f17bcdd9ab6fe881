package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"agentleague/cluster/placement"
	"agentleague/host"
	"agentleague/internal/cli/show"
	"agentleague/league"
	"agentleague/league/manager"
	"agentleague/protocol"
	"agentleague/server"
)

// managerCommand is `league manager`. It continues to answer after the end of its league, until it is interrupted.
func managerCommand(a *app) *cobra.Command {
	var port int
	var leagueID string
	var engine engineFlags
	var f leagueFlags
	cmd := &cobra.Command{Use: "manager", Short: "Run a league manager",
		Example: "  league manager --start-when players=4,referees=2\n  league manager --port 0 --league-id spring " +
			"--start-at 14:00\n  league manager --invited-only --guests never --start manual"}
	cmd.Flags().IntVar(&port, "port", 0, "the port to listen on; 0 takes a free one (default: "+
		"network.default_league_manager_port in config/system.json, 8000)")
	cmd.Flags().StringVar(&leagueID, "league-id", "", "the league (default: the root's)")
	f.add(cmd)
	engine.add(cmd, " for several managers on one NATS cluster")
	a.network.add(cmd)
	a.network.addOutside(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		choice, err := engine.parse()
		if err != nil {
			return err
		}
		if err := f.check(a.checkGame); err != nil {
			return err
		}
		h, err := a.open(leagueID)
		if err != nil {
			return err
		}
		if h, err = f.apply(h, true); err != nil {
			return err
		}
		if err := f.plan(h, "league manager"); err != nil {
			return err
		}
		if port, err = managerPort(cmd, h, port); err != nil {
			return err
		}
		o := server.Options{Port: port, Engine: choice}
		if choice.Shared() {
			return runMember(cmd.Context(), a, h, o)
		}
		return runManager(cmd.Context(), a, h, o, func(*server.Server) error { return nil })
	}
	return cmd
}

// managerPort returns the port of the flag or, without it, of the configuration.
func managerPort(cmd *cobra.Command, h *host.Env, port int) (int, error) {
	if unsaid(cmd, "port") {
		return h.Config().ManagerPort()
	}
	return port, nil
}

// runManager runs a league, and the other leagues of its root that are unfinished or are created on request. It calls
// opened when the league is served.
func runManager(ctx context.Context, a *app, h *host.Env, o server.Options, opened func(*server.Server) error) error {
	life, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	c, err := server.Open(life, h, o)
	if err != nil {
		return err
	}
	// Agents may be waiting in the other unfinished leagues of the root, so they continue too.
	err = c.Discover()
	if err == nil {
		printManager(a, c)
		err = opened(c)
	}
	if err != nil {
		stop()
		return errors.Join(err, c.Wait())
	}
	l, m := c.First, c.First.Manager
	a.noteDown(m)
	for _, l := range c.Leagues.Running()[1:] {
		fmt.Fprintf(a.err, "It also runs %s at %s\n", l.ID(), l.Endpoint())
	}
	over := greet(a, h, m, c.At.URL)
	for next := l; next != nil && err == nil; {
		l, m = next, next.Manager
		next, err = playSeason(ctx, a, c, l)
	}
	select {
	case <-m.Done():
		a.noteDown(m)
		fmt.Fprintln(a.err, "The league is over. The manager keeps answering queries; press Ctrl-C to stop it.")
		if !over {
			fmt.Fprintln(a.err, nextSeason(a, l.Env, c.At.URL))
		}
		<-ctx.Done()
		// Another league that was created here may still be in play.
		if c.Leagues.Busy() {
			a.interrupt.server(c)
			a.interrupt.left()
		}
	case <-ctx.Done():
		a.interrupt.server(c)
		a.interrupt.left()
	case <-m.Ended():
		err = m.Err()
	}
	stop()
	return errors.Join(err, c.Wait())
}

// printManager prints the local address of a manager and, if it has one, the public address.
func printManager(a *app, c *server.Server) {
	told := map[string]string{"endpoint": c.At.URL, "league_id": c.First.ID()}
	if at := c.First.Endpoint(); at != c.At.URL {
		told["public_endpoint"] = at
	}
	a.say(told, "manager of %s at %s", c.First.ID(), c.At.URL)
	if at := told["public_endpoint"]; at != "" && !a.json {
		fmt.Fprintf(a.err, "Others reach it at %s\n", at)
	}
	watchAt(a, c.First.Endpoint())
}

// playSeason prints the progress of a season until it is over. It returns the next season, or nil if there is none or
// ctx has ended.
func playSeason(ctx context.Context, a *app, c *server.Server, l *server.League) (*server.League, error) {
	shown := a.progress(l.Manager, l.Env.League.DisplayName)
	shown.AwaitStart()
	shown.Follow(ctx, l.Manager.Done())
	select {
	case <-l.Manager.Done():
	default:
		return nil, nil
	}
	settleLeague(a, l.Manager)
	shown.Final()
	next, err := c.Organizer.After(l)
	if all := seasonsOf(c, l); all != nil && !a.json {
		fmt.Fprintln(a.out)
		show.Seasons(a.out, *all)
	}
	if next != nil {
		fmt.Fprintf(a.err, "Season %d is %s, at %s\n", next.Env.League.SeasonNumber(), next.ID(), next.Endpoint())
	}
	return next, err
}

// watchAt prints the address of the page.
func watchAt(a *app, endpoint string) {
	if !a.json {
		fmt.Fprintf(a.err, "Watch it at %s\n", server.PageOf(endpoint))
	}
}

// greet prints how to proceed if a league is over, is paused, or starts at the end of the registration window. It
// reports whether the league is over.
func greet(a *app, h *host.Env, m *manager.Manager, endpoint string) (over bool) {
	paused, windowed := false, false
	m.Read(func(s *league.State) {
		paused, over = s.Paused, s.Completed()
		windowed = h.League.Start == nil && !s.Started() && !s.InvitedAny(protocol.RolePlayer)
	})
	switch {
	case a.json:
	case over && !goesOn(h):
		fmt.Fprintln(a.err, nextSeason(a, h, endpoint))
	case paused:
		fmt.Fprintln(a.err, show.HowToResume)
	case windowed:
		fmt.Fprintf(a.err, "The registration window is %v (timeouts.registration_window_sec in config/system.json). To change the start: "+
			"--start-when players=N, --start-after 10m, --start-at 14:00 or --start manual.\n", h.System.Timeouts.RegistrationWindowSec.Duration())
	}
	return over
}

// goesOn reports whether the league's next season starts automatically.
func goesOn(h *host.Env) bool {
	wanted, err := h.Leagues().SeasonsWanted(h.League.FirstSeason())
	return err == nil && h.League.SeasonNumber() < wanted
}

// nextSeason returns a sentence with the command that starts the next season of a finished league.
func nextSeason(a *app, h *host.Env, endpoint string) string {
	made, err := h.Leagues().Seasons(h.League.FirstSeason())
	if err != nil {
		made = []string{h.League.LeagueID}
	}
	command := fmt.Sprintf("league seasons %d --of %s", len(made)+1, h.League.LeagueID)
	if a.rooted {
		command += " --root " + quoted(a.root)
	}
	if endpoint != usualManager {
		command += " --manager " + quoted(endpoint)
	}
	return "For the next season: " + command
}

// runMember runs one manager of a cluster until it is interrupted. Other managers then take over its leagues.
func runMember(ctx context.Context, a *app, h *host.Env, o server.Options) error {
	life, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	c, err := placement.Open(life, h, o, func(line string) { fmt.Fprintln(a.err, line) })
	if err != nil {
		return err
	}
	told := map[string]string{"endpoint": c.At.URL}
	if at := c.Endpoint(); at != c.At.URL {
		told["public_endpoint"] = at
	}
	a.say(told, "manager of a cluster at %s", c.At.URL)
	watchAt(a, c.Endpoint())
	<-ctx.Done()
	a.interrupt.server(c)
	stop()
	err = c.Wait()
	if err == nil {
		a.interrupt.left()
	}
	return err
}
