// Package formattest tests that a format keeps the contract of package format.
//
//	func TestLaws(t *testing.T) { formattest.Run(t, f, formattest.Histories()) }
//	func FuzzNext(f *testing.F) { formattest.Fuzz(f) }
//
// Run plays seeded leagues of 2 to 200 players. Half of them are disturbed: players forfeit, rest, join late, leave, and
// results are annulled and played again. The laws of a round are in laws.go, those of a whole league in ends.go.
//
//	league ─▶ Field ─▶ Next ─▶ laws ─▶ results ─┐        all rounds ─▶ laws of the end
//	            ▲                               │             └─▶ Next again, with all later facts ─▶ same?
//	            └──────── disturbances ◀────────┘
package formattest

import (
	"fmt"
	"os"
	"testing"

	"agentleague/format"
)

// Histories returns the number of leagues to play: 200, or 10,000 with LEAGUE_LONG=1.
func Histories() int {
	if os.Getenv("LEAGUE_LONG") != "" {
		return 10_000
	}
	return 200
}

// Run plays the given number of seeded leagues in f and fails t with the first law that f breaks.
func Run(t *testing.T, f format.Format, histories int) {
	t.Helper()
	for seed := range histories {
		if err := check(f, seed); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

// check plays one league.
func check(f format.Format, seed int) error {
	l := newLeague(f, seed)
	if err := f.Check(l.settings); err != nil {
		return fmt.Errorf("settings %+v: %w", l.settings, err)
	}
	if err := l.play(); err != nil {
		return fmt.Errorf("%d players, %+v: %w", l.initial, l.settings, err)
	}
	return nil
}
