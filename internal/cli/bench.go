package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"agentleague/host"
	"agentleague/internal/bench"
	"agentleague/internal/cli/usage"
	"agentleague/internal/collector"
	"agentleague/player"
	"agentleague/protocol"
)

// benchCommand is `league bench`. Its processes are this program again, with a hidden verb.
func benchCommand(a *app) *cobra.Command {
	var o bench.Options
	var guides []string
	cmd := &cobra.Command{Use: "bench", Short: "Measure what a match costs, compared with two fixed yardsticks",
		Long: "Measure what a match costs. A league runs as separate processes over real HTTP with every guarantee " +
			"on, in turns with two\n" +
			"fixed yardsticks and a larger league. It takes about a minute and uses a temporary folder beside --root.",
		Example: "  league bench\n  league bench --json --players 100 --crowd 1000 --in-flight 64"}
	cmd.Flags().IntVar(&o.Players, "players", 100, "number of players")
	cmd.Flags().IntVar(&o.Crowd, "crowd", 1000, "number of players in the larger league")
	cmd.Flags().IntVar(&o.InFlight, "in-flight", bench.InFlightPerCore*runtime.NumCPU(), "matches at a time: 32 for each core, unless given")
	cmd.Flags().IntVar(&o.Held, "held", 200, "matches at a time when memory per match is measured")
	cmd.Flags().IntVar(&o.Slices, "slices", 9, "number of turns")
	cmd.Flags().DurationVar(&o.Slice, "slice", time.Second, "how long the league plays in each turn")
	cmd.Flags().StringArrayVar(&guides, "guide", nil, "replace the figures in Markdown files, between the markers in them")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := checkBench(o); err != nil {
			return err
		}
		return runBench(cmd.Context(), a, o, guides)
	}
	cmd.AddCommand(benchPartCommand(a))
	return cmd
}

// checkBench rejects sizes that measure nothing, before any process is started.
func checkBench(o bench.Options) error {
	for _, flag := range []struct {
		name     string
		got, min int
	}{{"players", o.Players, 2}, {"crowd", o.Crowd, 2}, {"in-flight", o.InFlight, 1}, {"held", o.Held, 1}, {"slices", o.Slices, 1}} {
		if flag.got < flag.min {
			return usage.Wrong("--%s: want at least %d, got %d", flag.name, flag.min, flag.got)
		}
	}
	if o.Slice < 50*time.Millisecond {
		return usage.Wrong("--slice: want at least 50ms, got %s", o.Slice)
	}
	return nil
}

// runBench runs the benchmark in a temporary folder on the data directory's disk, prints the result and writes it to
// the guides.
func runBench(ctx context.Context, a *app, o bench.Options, guides []string) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	root, err := filepath.Abs(a.root)
	if err != nil {
		return err
	}
	if o.Folder, err = os.MkdirTemp(filepath.Dir(root), ".league-bench-"); err != nil {
		return fmt.Errorf("%w; choose the disk to measure with --root", err)
	}
	defer os.RemoveAll(o.Folder)
	o.Program = []string{program}
	o.Progress = func(step string) { fmt.Fprintln(a.err, step+" …") }
	r, err := bench.Run(ctx, o)
	switch {
	case ctx.Err() != nil:
		return errors.New("interrupted; nothing was measured")
	case err != nil:
		return err
	case a.json:
		err = a.print(r)
	default:
		_, err = io.WriteString(a.out, r.Text())
	}
	for _, guide := range guides {
		err = errors.Join(err, r.WriteGuide(guide))
	}
	return err
}

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
		return usage.Wrong("unknown part %q: use crowd, std or null", args[0])
	}
	return cmd
}

// A benchCrowd describes the players of a bench.
type benchCrowd struct {
	players         int
	apart, unsigned bool // each has its own port; none has a key
}

// runCrowd hosts many players until ctx ends, on one shared port or on one port each.
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
	c, restore := host.NewCrew(ctx), collector.CollectOften()
	c.Bounded = true
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
	restore()
	if c.Context.Err() == nil {
		a.say(map[string]any{"endpoint": first, "players": crowd.players}, "%d players, the first at %s", crowd.players, first)
		<-c.Context.Done()
	}
	stop()
	c.Wait()
	err = host.NotCancelled(context.Cause(c.Context))
	return cmp.Or(err, <-at.Ended)
}
