package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"agentleague/config"
	"agentleague/engine/journal"
	"agentleague/host"
	"agentleague/league"
	"agentleague/league/manager"
	"agentleague/server"
)

// managerCommand is `league manager`. It keeps answering when its league is over, until it is interrupted.
func managerCommand(a *app) *cobra.Command {
	var port int
	var leagueID, when, guests string
	var engine engineFlags
	var after, pace time.Duration
	var strict, invitedOnly bool
	cmd := &cobra.Command{Use: "manager", Short: "Run a league manager",
		Example: "  league manager --start-when players=4,referees=2\n  league manager --port 0 --league-id spring " +
			"--start-after 5m\n  league manager --invited-only --guests never"}
	cmd.Flags().IntVar(&port, "port", 0, "the port to listen on; 0 takes a free one (default: "+
		"network.default_league_manager_port in config/system.json, 8000)")
	cmd.Flags().StringVar(&leagueID, "league-id", "", "the league (default: the root's)")
	cmd.Flags().StringVar(&when, "start-when", "", "start once this many have joined, such as players=4,referees=1")
	cmd.Flags().DurationVar(&after, "start-after", 0, "start after this time (default: the registration window in "+
		"config/system.json)")
	cmd.Flags().DurationVar(&pace, "pace", 0, "pause between two rounds, for watching")
	cmd.Flags().BoolVar(&strict, "strict", false, "refuse messages with an incomplete envelope")
	cmd.Flags().BoolVar(&invitedOnly, "invited-only", false, "admit only agents with a join key from league "+
		"invite, and the organiser's own (default: the league's setting, false)")
	cmd.Flags().StringVar(&guests, "guests", "", "when guest referees may join: before_start, invited or never "+
		"(default: the league's setting, before_start)")
	engine.add(cmd, " for several managers on one NATS cluster")
	a.netFlags(cmd)
	a.outsideFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		choice, err := engine.parse()
		if err != nil {
			return err
		}
		players, referees, err := parseWhen(when)
		if err != nil {
			return err
		}
		if guests != "" && !slices.Contains(config.GuestReferees, guests) {
			return wrongUsage("--guests: use %s, got %q", strings.Join(config.GuestReferees, ", "), guests)
		}
		h, err := a.open(leagueID)
		if err != nil {
			return err
		}
		if unsaid(cmd, "port") {
			if port, err = h.Config().ManagerPort(); err != nil {
				return err
			}
		}
		return runManager(cmd.Context(), a, h, server.Options{Port: port, Engine: choice, Edit: func(o *manager.Options) {
			o.Strict, o.Pace = strict, pace
			// A flag that was not given leaves the league's own setting as it is.
			if cmd.Flags().Changed("invited-only") {
				o.InvitedOnly = invitedOnly
			}
			if guests != "" {
				o.GuestReferees = guests
			}
			if when != "" {
				o.StartPlayers, o.StartReferees = players, referees
			}
			if after > 0 {
				o.Window = after
			}
		}})
	}
	return cmd
}

// parseWhen reads a start condition.
func parseWhen(text string) (players, referees int, err error) {
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' }) {
		name, value, _ := strings.Cut(part, "=")
		n, bad := strconv.Atoi(value)
		switch {
		case bad == nil && n > 0 && strings.TrimSpace(name) == "players":
			players = n
		case bad == nil && n > 0 && strings.TrimSpace(name) == "referees":
			referees = n
		default:
			return 0, 0, wrongUsage("--start-when: want players=N,referees=N, got %q", text)
		}
	}
	return players, referees, nil
}

// runManager runs a league, and the others of its root that are not over or are asked for.
func runManager(ctx context.Context, a *app, h *host.Env, o server.Options) error {
	life, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	o.Say = func(line string) { fmt.Fprintln(a.err, line) }
	c, err := server.Open(life, h, o)
	if err != nil {
		return err
	}
	if o.Engine.Shared() {
		return runMember(ctx, a, c, stop)
	}
	// The other leagues of the root that are not over go on too: agents wait for them.
	if err := c.Discover(); err != nil {
		stop()
		return errors.Join(err, c.Wait())
	}
	l, m := c.First, c.First.Manager
	sayManager(a, c)
	a.noteDown(m)
	for _, l := range c.Running()[1:] {
		fmt.Fprintf(a.err, "It also runs %s at %s\n", l.ID(), l.Endpoint())
	}
	over := greet(a, h, m)
	for next := l; next != nil && err == nil; {
		l, m = next, next.Manager
		next, err = playSeason(ctx, a, c, l)
	}
	select {
	case <-m.Done():
		a.noteDown(m)
		fmt.Fprintln(a.err, "The league is over. The manager keeps answering queries; press Ctrl-C to stop it.")
		if !over {
			fmt.Fprintln(a.err, nextSeason(a, l.Env))
		}
		<-ctx.Done()
		// Another league that was created here may still be in play.
		if c.Busy() {
			a.shutdownServer(c)
			a.left()
		}
	case <-ctx.Done():
		a.shutdownServer(c)
		a.left()
	case <-m.Ended():
		err = m.Err()
	}
	stop()
	return errors.Join(err, c.Wait())
}

// sayManager tells where a manager is reached: from this network, and from outside if there is an address.
func sayManager(a *app, c *server.Server) {
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

// playSeason shows a league until it is over, and returns the next season if there is one.
func playSeason(ctx context.Context, a *app, c *server.Server, l *server.League) (*server.League, error) {
	shown := newProgress(a, l.Manager, l.Env.League.DisplayName)
	shown.awaitStart()
	shown.follow(ctx, l.Manager.Done())
	select {
	case <-l.Manager.Done():
	default:
		return nil, nil
	}
	settleLeague(a, l.Manager)
	shown.final()
	next, err := c.After(l)
	if all := seasonsOf(c, l); all != nil && !a.json {
		fmt.Fprintln(a.out)
		printSeasons(a.out, *all)
	}
	if next != nil {
		fmt.Fprintf(a.err, "Season %d is %s, at %s\n", next.Env.League.SeasonNumber(), next.ID(), next.Endpoint())
	}
	return next, err
}

// watchAt tells where people can watch.
func watchAt(a *app, endpoint string) {
	if !a.json {
		fmt.Fprintf(a.err, "Watch it at %s\n", server.PageOf(endpoint))
	}
}

// greet tells what somebody who starts a manager may not expect: that its league was paused, or is over.
func greet(a *app, h *host.Env, m *manager.Manager) (over bool) {
	paused := false
	m.Read(func(s *league.State) { paused, over = s.Paused, s.Completed() })
	switch {
	case a.json:
	case over && !goesOn(h):
		fmt.Fprintln(a.err, nextSeason(a, h))
	case paused:
		fmt.Fprintln(a.err, howToResume)
	}
	return over
}

// goesOn reports whether another season of a league follows by itself.
func goesOn(h *host.Env) bool {
	wanted, err := h.SeasonsWanted(h.League.FirstSeason())
	return err == nil && h.League.SeasonNumber() < wanted
}

// nextSeason says how the root plays on when its league is over.
func nextSeason(a *app, h *host.Env) string {
	return fmt.Sprintf("For the next season: league manager --root %s --league-id %s", quoted(a.root), seasonAfter(h))
}

// seasonAfter is the id of the next season of a league: that of the league with the next number which no log has.
func seasonAfter(h *host.Env) string {
	// A log, and not a configuration, is what makes an id taken: a league that was planned and never begun is none.
	return league.NextSeason(h.League.LeagueID, func(id string) bool {
		_, err := os.Stat(journal.Path(h.DataDir(), id))
		return err == nil
	})
}
