package cli

import (
	"strings"
	"testing"

	"agentleague/bench"
)

func TestABenchIsShownWithItsBars(t *testing.T) {
	t.Parallel()
	f := &bench.Figure{Median: 2, Min: 1, Max: 3}
	short, ok, value := false, true, 0.5
	var out strings.Builder
	showBench(&out, bench.Result{
		Players: 2, InFlight: 1, Slices: 9, SliceSec: 0.1, Cores: 2, MatchesPerSec: f, P50Ms: 4, P99Ms: 9,
		Bars: []bench.Bar{
			{Name: "ratio_std", Bar: "≥ 1.3", Value: &value, Pass: &short}, {Name: "crowd.cpu_ratio", Bar: "≤ 1.15", Value: &value, Pass: &ok},
			{Name: "another", Bar: "≥ 25"},
		},
	})
	for _, want := range []string{
		"2 players, 1 matches at a time, 9 slices of 0.1 s each, on 2 cores: median and range\n",
		"  matches a second                         2.00   1.00 to 3.00\n",
		"  median time of a match, ms               4.00   99 %: 9.00\n",
		"  ratio_std                                            0.50   ≥ 1.3   short\n",
		"  crowd.cpu_ratio                                      0.50   ≤ 1.15  ok\n",
		"  another                                                 -   ≥ 25    not measured\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("got\n%s, want in it\n%s", out.String(), want)
		}
	}
}
