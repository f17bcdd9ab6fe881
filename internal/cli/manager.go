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

func managerCommand(a *app) *cobra.Command {
	var port int
	var leagueID, when, guests string
	var after, pace time.Duration
	var strict, invitedOnly bool
	cmd := &cobra.Command{Use: "manager", Short: "Run a league manager",
		Example: "  league manager --start-when players=4,referees=2\n  league manager --port 0 --league-id spring --start-after 5m\n  league manager --invited-only --guests never"}
	cmd.Flags().IntVar(&port, "port", 0, "the port to listen on; 0 takes a free one (default: network.default_league_manager_port in config/system.json, 8000)")
	cmd.Flags().StringVar(&leagueID, "league-id", "", "the league (default: the root's)")
	cmd.Flags().StringVar(&when, "start-when", "", "start once this many have joined, such as players=4,referees=1")
	cmd.Flags().DurationVar(&after, "start-after", 0, "start after this time (default: the registration window in config/system.json)")
	cmd.Flags().DurationVar(&pace, "pace", 0, "pause between two rounds, for watching")
	cmd.Flags().BoolVar(&strict, "strict", false, "refuse messages with an incomplete envelope")
	cmd.Flags().BoolVar(&invitedOnly, "invited-only", false, "admit only agents with a join key from league invite, and the organiser's own (default: the league's setting, false)")
	cmd.Flags().StringVar(&guests, "guests", "", "when guest referees may join: before_start, invited or never (default: the league's setting, before_start)")
	a.netFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
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
		return runManager(cmd.Context(), a, h, port, func(o *manager.Options) {
			o.Strict, o.Pace = strict, pace
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
		})
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
func runManager(ctx context.Context, a *app, h *host.Env, port int, edit func(*manager.Options)) error {
	life, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	c, err := server.Open(life, h, server.Options{Port: port, Edit: edit})
	if err != nil {
		return err
	}
	if err := c.Discover(); err != nil {
		stop()
		return errors.Join(err, c.Wait())
	}
	m := c.First.Manager
	a.say(map[string]string{"endpoint": c.At.URL, "league_id": h.League.LeagueID}, "manager of %s at %s", h.League.LeagueID, c.At.URL)
	watchAt(a, c.At.URL)
	a.noteDown(m)
	for _, l := range c.Running()[1:] {
		fmt.Fprintf(a.err, "It also runs %s at %s\n", l.ID(), l.Endpoint())
	}
	over := greet(a, h, m)
	shown := newProgress(a, m, h.League.DisplayName)
	shown.awaitStart()
	shown.follow(ctx, m.Done())
	select {
	case <-m.Done():
		settleLeague(a, m)
		shown.final()
		a.noteDown(m)
		fmt.Fprintln(a.err, "The league is over. The manager keeps answering queries; press Ctrl-C to stop it.")
		if !over {
			fmt.Fprintln(a.err, nextSeason(a, h))
		}
		<-ctx.Done()
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
	case over:
		fmt.Fprintln(a.err, nextSeason(a, h))
	case paused:
		fmt.Fprintln(a.err, howToResume)
	}
	return over
}

// nextSeason says how the root plays on when its league is over.
func nextSeason(a *app, h *host.Env) string {
	return fmt.Sprintf("For the next season: league manager --root %s --league-id %s", quoted(a.root), seasonAfter(h))
}

// seasonAfter is the id of the next season of a league: that of the league with the next number which no log has.
func seasonAfter(h *host.Env) string {
	base, n := h.League.LeagueID, 1
	if at := strings.LastIndexByte(base, '_'); at > 0 {
		if had, err := strconv.Atoi(base[at+1:]); err == nil && had > 1 {
			base, n = base[:at], had
		}
	}
	for {
		n++
		id := fmt.Sprintf("%s_%d", base, n)
		if _, err := os.Stat(journal.Path(h.DataDir(), id)); err != nil {
			return id
		}
	}
}
