package league

import (
	"iter"

	"agentleague/protocol"
)

// Standings returns the rows of the current table.
func (s *State) Standings() []protocol.Standing { return s.Table().Rows }

// Table returns the table after the newest round.
func (s *State) Table() *Table { return s.TableAfter(s.Round) }

// TableAfter returns the table after a round, without the results of later rounds.
func (s *State) TableAfter(round int) *Table {
	players := s.Players()
	if round < len(s.closed) { // one of the past
		return newTable(players, s.name, s.resultsUntil(round), s.Created.Scoring, s.Created.Tiebreakers)
	}
	rows := make([]protocol.Standing, len(players))
	for i, id := range players {
		rows[i] = s.rowAfter(round, id)
	}
	met := func(groups []level) iter.Seq[Played] { return s.Schedule.meetings(s.roundsUntil(round), groups) }
	return ranked(rows, s.name, met, s.Created.Scoring, s.Created.Tiebreakers)
}

// Standings computes the table from results without a cache. It always equals the table of a [State], which keeps
// the sums of closed rounds.
func Standings(
	players []string, name func(id string) string, matches []Played, scoring protocol.Scoring, tiebreakers []string,
) []protocol.Standing {
	return newTable(players, name, matches, scoring, tiebreakers).Rows
}

// RatedTable returns the current table of a league, with ratings.
func RatedTable(s *State) *Table {
	t := s.Table()
	t.Ratings = ratingsOf(s)
	return t
}

// Champions returns the winners of a league: several if no rule separates them. It returns none before the end, or
// if the league was cancelled.
func Champions(s *State, t *Table) []protocol.Standing {
	if !s.Completed() || s.Cancelled {
		return nil
	}
	return t.Leaders()
}
