package league

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"agentleague/protocol"
)

// Tiebreakers is the default order of rules.
var Tiebreakers = protocol.DefaultTiebreakers

// A rule orders players that are tied by all rules before it.
type rule struct {
	name string // one of protocol.TiebreakRules
	// words is the format of an explanation that follows the name of the lower player; "%d to %d" are the two counts.
	words string
	// count returns a function that returns a player's value by the rule; the highest value ranks first. groups are the
	// players that are tied by the rules before. The field is nil for the rule that orders by id.
	count func(groups []level, met meetings, scoring protocol.Scoring) func(*protocol.Standing) int
}

// rules lists all rules. A new one needs a row here and a name in protocol.TiebreakRules; a league's settings select
// rules by name.
var rules = []rule{
	{"points", "on points: %d to %d", figure(func(s *protocol.Standing) int { return s.Points })},
	{"wins", "on wins: %d to %d", figure(func(s *protocol.Standing) int { return s.Wins })},
	{"draw_difference", "on draws: %d to %d", figure(func(s *protocol.Standing) int { return s.Draws })},
	{"head_to_head", "head to head: %d to %d points", headToHead},
	{"buchholz", "on Buchholz points: %d to %d", buchholz},
	{"sonneborn_berger", "on Sonneborn-Berger, doubled: %d to %d", sonnebornBerger},
	{"player_id", "", nil},
}

// ruleOf returns the rule of that name. For an unknown name it returns a rule that separates no players.
func ruleOf(name string) rule {
	for _, r := range rules {
		if r.name == name {
			return r
		}
	}
	return rule{name: name, count: figure(func(*protocol.Standing) int { return 0 })}
}

// rulesOf returns the rules of these names.
func rulesOf(names []string) []rule {
	out := make([]rule, len(names))
	for i, name := range names {
		out[i] = ruleOf(name)
	}
	return out
}

// CheckTiebreakers returns an error if one of the rules is unknown.
func CheckTiebreakers(names []string) error {
	for _, name := range names {
		if !slices.Contains(protocol.TiebreakRules, name) {
			return fmt.Errorf("tiebreakers: unknown rule %q; use %s",
				name, strings.Join(protocol.TiebreakRules, ", "))
		}
	}
	return nil
}

// order returns the rule's comparison of two players of a group, and the function that returns a player's value.
func (r rule) order(
	groups []level, met meetings, scoring protocol.Scoring,
) (compare func(a, b *protocol.Standing) int, count func(*protocol.Standing) int) {
	if r.count == nil {
		return func(a, b *protocol.Standing) int { return protocol.CompareIDs(a.PlayerID, b.PlayerID) },
			func(*protocol.Standing) int { return 0 }
	}
	count = r.count(groups, met, scoring)
	return func(a, b *protocol.Standing) int { return cmp.Compare(count(b), count(a)) }, count
}

// figure returns the count function of a rule that uses only a player's own row.
func figure(of func(*protocol.Standing) int) func([]level, meetings, protocol.Scoring) func(*protocol.Standing) int {
	return func([]level, meetings, protocol.Scoring) func(*protocol.Standing) int { return of }
}

// headToHead counts each player's points in matches against the other players of its group of tied players.
func headToHead(
	groups []level, met meetings, scoring protocol.Scoring,
) func(*protocol.Standing) int {
	group := map[string]int{} // of the players that are level with another
	for i, g := range groups {
		if len(g) == 1 {
			continue
		}
		for _, s := range g {
			group[s.PlayerID] = i + 1
		}
	}
	if len(group) == 0 {
		return func(*protocol.Standing) int { return 0 }
	}
	points := map[string]int{}
	for m := range met.of(groups) {
		if g := group[m.A]; g > 0 && g == group[m.B] {
			points[m.A] += m.Result.Points(m.A, scoring)
			points[m.B] += m.Result.Points(m.B, scoring)
		}
	}
	return func(s *protocol.Standing) int { return points[s.PlayerID] }
}
