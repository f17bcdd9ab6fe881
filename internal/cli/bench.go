package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"agentleague/internal/bench"
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

// checkBench refuses sizes that measure nothing, before any process is started.
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

// runBench measures on the disk of the root, in a temporary folder, and prints the result and writes it to the guides.
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
