package league

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"agentleague/protocol"
)

// Played is a match with its result, all that a table is made of.
type Played struct {
	A, B   string
	Result Result
}

// Standings computes the table from results. It is never kept up to date,
// always computed: what cannot be stale cannot be wrong.
func Standings(
	players []string, name func(id string) string, matches []Played, scoring protocol.Scoring, tiebreakers []string,
) []protocol.Standing {
	rows := tally(players, matches, scoring)
	groups := [][]protocol.Standing{rows}
	for _, rule := range tiebreakers {
		groups = split(groups, rule, matches, scoring)
	}
	table := slices.Concat(groups...)
	for i := range table {
		table[i].Rank, table[i].DisplayName = i+1, name(table[i].PlayerID)
	}
	return table
}

// tally adds up each player's matches, in the order of players.
func tally(players []string, matches []Played, scoring protocol.Scoring) []protocol.Standing {
	rows := make([]protocol.Standing, len(players))
	at := make(map[string]*protocol.Standing, len(players))
	for i, id := range players {
		rows[i].PlayerID = id
		at[id] = &rows[i]
	}
	for _, m := range matches {
		for _, id := range []string{m.A, m.B} {
			if row := at[id]; row != nil {
				add(row, m.Result, scoring)
			}
		}
	}
	return rows
}

func add(row *protocol.Standing, r Result, scoring protocol.Scoring) {
	row.Played++
	row.Points += r.Points(row.PlayerID, scoring)
	_, forfeited := r.Forfeits[row.PlayerID]
	switch {
	case forfeited:
		row.Losses++
		row.TechnicalLosses++
	case r.Winner == row.PlayerID:
		row.Wins++
	case r.Status == protocol.Draw:
		row.Draws++
	default:
		row.Losses++
	}
}

// split orders the players of each group by one rule and parts those whom it tells apart.
func split(
	groups [][]protocol.Standing, rule string, matches []Played, scoring protocol.Scoring,
) (out [][]protocol.Standing) {
	compare := comparison(rule, groups, matches, scoring)
	for _, g := range groups {
		g = slices.Clone(g)
		slices.SortStableFunc(g, compare)
		start := 0
		for i := range g {
			if compare(g[start], g[i]) != 0 {
				out = append(out, g[start:i])
				start = i
			}
		}
		out = append(out, g[start:])
	}
	return out
}

// comparison returns how a rule orders the players of a tied group.
func comparison(
	rule string, groups [][]protocol.Standing, matches []Played, scoring protocol.Scoring,
) func(a, b protocol.Standing) int {
	if rule == "player_id" {
		return func(a, b protocol.Standing) int { return protocol.CompareIDs(a.PlayerID, b.PlayerID) }
	}
	count := value(rule, groups, matches, scoring)
	return func(a, b protocol.Standing) int { return cmp.Compare(count(b), count(a)) }
}

// value returns what a rule counts: who has most of it comes first.
func value(
	rule string, groups [][]protocol.Standing, matches []Played, scoring protocol.Scoring,
) func(protocol.Standing) int {
	switch rule {
	case "points":
		return func(s protocol.Standing) int { return s.Points }
	case "wins":
		return func(s protocol.Standing) int { return s.Wins }
	case "draw_difference":
		return func(s protocol.Standing) int { return s.Draws }
	case "head_to_head":
		among := headToHead(groups, matches, scoring)
		return func(s protocol.Standing) int { return among[s.PlayerID] }
	}
	return func(protocol.Standing) int { return 0 }
}

// headToHead returns the points that each player won against others of its own group.
func headToHead(groups [][]protocol.Standing, matches []Played, scoring protocol.Scoring) map[string]int {
	group := map[string]int{}
	for i, g := range groups {
		for _, s := range g {
			group[s.PlayerID] = i + 1
		}
	}
	among := map[string]int{}
	for _, m := range matches {
		if g := group[m.A]; g > 0 && g == group[m.B] {
			among[m.A] += m.Result.Points(m.A, scoring)
			among[m.B] += m.Result.Points(m.B, scoring)
		}
	}
	return among
}

// Tiebreakers is the order of rules unless a league says otherwise. Players
// whom no rule tells apart stay in the order in which they were given.
var Tiebreakers = []string{"points", "wins", "draw_difference", "head_to_head", "player_id"}

// CheckTiebreakers returns an error if one of the rules is not known.
func CheckTiebreakers(rules []string) error {
	for _, rule := range rules {
		if !slices.Contains(Tiebreakers, rule) {
			return fmt.Errorf("tiebreakers: unknown rule %q; use %s", rule, strings.Join(Tiebreakers, ", "))
		}
	}
	return nil
}

// Champions returns the first of a table, and everyone who is equal to it in
// all but the player id.
func Champions(
	table []protocol.Standing, matches []Played, scoring protocol.Scoring, tiebreakers []string,
) (champion protocol.Standing, co []protocol.Standing) {
	if len(table) == 0 {
		return protocol.Standing{}, nil
	}
	equals := [][]protocol.Standing{table}
	for _, rule := range tiebreakers {
		if rule == "player_id" {
			break // it tells apart who is equal, and leaves nothing to the rules after it
		}
		equals = split(equals, rule, matches, scoring)
	}
	return table[0], equals[0][1:]
}
