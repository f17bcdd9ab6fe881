package league

import (
	"iter"
	"slices"

	"agentleague/protocol"
)

// Played is a match with its result, all that a table is made of.
type Played struct {
	A, B   string
	Result Result
}

// Standings computes the table from results: what cannot be stale cannot be wrong. A [State] adds up the results of a
// closed round once, and its table is always this one.
func Standings(
	players []string, name func(id string) string, matches []Played, scoring protocol.Scoring, tiebreakers []string,
) []protocol.Standing {
	return ranked(tally(players, matches, scoring), name, slices.Values(matches), scoring, tiebreakers)
}

// ranked makes a table of rows that have been added up. Matches are those that they were added up from: some rules look
// at who met whom.
func ranked(
	rows []protocol.Standing, name func(id string) string, matches iter.Seq[Played], scoring protocol.Scoring,
	tiebreakers []string,
) []protocol.Standing {
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

// add counts one more result in a player's row.
func add(row *protocol.Standing, r Result, scoring protocol.Scoring) {
	row.Played++
	row.Points += r.Points(row.PlayerID, scoring)
	switch r.For(row.PlayerID) {
	case protocol.TechnicalLoss:
		row.Losses++
		row.TechnicalLosses++
	case protocol.Win:
		row.Wins++
	case protocol.Draw:
		row.Draws++
	default:
		row.Losses++
	}
}

// split orders the players of each group by one rule and parts those whom it tells apart.
func split(
	groups [][]protocol.Standing, rule string, matches iter.Seq[Played], scoring protocol.Scoring,
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
		equals = split(equals, rule, slices.Values(matches), scoring)
	}
	return table[0], equals[0][1:]
}
