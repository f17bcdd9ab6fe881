package league

import "agentleague/protocol"

// A Decision is what parts two players of a table that stand next to each other: a rule, and what each of them has by
// it.
type Decision struct {
	Rule         string // "": no rule tells them apart
	Above, Below int
}

// Decisions tells for each row of a table but the last what puts it above the next.
func Decisions(table []protocol.Standing, matches []Played, scoring protocol.Scoring, tiebreakers []string) []Decision {
	out := make([]Decision, max(len(table)-1, 0))
	groups := [][]protocol.Standing{table}
	for _, rule := range tiebreakers {
		count := value(rule, groups, matches, scoring)
		groups = split(groups, rule, matches, scoring)
		end := 0
		for _, g := range groups[:max(len(groups)-1, 0)] {
			if end += len(g); out[end-1].Rule == "" {
				out[end-1] = Decision{rule, count(table[end-1]), count(table[end])}
			}
		}
	}
	return out
}
