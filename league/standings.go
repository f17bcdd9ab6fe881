package league

import (
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
	compare := ruleOf(rule).order(groups, matches, scoring)
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
