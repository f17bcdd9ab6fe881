package league

import (
	"fmt"
	"slices"
	"strconv"

	"agentleague/protocol"
)

// A Table holds the standings of a league at one moment, and the rule that ranks each row above the next one. It is
// immutable.
type Table struct {
	Rows      []protocol.Standing
	Decisions []Decision // the rule that puts each row but the last above the next
	Ranks     []Rank     // of the rows
	Ratings   Ratings    // nil unless they were asked for
}

// A Decision is what separates two neighboring rows of a table: a rule, and the value of each player by it.
type Decision struct {
	Rule         string // "": no rule separates them
	Above, Below int
}

// A Rank is a rank in competition ranking: players that are separated only by their ids share a rank. The rank of a
// [protocol.Standing] in contrast is the number of its row, which is unique.
type Rank struct {
	Number int
	Shared bool
}

// newTable computes the table of players from the results of their matches.
func newTable(
	players []string, name func(id string) string, matches []Played, scoring protocol.Scoring, tiebreakers []string,
) *Table {
	return ranked(tally(players, matches, scoring), name, among(slices.Values(matches)), scoring, rulesOf(tiebreakers))
}

// ranked sorts summed rows into a table. met gives the rules access to the matches between tied players.
func ranked(
	rows []protocol.Standing, name func(id string) string, met meetings, scoring protocol.Scoring, rules []rule,
) *Table {
	t := &Table{Rows: make([]protocol.Standing, 0, len(rows)), Decisions: make([]Decision, max(len(rows)-1, 0))}
	groups := []level{levelOf(rows)}
	for _, rule := range rules {
		compare, count := rule.order(groups, met, scoring)
		groups = split(groups, compare)
		end := 0
		for i, g := range groups[:max(len(groups)-1, 0)] {
			if end += len(g); t.Decisions[end-1].Rule == "" {
				t.Decisions[end-1] = Decision{rule.name, count(g[0]), count(groups[i+1][0])}
			}
		}
	}
	for _, g := range groups {
		for _, row := range g {
			row.Rank, row.DisplayName = len(t.Rows)+1, name(row.PlayerID)
			t.Rows = append(t.Rows, *row)
		}
	}
	t.rank()
	return t
}

// rank sets the ranks of the rows. Rows that only the id separates share a rank.
func (t *Table) rank() {
	t.Ranks = make([]Rank, len(t.Rows))
	for i := range t.Ranks {
		t.Ranks[i].Number = i + 1
		if i > 0 && !t.Decisions[i-1].decided() {
			t.Ranks[i-1].Shared, t.Ranks[i] = true, Rank{t.Ranks[i-1].Number, true}
		}
	}
}

// Row returns the index of a player's row.
func (t *Table) Row(player string) (i int, ok bool) {
	i = slices.IndexFunc(t.Rows, func(r protocol.Standing) bool { return r.PlayerID == player })
	return i, i >= 0
}

// Leaders returns the rows that share the first rank. After the last match they are the champions.
func (t *Table) Leaders() []protocol.Standing {
	n := 0
	for n < len(t.Ranks) && t.Ranks[n].Number == 1 {
		n++
	}
	return t.Rows[:n:n]
}

// RankWords returns each rank as text, see [Rank.String].
func RankWords(ranks []Rank) []string {
	out := make([]string, len(ranks))
	for i, r := range ranks {
		out[i] = r.String()
	}
	return out
}

// String formats the rank as a table shows it: 3, or =3 if it is shared.
func (r Rank) String() string {
	if r.Shared {
		return "=" + strconv.Itoa(r.Number)
	}
	return strconv.Itoa(r.Number)
}

// decided reports whether a rule other than the id separates the two players.
func (d Decision) decided() bool { return d.Rule != "" && d.Rule != "player_id" }

// Words returns a sentence that explains why a player ranks above the next player, whose name is name.
func (d Decision) Words(name string) string {
	if d.Rule == "place" {
		return "above " + name + " by the format"
	}
	if words := ruleOf(d.Rule).words; words != "" {
		return fmt.Sprintf("above %s "+words, name, d.Above, d.Below)
	}
	return fmt.Sprintf("tied with %s on every rule: they share the rank", name)
}

// Played is a match with its result. A table is computed from a list of these.
type Played struct {
	A, B   string
	Result Result
}

// tally sums up each player's results, in the order of players.
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

// A level is a group of players that no rule has separated so far, in order. It points to their rows.
type level []*protocol.Standing

// levelOf returns all players of a table as one level. Sorting the level does not change the table.
func levelOf(table []protocol.Standing) level {
	out := make(level, len(table))
	for i := range table {
		out[i] = &table[i]
	}
	return out
}

// split sorts the players of each group by one rule, in place, and splits the groups between players that differ.
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

// Ratings maps the ids of a league's players to their ratings. A player without a rated match has no entry.
type Ratings map[string]protocol.Rating

// Of returns a player's rating, or nil.
func (r Ratings) Of(player string) *protocol.Rating {
	if one, ok := r[player]; ok {
		return &one
	}
	return nil
}

// Table returns the ratings of rows, in their order; with nil for a player without a rating. The result is nil if no
// row has a rating.
func (r Ratings) Table(rows []protocol.Standing) (out []*protocol.Rating) {
	for i, row := range rows {
		if one := r.Of(row.PlayerID); one != nil {
			if out == nil {
				out = make([]*protocol.Rating, len(rows))
			}
			out[i] = one
		}
	}
	return out
}
