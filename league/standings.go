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

// Standings computes the table from results, without a cache. A [State] adds up the results of a closed round once,
// and its table always equals this one.
func Standings(
	players []string, name func(id string) string, matches []Played, scoring protocol.Scoring, tiebreakers []string,
) []protocol.Standing {
	return NewTable(players, name, matches, scoring, tiebreakers).Rows
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

// A level is a group of players of a table that no rule has separated so far, in their order. It points to their
// rows.
type level []*protocol.Standing

// levelOf returns all players of a table as one level. Its order can be changed without changing the table.
func levelOf(table []protocol.Standing) level {
	out := make(level, len(table))
	for i := range table {
		out[i] = &table[i]
	}
	return out
}

// split orders the players of each group by one rule, in place, and separates those that differ.
func split(groups []level, compare func(a, b *protocol.Standing) int) []level {
	out := make([]level, 0, 2*len(groups))
	for _, g := range groups {
		if len(g) > 1 {
			slices.SortStableFunc(g, compare)
		}
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
