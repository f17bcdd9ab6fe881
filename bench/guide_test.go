package bench

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A guide has the new figures between its markers, and every other word as it was.
func TestAGuideIsGivenTheFigures(t *testing.T) {
	file := filepath.Join(t.TempDir(), "speed.md")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	f := &Figure{Median: 12345.6, Min: 0.123, Max: 20000}
	r := Result{
		MatchesPerSec: f, AllocsPerMatch: Roles{Total: f}, SyscallsPerMatch: map[string]float64{"read": 2, total: 7.25},
		Bars: []Bar{{Name: "ratio_std", Bar: "≥ 0.7", Value: new(0.75), Pass: new(true)}, {Name: "other", Bar: "≤ 1"}},
	}
	write("before\n" + guideBegin + "old\n" + guideEnd + "after\n")
	if err := r.WriteGuide(file); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	got := string(text)
	if err != nil || !strings.HasPrefix(got, "before\n"+guideBegin) || !strings.HasSuffix(got, guideEnd+"after\n") || strings.Contains(got, "old\n") {
		t.Errorf("got %v, %q", err, got)
	}
	for _, want := range []string{
		"| `ratio_std` | ≥ 0.7 | 0.75 | reached |", "| `other` | ≤ 1 | not measured |  |", "| matches a second | 12,346 | 0.12 to 20,000 |",
		"| objects for a match | - | - | - | 12,346 |", "total 7.2, read 2.0",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	write("no markers\n")
	if err := r.WriteGuide(file); err == nil || !strings.Contains(err.Error(), "are missing") {
		t.Errorf("without markers: got %v", err)
	}
}

func TestASeriesIsDrawnInTwoFiles(t *testing.T) {
	one := Sample{At: 100, MatchesPerSec: &Figure{400, 390, 410}, AllocsPerMatch: &Figure{800, 790, 810}, CPUMsPerMatch: &Figure{1.2, 1.1, 1.3}}
	folder := filepath.Join(t.TempDir(), "new")
	if err := (Series{Players: []Sample{one}, InFlight: []Sample{one}}).WritePlots(folder); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"speed-players.svg", "speed-in-flight.svg"} {
		if text, err := os.ReadFile(filepath.Join(folder, name)); err != nil || strings.Count(string(text), "<circle") != 2 {
			t.Errorf("%s: got %v, %s", name, err, text)
		}
	}
}
