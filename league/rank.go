package league

import (
	"strconv"

	"agentleague/protocol"
)

// A Rank is where a player stands as people say it. Players that no rule but the id tells apart share the rank of the
// first of them; the rank of a [protocol.Standing] is the row's number, which nobody shares.
type Rank struct {
	Number int
	Shared bool
}

// String is the rank as a table shows it: 3, or =3 if it is shared.
func (r Rank) String() string {
	if r.Shared {
		return "=" + strconv.Itoa(r.Number)
	}
	return strconv.Itoa(r.Number)
}

// Decided reports whether a rule other than the id tells the two players apart.
func (d Decision) Decided() bool { return d.Rule != "" && d.Rule != "player_id" }

// Ranks are those of a table's rows. Decided is what [Decisions] says of the same table.
func Ranks(table []protocol.Standing, decided []Decision) []Rank {
	out := make([]Rank, len(table))
	for i := range out {
		out[i].Number = i + 1
		if i > 0 && !decided[i-1].Decided() {
			out[i-1].Shared, out[i] = true, Rank{out[i-1].Number, true}
		}
	}
	return out
}

// RankWords are the ranks of a league's table as it stands, as people say them.
func RankWords(s *State, table []protocol.Standing) []string {
	out := make([]string, len(table))
	for i, r := range Ranks(table, Decisions(table, s.Results(), s.Created.Scoring, s.Created.Tiebreakers)) {
		out[i] = r.String()
	}
	return out
}

// RanksAfter are the ranks of a league's players after a round, by their ids.
func RanksAfter(s *State, round int) map[string]Rank {
	table, results := s.StandingsAfter(round), s.resultsUntil(round)
	ranks := Ranks(table, Decisions(table, results, s.Created.Scoring, s.Created.Tiebreakers))
	out := make(map[string]Rank, len(table))
	for i, row := range table {
		out[row.PlayerID] = ranks[i]
	}
	return out
}
