package cli

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"

	"agentleague/bench"
)

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
	if r.Python != nil {
		line("matches a second, in Python", r.Python.MatchesPerSec)
		line("CPU per match, ms", r.Python.CPUMsPerMatch)
	}
	fmt.Fprintf(w, "  %-34s %10.2f   99 %%: %.2f\n\n", "median time of a match, ms", r.P50Ms, r.P99Ms)
	showRoles(w, r)
	showSyscalls(w, r.SyscallsPerMatch)
	for _, b := range r.Bars {
		verdict, value := "not measured", "-"
		if b.Pass != nil {
			value = fmt.Sprintf("%.2f", *b.Value)
			if verdict = "short"; *b.Pass {
				verdict = "ok"
			}
		}
		if b.Note != "" {
			verdict += ": " + b.Note
		}
		fmt.Fprintf(w, "  %-46s %10s   %-7s %s\n", b.Name, value, b.Bar, verdict)
	}
	showChecks(w, r)
}

// showChecks prints what was checked beside the figures.
func showChecks(w io.Writer, r bench.Result) {
	results := 0
	for _, v := range r.Verified {
		results += v.Results
	}
	fmt.Fprintf(w, "\n%d messages with a wrong token were refused. league verify: all %d results of %d leagues verified.\n",
		r.WrongTokensRefused, results, len(r.Verified))
}

// showSyscalls prints how often a match calls the system, the most frequent first.
func showSyscalls(w io.Writer, counts map[string]float64) {
	names := slices.SortedFunc(maps.Keys(counts), func(x, y string) int { return cmp.Compare(counts[y], counts[x]) })
	for _, name := range names {
		if counts[name] >= 0.1 {
			fmt.Fprintf(w, "  %-34s %10.1f\n", "system calls per match: "+name, counts[name])
		}
	}
	if len(names) > 0 {
		fmt.Fprintln(w)
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
