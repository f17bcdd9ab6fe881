package league

import (
	"cmp"
	"slices"

	"agentleague/protocol"
)

// Played is a match with its result, all that a table is made of.
type Played struct {
	A, B   string
	Result Result
}

// Standings computes the table from results. It is never kept up to date,
// always computed: what cannot be stale cannot be wrong.
func Standings(players []string, name func(id string) string, matches []Played, scoring protocol.Scoring, tiebreakers []string) []protocol.Standing {
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
	row.Points += r.points(row.PlayerID, scoring)
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
func split(groups [][]protocol.Standing, rule string, matches []Played, scoring protocol.Scoring) (out [][]protocol.Standing) {
	for _, g := range groups {
		if len(g) == 1 {
			out = append(out, g)
			continue
		}
		value := measure(rule, g, matches, scoring)
		g = slices.Clone(g)
		slices.SortStableFunc(g, func(a, b protocol.Standing) int {
			if rule == "player_id" {
				return protocol.CompareIDs(a.PlayerID, b.PlayerID)
			}
			return cmp.Compare(value(b), value(a))
		})
		start := 0
		for i := 1; i <= len(g); i++ {
			if i == len(g) || rule == "player_id" || value(g[i]) != value(g[start]) {
				out = append(out, g[start:i])
				start = i
			}
		}
	}
	return out
}

// measure returns how a rule values a player of a tied group; more is better.
func measure(rule string, group []protocol.Standing, matches []Played, scoring protocol.Scoring) func(protocol.Standing) int {
	switch rule {
	case "points":
		return func(s protocol.Standing) int { return s.Points }
	case "wins":
		return func(s protocol.Standing) int { return s.Wins }
	case "draw_difference":
		return func(s protocol.Standing) int { return s.Draws }
	case "head_to_head":
		among := headToHead(group, matches, scoring)
		return func(s protocol.Standing) int { return among[s.PlayerID] }
	}
	return func(protocol.Standing) int { return 0 }
}

// headToHead returns the points that players of a group won against each other.
func headToHead(group []protocol.Standing, matches []Played, scoring protocol.Scoring) map[string]int {
	among := make(map[string]int, len(group))
	for _, s := range group {
		among[s.PlayerID] = 0
	}
	for _, m := range matches {
		_, a := among[m.A]
		_, b := among[m.B]
		if a && b {
			among[m.A] += m.Result.points(m.A, scoring)
			among[m.B] += m.Result.points(m.B, scoring)
		}
	}
	return among
}

// Tiebreakers is the order of rules unless a league says otherwise.
var Tiebreakers = []string{"points", "wins", "draw_difference", "head_to_head", "player_id"}

// Champions returns the first of a table, and everyone who is equal to it in
// all but the player id.
func Champions(table []protocol.Standing, matches []Played, scoring protocol.Scoring, tiebreakers []string) (champion protocol.Standing, co []protocol.Standing) {
	if len(table) == 0 {
		return protocol.Standing{}, nil
	}
	rules := slices.DeleteFunc(slices.Clone(tiebreakers), func(r string) bool { return r == "player_id" })
	groups := [][]protocol.Standing{table}
	for _, rule := range rules {
		groups = split(groups, rule, matches, scoring)
	}
	return table[0], groups[0][1:]
}
