package league

import (
	"fmt"
	"slices"

	"agentleague/protocol"
)

// A Decision is what parts two players of a table that stand next to each other: a rule, and what each of them has by
// it.
type Decision struct {
	Rule         string // "": no rule tells them apart
	Above, Below int
}

// Decisions tells for each row of a table but the last what puts it above the next.
func Decisions(table []protocol.Standing, matches []Played, scoring protocol.Scoring, tiebreakers []string) []Decision {
	out := make([]Decision, max(len(table)-1, 0))
	groups, met := []level{levelOf(table)}, among(slices.Values(matches))
	for _, name := range tiebreakers {
		count := func(*protocol.Standing) int { return 0 }
		if r := ruleOf(name); r.count != nil {
			count = r.count(groups, met, scoring)
		}
		groups = split(groups, name, met, scoring)
		end := 0
		for _, g := range groups[:max(len(groups)-1, 0)] {
			if end += len(g); out[end-1].Rule == "" {
				out[end-1] = Decision{name, count(&table[end-1]), count(&table[end])}
			}
		}
	}
	return out
}

// Words say why the upper player is above the other, who has that name.
func (d Decision) Words(name string) string {
	if words := ruleOf(d.Rule).words; words != "" {
		return fmt.Sprintf("above %s "+words, name, d.Above, d.Below)
	}
	return fmt.Sprintf("tied with %s on every rule: they share the rank", name)
}
