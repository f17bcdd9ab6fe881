package bench

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func someResult() Result {
	f := &Figure{Median: 12345.6, Min: 0.123, Max: 20000}
	return Result{
		System: "linux/amd64", Cores: 2, Players: 100, InFlight: 64, Slices: 9, SliceSec: 1, MatchesPerSec: f, P50Ms: 4, P99Ms: 9,
		AllocsPerMatch: Roles{Total: f}, CPUMsPerMatch: &Figure{Median: 0.99}, ExchangesPerMatch: &Figure{Median: 14},
		CPUUsPerExchange: Roles{Referee: &Figure{Median: 27.7}}, RSSPerMatchInFlight: 80.6, RSSPerIdlePlayer: 8.96,
		Bars: []Bar{
			{Name: "ratio_std", Bar: "≥ 0.7", Value: new(0.75), Pass: new(true)}, {Name: "slow", Bar: "≤ 1", Value: new(2.), Pass: new(false)},
			{Name: "other", Bar: "≤ 1", Note: "this system does not report it"},
		},
		WrongTokensRefused: 99, Verified: []Verified{{Results: 1000}, {Results: 500}},
	}
}

func TestATerminalShowsBarsFiguresAndRoles(t *testing.T) {
	got := someResult().Text()
	for _, want := range []string{
		"linux/amd64, 2 cores; 100 players, 64 matches at a time, 9 slices of 1 s; medians, and the range where there is one.\n",
		"  ratio_std                                 ≥ 0.7         0.75      reached\n",
		"  slow                                        ≤ 1            2        short\n",
		"  other                                       ≤ 1            - not measured: this system does not report it\n",
		"  matches a second                         12,346 0.12 to 20,000\n",
		"  time of a match, ms                           4      99 %: 9\n",
		"  objects for a match                           -            -            -       12,346\n",
		"99 messages with a wrong token were refused. `league verify` verified all 1,500 results of 2 leagues.\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("got\n%s, want in it\n%s", got, want)
		}
	}
}

// A guide has the new figures between its markers, and all other text unchanged.
func TestGuidesAreGivenTheFigures(t *testing.T) {
	file := filepath.Join(t.TempDir(), "speed.md")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const figures, capacity = "<!-- league bench: figures -->\n", "<!-- league bench: capacity -->\n"
	write("before\n" + figures + "old\n" + endMark + "between\n" + capacity + "old\n" + endMark + "after\n")
	if err := someResult().WriteGuide(file); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	got := string(text)
	if err != nil || !strings.HasPrefix(got, "before\n"+figures) || !strings.Contains(got, endMark+"between\n"+capacity) ||
		!strings.HasSuffix(got, endMark+"after\n") || strings.Contains(got, "old\n") {
		t.Errorf("got %v, %q", err, got)
	}
	for _, want := range []string{
		"| ratio_std | ≥ 0.7 | 0.75 | reached |\n", "| matches a second | 12,346 | 0.12 to 20,000 |\n",
		"| objects for a match | - | - | - | 12,346 |\n",
		"| CPU of a match, all processes | 0.99 ms: referee 0.39, manager -, players - |\n",
		"| memory of a match in play, with its referee | 80.6 KiB |\n",
	} {
		if strings.Count(got, want) != 1 {
			t.Errorf("%q is not in it once:\n%s", want, got)
		}
	}
	for _, text := range []string{"no markers\n", figures + "no end\n"} {
		write(text)
		if err := someResult().WriteGuide(file); err == nil || !strings.Contains(err.Error(), "no block") {
			t.Errorf("%q: got %v", text, err)
		}
	}
}

func TestNumbersAreShort(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 0.25: "0.25", 1.2345: "1.23", 999.6: "1,000", 10000: "10,000", 1234567: "1,234,567", 64: "64"} {
		if got := number(v); got != want {
			t.Errorf("%v: got %q, want %q", v, got, want)
		}
	}
}
