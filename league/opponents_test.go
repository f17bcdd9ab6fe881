package league

import (
	"slices"
	"testing"

	"agentleague/protocol"
)

// Buchholz and Sonneborn-Berger of a Swiss tournament of four players and three rounds, which were computed by hand
// with 1 point for a win and half a point for a draw, doubled. The forfeit of P03 counts as an unplayed round: P03 and
// P04 then have a dummy opponent with as many points as themselves.
func TestBuchholzAndSonnebornBerger(t *testing.T) {
	t.Parallel()
	scoring := protocol.Scoring{Win: 2, Draw: 1}
	won := func(a, b string) Played { return Played{a, b, Result{Status: protocol.Win, Winner: a}} }
	drawn := func(a, b string) Played { return Played{a, b, Result{Status: protocol.Draw}} }
	matches := []Played{
		won("P01", "P02"), {"P03", "P04", Result{Status: protocol.TechnicalLoss, Winner: "P04", Forfeits: map[string]string{"P03": "E001"}}},
		drawn("P01", "P04"), won("P02", "P03"),
		won("P01", "P03"), drawn("P02", "P04"),
	}
	players := []string{"P01", "P02", "P03", "P04"} // 5, 3, 0 and 4 points
	rows := tally(players, matches, scoring)
	met := among(slices.Values(matches))
	met.rounds = 3
	groups := []level{levelOf(rows)}
	for name, want := range map[string][]int{
		"buchholz":         {3 + 4 + 0, 5 + 0 + 4, 0 + 3 + 5, 4 + 5 + 3},
		"sonneborn_berger": {2*3 + 4 + 2*0, 2*0 + 4, 0, 2*4 + 5 + 3},
	} {
		count := ruleOf(name).count(groups, met, scoring)
		for i := range rows {
			if got := count(&rows[i]); got != want[i] {
				t.Errorf("%s of %s: got %d, want %d", name, players[i], got, want[i])
			}
		}
	}
	rows = tally(players[:1], nil, scoring)
	rows[0].Points = 2
	met = meetings{of: among(slices.Values([]Played(nil))).of, rounds: 1, until: 1, credit: func(string, int) int { return 2 }}
	for name, want := range map[string]int{"buchholz": 2, "sonneborn_berger": 4} {
		if got := ruleOf(name).count([]level{levelOf(rows)}, met, scoring)(&rows[0]); got != want {
			t.Errorf("%s of a bye: got %d, want %d", name, got, want)
		}
	}
}
