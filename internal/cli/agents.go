package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"agentleague/files"
	"agentleague/host"
	"agentleague/internal/term"
	"agentleague/league"
	"agentleague/referee"
	"agentleague/server"
)

func (a *app) managerCommand() *cobra.Command {
	var port int
	var leagueID, when, guests string
	var after, pace time.Duration
	var strict, invitedOnly bool
	cmd := &cobra.Command{Use: "manager", Short: "Run a league manager",
		Example: "  league manager --start-when players=4,referees=2\n  league manager --port 0 --league-id spring --start-after 5m\n  league manager --invited-only --guests never"}
	cmd.Flags().IntVar(&port, "port", 8000, "the port to listen on; 0 takes a free one")
	cmd.Flags().StringVar(&leagueID, "league-id", "", "the league (default: the root's)")
	cmd.Flags().StringVar(&when, "start-when", "", "start when so many are there, such as players=4,referees=1")
	cmd.Flags().DurationVar(&after, "start-after", 0, "start after this time (default: the registration window of config/system.json)")
	cmd.Flags().DurationVar(&pace, "pace", 0, "rest between two rounds, for watching")
	cmd.Flags().BoolVar(&strict, "strict", false, "refuse messages with an incomplete envelope")
	cmd.Flags().BoolVar(&invitedOnly, "invited-only", false, "let only agents join that have a join key from league invite, and the organiser's own (default: the league's, false)")
	cmd.Flags().StringVar(&guests, "guests", "", "when referees may join that are not the organiser's: before_start, invited or never (default: the league's, before_start)")
	a.netFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		players, referees, err := parseWhen(when)
		if err != nil {
			return err
		}
		if guests != "" && !slices.Contains(files.GuestReferees, guests) {
			return wrongUsage("--guests: use %s, got %q", strings.Join(files.GuestReferees, ", "), guests)
		}
		h, err := a.open(leagueID)
		if err != nil {
			return err
		}
		return a.runManager(cmd.Context(), h, port, func(o *league.Options) {
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
func (a *app) runManager(ctx context.Context, h *host.Env, port int, edit func(*league.Options)) error {
	life, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	c, err := server.Open(life, h, server.Options{Port: port, Edit: edit, Prove: prover(h)})
	if err != nil {
		return err
	}
	if err := c.Discover(); err != nil {
		stop()
		return errors.Join(err, c.Wait())
	}
	m := c.First.Manager
	a.say(map[string]string{"endpoint": c.At.URL, "league_id": h.League.LeagueID}, "manager of %s at %s", h.League.LeagueID, c.At.URL)
	a.watchAt(c.At.URL)
	a.noteDown(m)
	for _, l := range c.Running()[1:] {
		fmt.Fprintf(a.err, "It also runs %s at %s\n", l.ID(), l.Endpoint())
	}
	shown := newProgress(a, m)
	shown.follow(ctx, m.Done())
	select {
	case <-m.Done():
		a.settle(m)
		shown.final()
		a.noteDown(m)
		fmt.Fprintln(a.err, "The league is over. The manager goes on answering questions; interrupt it to end it.")
		<-ctx.Done()
		if c.Busy() {
			a.leave(c.Drain)
			a.away = c.Away
			a.left()
		}
	case <-ctx.Done():
		a.leave(c.Drain)
		a.away = c.Away
		a.left()
	case <-m.Ended():
		err = m.Err()
	}
	stop()
	return errors.Join(err, c.Wait())
}

func (a *app) refereeCommand() *cobra.Command {
	var f agentFlags
	var maxMatches int
	cmd := a.managedBy(&cobra.Command{Use: "referee", Short: "Run a referee",
		Example: "  league referee --port 8001 --name \"Referee Alpha\"\n  league referee --port 0 --manager http://localhost:8000/mcp --max-matches 8"})
	a.agentFlags(cmd, &f, 8001, "Referee")
	cmd.Flags().IntVar(&maxMatches, "max-matches", 2, "matches at a time")
	cmd.Flags().StringVar(&f.secretFile, "referee-secret", "", "a copy of data/secrets/referee from the manager's root, for the organiser's referee on another machine")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		h, err := a.open(f.LeagueID)
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
		agent.Leave = a.leave
		r := host.Referee{Agent: agent, MaxMatches: maxMatches, Secret: secret}
		if !a.json {
			r.Recorder = func(kept referee.Recorder) referee.Recorder { return &aloudRecorder{kept, a} }
		}
		err = h.RunReferee(cmd.Context(), r, a.manager, a.joined(f.Name))
		return a.ended(cmd.Context(), err)
	}
	return cmd
}

func (a *app) playerCommand() *cobra.Command {
	var f agentFlags
	var strategy string
	cmd := a.managedBy(&cobra.Command{Use: "player", Short: "Run a player",
		Example: "  league player --port 8101 --name \"Agent Alpha\"\n  league player --port 0 --strategy history --id P07"})
	a.agentFlags(cmd, &f, 8101, "Agent")
	cmd.Flags().StringVar(&strategy, "strategy", "random", "how it chooses: random, alternate or history")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		mind, err := strategyNamed(strategy)
		if err != nil {
			return err
		}
		h, err := a.open(f.LeagueID)
		if err != nil {
			return err
		}
		if !a.json {
			mind = &aloud{Strategy: mind, app: a}
		}
		agent, err := f.agent()
		if err != nil {
			return err
		}
		agent.Leave = a.leave
		err = h.RunPlayer(cmd.Context(), host.Player{Agent: agent, Strategy: mind}, a.manager, a.joined(f.Name))
		return a.ended(cmd.Context(), err)
	}
	return cmd
}

// agentFlags are the flags of referees and players. Without a name an agent is called after the id that
// it asks for, or its port, or its process.
func (a *app) agentFlags(cmd *cobra.Command, f *agentFlags, port int, kind string) {
	cmd.Flags().IntVar(&f.Port, "port", port, "the port to listen on; 0 takes a free one")
	cmd.Flags().StringVar(&f.Name, "name", "", "the name in the table (default: after its id, port or process)")
	cmd.Flags().StringVar(&f.ID, "id", "", "the id to ask for")
	cmd.Flags().StringVar(&f.LeagueID, "league-id", "", "the league to join (default: the manager's)")
	cmd.Flags().StringVar(&f.joinKeyFile, "join-key-file", "", "a file with the join key of an invitation (default: LEAGUE_JOIN_KEY, if it is set)")
	cmd.Flags().BoolVar(&f.Strict, "strict", false, "refuse messages with an incomplete envelope")
	a.netFlags(cmd)
	cmd.PreRun = func(*cobra.Command, []string) {
		f.JoinKey = os.Getenv(joinKeyVariable)
		if f.Name == "" {
			f.Name = fmt.Sprintf("%s %s", kind, cmp.Or(f.ID, fmt.Sprint(cmp.Or(f.Port, os.Getpid()))))
		}
		if !a.json {
			f.Listening = func(url string) { fmt.Fprintf(a.err, "%s listens at %s\n", f.Name, url) }
		}
	}
}

// joined tells that an agent is in the league, and where it is.
func (a *app) joined(name string) func(id, at string) {
	return func(id, at string) {
		a.say(map[string]any{"name": name, "id": id, "endpoint": at, "manager": a.manager},
			"%s is %s at %s, registered with %s", name, term.Brief(id), at, a.manager)
	}
}

// watchAt tells where people can watch.
func (a *app) watchAt(endpoint string) {
	if !a.json {
		fmt.Fprintf(a.err, "Watch it at %s\n", server.PageOf(endpoint))
	}
}

// say prints a result, as a JSON object or as a line.
func (a *app) say(object any, format string, args ...any) {
	if a.json {
		_ = a.print(object)
		return
	}
	fmt.Fprintf(a.out, format+"\n", args...)
}
