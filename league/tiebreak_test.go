package league

import (
	"slices"
	"testing"

	"agentleague/protocol"
)

// Each row is above the next by the first rule that distinguishes them, and only by that.
func TestDecisionsNameTheRuleThatParts(t *testing.T) {
	t.Parallel()
	won := func(a, b string) Played { return Played{a, b, Result{Status: protocol.Win, Winner: a}} }
	drawn := func(a, b string) Played { return Played{a, b, Result{Status: protocol.Draw}} }
	name := func(id string) string { return id }
	for what, c := range map[string]struct {
		players []string
		matches []Played
		want    []Decision
	}{
		"nobody":         {nil, nil, []Decision{}},
		"one":            {[]string{"P01"}, nil, []Decision{}},
		"points":         {[]string{"P01", "P02"}, []Played{won("P02", "P01")}, []Decision{{"points", 3, 0}}},
		"nothing played": {[]string{"P01", "P02"}, nil, []Decision{{"player_id", 0, 0}}},
		"wins": {[]string{"P01", "P02", "P03", "P04"}, []Played{
			won("P02", "P03"), drawn("P01", "P03"), drawn("P01", "P04"), drawn("P01", "P03"),
		}, []Decision{
			{"wins", 1, 0}, {"points", 3, 2}, {"points", 2, 1},
		}},
		"head to head": {[]string{"P01", "P02", "P03", "P04"}, []Played{
			won("P02", "P01"), won("P01", "P03"), won("P03", "P04"),
		}, []Decision{
			{"player_id", 0, 0}, {"head_to_head", 3, 0}, {"points", 3, 0},
		}},
	} {
		table := newTable(c.players, name, c.matches, protocol.DefaultScoring, Tiebreakers)
		if got := table.Decisions; !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v for %v", what, got, c.want, table.Rows)
		}
	}
}

// The rule names that settings accept are the names of the existing rules; the default order is a copy.
func TestEveryRuleHasItsNameAndEveryNameItsRule(t *testing.T) {
	t.Parallel()
	var names []string
	for _, r := range rules {
		names = append(names, r.name)
	}
	if !slices.Equal(slices.Sorted(slices.Values(names)), slices.Sorted(slices.Values(protocol.TiebreakRules))) {
		t.Errorf("rules %v, names %v: want the same", names, protocol.TiebreakRules)
	}
	if err := CheckTiebreakers(Tiebreakers); err != nil {
		t.Error(err)
	}
}
