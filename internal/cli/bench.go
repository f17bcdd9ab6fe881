package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"agentleague/bench"
)

// benchCommand is `league bench`. Its processes are this program again, with a verb that is not listed.
func benchCommand(a *app) *cobra.Command {
	var o bench.Options
	var plots, guide string // where to keep what was measured
	var sizes []int
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
	cmd.Flags().StringVar(&o.Python, "python", "python3", "the Python for the league that this one is compared with; "+
		"\"\" for none")
	cmd.Flags().IntVar(&o.Thinkers, "thinkers", 0, "also play one round of this many players that think before they choose")
	cmd.Flags().DurationVar(&o.Think, "think", 2*time.Second, "how long each of them thinks")
	cmd.Flags().StringVar(&plots, "plot", "", "also measure leagues of --plot-players and 1 to 64 matches at a time, "+
		"and draw that as SVG in a folder")
	cmd.Flags().IntSliceVar(&sizes, "plot-players", []int{100, 300, 1000, 3000, 10000}, "the leagues that --plot compares")
	cmd.Flags().StringVar(&guide, "guide", "", "replace the figures in a Markdown file, between the markers in it")
	cmd.Flags().StringVar(&o.Profile, "profile", "", "write CPU, allocation and heap profiles of the league's processes "+
		"to a folder")
	cmd.Flags().BoolVar(&o.Syscalls, "syscalls", false, "count all system calls of a match, with perf or strace")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if plots != "" {
			o.PlotPlayers = sizes
		}
		if err := checkBench(o); err != nil {
			return err
		}
		return runBench(cmd.Context(), a, o, func(r bench.Result) error { return keepBench(r, plots, guide) })
	}
	cmd.AddCommand(benchPartCommand(a))
	return cmd
}

// checkBench refuses what would measure nothing, before anything is started.
func checkBench(o bench.Options) error {
	for _, flag := range []struct {
		name     string
		got, min int
	}{{"players", o.Players, 2}, {"crowd", o.Crowd, 2}, {"in-flight", o.InFlight, 1}, {"held", o.Held, 1}, {"slices", o.Slices, 1}} {
		if flag.got < flag.min {
			return wrongUsage("--%s: want at least %d, got %d", flag.name, flag.min, flag.got)
		}
	}
	for _, players := range o.PlotPlayers {
		if players < 2 {
			return wrongUsage("--plot-players: want at least 2, got %d", players)
		}
	}
	if o.Slice < 50*time.Millisecond {
		return wrongUsage("--slice: want at least 50ms, got %s", o.Slice)
	}
	return nil
}

// keepBench draws a result, and writes it to a guide, where that is wanted.
func keepBench(r bench.Result, plots, guide string) (err error) {
	if plots != "" {
		err = r.Series.WritePlots(plots)
	}
	if guide != "" {
		err = errors.Join(err, r.WriteGuide(guide))
	}
	return err
}

// runBench measures on the disk of the root, in a folder of its own, and prints and keeps what came of it.
func runBench(ctx context.Context, a *app, o bench.Options, keep func(bench.Result) error) error {
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
		err = a.print(r)
	default:
		showBench(a.out, r)
	}
	return errors.Join(err, keep(r))
}
