package league

import (
	"fmt"
	"slices"
	"strconv"

	"agentleague/protocol"
)

// A Table is the standings of a league at one moment, and how its rows are separated. It is immutable.
type Table struct {
	Rows      []protocol.Standing
	Decisions []Decision // the rule that puts each row but the last above the next
	Ranks     []Rank     // of the rows
	Ratings   Ratings    // nil unless they were asked for
}

// A Decision separates two neighbours of a table: a rule, and the count of each by it.
type Decision struct {
	Rule         string // "": no rule separates them
	Above, Below int
}

// A Rank is a rank as people count it. Players that only their ids separate share the rank of the first of them; the
// rank of a [protocol.Standing] is the number of its row, which is unique.
type Rank struct {
	Number int
	Shared bool
}

// NewTable ranks players by the results of their matches.
func NewTable(
	players []string, name func(id string) string, matches []Played, scoring protocol.Scoring, tiebreakers []string,
) *Table {
	return ranked(tally(players, matches, scoring), name, among(slices.Values(matches)), scoring, tiebreakers)
}

// ranked makes a table of summed rows. Met finds the matches behind the sums: some rules depend on results between
// level players.
func ranked(
	rows []protocol.Standing, name func(id string) string, met meetings, scoring protocol.Scoring, tiebreakers []string,
) *Table {
	t := &Table{Rows: make([]protocol.Standing, 0, len(rows)), Decisions: make([]Decision, max(len(rows)-1, 0))}
	groups := []level{levelOf(rows)}
	for _, rule := range tiebreakers {
		compare, count := ruleOf(rule).order(groups, met, scoring)
		groups = split(groups, compare)
		end := 0
		for i, g := range groups[:max(len(groups)-1, 0)] {
			if end += len(g); t.Decisions[end-1].Rule == "" {
				t.Decisions[end-1] = Decision{rule, count(g[0]), count(groups[i+1][0])}
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

// rank numbers the rows: those that no rule but the id separates share a rank.
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

// RankWords returns ranks as people write them.
func RankWords(ranks []Rank) []string {
	out := make([]string, len(ranks))
	for i, r := range ranks {
		out[i] = r.String()
	}
	return out
}

// changesTable reports whether an event may change the table. Only frequent events that never do are listed.
func changesTable(e Event) bool {
	switch e.(type) {
	case Epoch, DialectLearned, MatchAssigned, Contested, Announced:
		return false
	}
	return true
}

// RatedTable returns the table of a league as it stands, with ratings.
func RatedTable(s *State) *Table {
	t := s.Table()
	t.Ratings = RatingsOf(s)
	return t
}

// Champions returns the winners of a league: several if no rule separates them, none before the end or if it was
// cancelled.
func Champions(s *State, t *Table) []protocol.Standing {
	if !s.Completed() || s.Cancelled {
		return nil
	}
	return t.Leaders()
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

// Words explain the rank of the upper player above the other, which has that name.
func (d Decision) Words(name string) string {
	if words := ruleOf(d.Rule).words; words != "" {
		return fmt.Sprintf("above %s "+words, name, d.Above, d.Below)
	}
	return fmt.Sprintf("tied with %s on every rule: they share the rank", name)
}
