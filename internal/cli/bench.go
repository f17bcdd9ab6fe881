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
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"agentleague/bench"
	"agentleague/host"
	"agentleague/player"
	"agentleague/protocol"
)

func benchCommand(a *app) *cobra.Command {
	var o bench.Options
	cmd := &cobra.Command{Use: "bench", Short: "Measure what a match costs, compared with two fixed yardsticks",
		Long: "Measure what a match costs. A league runs as separate processes over real HTTP with every guarantee " +
			"on, in turns with two\n" +
			"fixed yardsticks and a larger league. It takes about a minute and uses a temporary folder beside --root.",
		Example: "  league bench\n  league bench --json --players 100 --crowd 1000 --in-flight 16"}
	cmd.Flags().IntVar(&o.Players, "players", 100, "number of players")
	cmd.Flags().IntVar(&o.Crowd, "crowd", 1000, "number of players in the larger league")
	cmd.Flags().IntVar(&o.InFlight, "in-flight", 16, "matches at a time")
	cmd.Flags().IntVar(&o.Held, "held", 200, "matches at a time when memory per match is measured")
	cmd.Flags().IntVar(&o.Slices, "slices", 9, "number of turns")
	cmd.Flags().DurationVar(&o.Slice, "slice", time.Second, "how long the league plays in each turn")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := checkBench(o); err != nil {
			return err
		}
		return runBench(cmd.Context(), a, o)
	}
	cmd.AddCommand(benchPartCommand(a))
	return cmd
}

func checkBench(o bench.Options) error {
	for _, flag := range []struct {
		name     string
		got, min int
	}{{"players", o.Players, 2}, {"crowd", o.Crowd, 2}, {"in-flight", o.InFlight, 1}, {"held", o.Held, 1}, {"slices", o.Slices, 1}} {
		if flag.got < flag.min {
			return wrongUsage("--%s: want at least %d, got %d", flag.name, flag.min, flag.got)
		}
	}
	if o.Slice < 50*time.Millisecond {
		return wrongUsage("--slice: want at least 50ms, got %s", o.Slice)
	}
	return nil
}

// runBench measures on the disk of the root, in a folder of its own.
func runBench(ctx context.Context, a *app, o bench.Options) error {
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
	o.Say = func(what string) { fmt.Fprintln(a.err, what+" …") }
	r, err := bench.Run(ctx, o)
	switch {
	case ctx.Err() != nil:
		return errors.New("interrupted; nothing was measured")
	case err != nil:
		return err
	case a.json:
		return a.print(r)
	}
	showBench(a.out, r)
	return nil
}

// showBench prints a result as lines.
func showBench(w io.Writer, r bench.Result) {
	line := func(name string, f *bench.Figure) {
		if f != nil {
			fmt.Fprintf(w, "  %-34s %10.2f   %.2f to %.2f\n", name, f.Median, f.Min, f.Max)
		}
	}
	fmt.Fprintf(w, "%d players, %d matches at a time, %d slices of %.2g s each, on %d cores: median and range\n", r.Players, r.InFlight, r.Slices, r.SliceSec, r.Cores)
	line("matches a second", r.MatchesPerSec)
	line("exchanges a match", r.ExchangesPerMatch)
	line("exchanges a second", r.ExchangesPerSec)
	line("R_std, exchanges a second", r.StdPerSec)
	line("R_null, exchanges a second", r.NullPerSec)
	line("exchanges / R_null", r.RatioNull)
	line("CPU per match, ms", r.CPUMsPerMatch)
	line("CPU per exchange, µs", r.CPUUsPerExchange.Total)
	line("R_std, CPU per exchange, µs", r.StdCPUUs)
	line("reads and writes per match", r.ReadsAndWritesPerMatch)
	line("matches a second, unsigned", r.Unsigned.MatchesPerSec)
	line("CPU per match, ms", r.Unsigned.CPUMsPerMatch)
	line(fmt.Sprintf("matches a second, %d players", r.Crowd.Players), r.Crowd.MatchesPerSec)
	line("CPU per match, ms", r.Crowd.CPUMsPerMatch)
	fmt.Fprintf(w, "  %-34s %10.2f   99 %%: %.2f\n\n", "median time of a match, ms", r.P50Ms, r.P99Ms)
	showRoles(w, r)
	for _, b := range r.Bars {
		verdict, value := "not measured", "-"
		if b.Pass != nil {
			value = fmt.Sprintf("%.2f", *b.Value)
			if verdict = "short"; *b.Pass {
				verdict = "ok"
			}
		}
		fmt.Fprintf(w, "  %-46s %10s   %-7s %s\n", b.Name, value, b.Bar, verdict)
	}
}

// showRoles prints what each kind of process takes.
func showRoles(w io.Writer, r bench.Result) {
	median := func(f *bench.Figure) float64 {
		if f == nil {
			return 0
		}
		return f.Median
	}
	fmt.Fprintf(w, "  %-28s %10s %10s %10s %10s\n", "", "referee", "players", "manager", "all")
	for _, row := range []struct {
		name string
		of   bench.Roles
	}{
		{"allocations per match", r.AllocsPerMatch}, {"allocations per exchange", r.AllocsPerExchange}, {"CPU per exchange, µs", r.CPUUsPerExchange},
	} {
		fmt.Fprintf(w, "  %-28s %10.1f %10.1f %10.1f %10.1f\n", row.name, median(row.of.Referee), median(row.of.Players), median(row.of.Manager),
			median(row.of.Total))
	}
	fmt.Fprintln(w)
}

// benchPartCommand is what the bench starts: everything that runs in a process of its own.
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
			return runCrowd(cmd.Context(), a, f.LeagueID, players, apart, unsigned)
		case "std", "null":
			return bench.Serve(cmd.Context(), args[0], func(at string) { a.say(map[string]string{"endpoint": at}, "R_%s at %s", args[0], at) })
		}
		return wrongUsage("unknown part %q: use crowd, std or null", args[0])
	}
	return cmd
}

// runCrowd hosts many players at one port until ctx ends.
func runCrowd(ctx context.Context, a *app, leagueID string, players int, apart, unsigned bool) error {
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
	c := host.NewCrew(ctx)
	for n := range players {
		p := host.Player{Strategy: player.Random(nil), Stay: true, Unsigned: unsigned, Agent: host.Agent{
			Shared: shared, Name: host.NameOf("Agent", n), ID: protocol.AgentID(protocol.RolePlayer, n+1), LeagueID: h.League.LeagueID,
		}}
		if apart || unsigned { // who shows no key has a port to itself
			p.Shared = nil
		}
		c.Start(func(ready func(id, at string)) error {
			return h.RunPlayer(life, p, a.manager, func(id, at string) {
				if n == 0 {
					first = at
				}
				ready(id, at)
			})
		})
	}
	c.Registered()
	if c.Context.Err() == nil {
		debug.FreeOSMemory() // what is idle is measured, not what it took to get there
		a.say(map[string]any{"endpoint": first, "players": players}, "%d players, the first at %s", players, first)
		<-c.Context.Done()
	}
	stop()
	c.Wait()
	err = host.NotCancelled(context.Cause(c.Context))
	return cmp.Or(err, <-at.Ended)
}
