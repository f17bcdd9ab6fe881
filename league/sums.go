package league

import (
	"slices"

	"agentleague/protocol"
)

// A table is the sum of results. Closed rounds rarely change, so their sums are computed once, when the round closes:
// the cost of a table is one row per player, for any number of rounds. After a change in a closed round, by an
// annulment or the result that follows it, the sums of its two players are recomputed from all of their matches:
// nothing is ever subtracted.
//
// Invariant, after every event: sums holds exactly the sums of the results in closed rounds.

// sumRound adds the results of the open round to the sums, as it is being closed.
func (s *State) sumRound(round int) {
	for _, m := range s.InRound(round) {
		for _, id := range [...]string{m.A, m.B} {
			s.sums[id] = s.rowAfter(round, id)
		}
	}
}

// sumAnew recomputes the sums of the two players of a match over closed rounds.
func (s *State) sumAnew(changed *Match) {
	for _, id := range [...]string{changed.A, changed.B} {
		row := protocol.Standing{PlayerID: id}
		for _, m := range s.of[id] {
			if m.Outcome != nil && m.Round <= len(s.closed) {
				add(&row, m.Outcome.Result, s.Created.Scoring)
			}
		}
		s.sums[id] = row
	}
}

// rowAfter returns a player's row, without rank and name, after the newest closed round or the open one. It visits
// only the player's matches in unclosed rounds: at most one.
func (s *State) rowAfter(round int, id string) protocol.Standing {
	row := s.sums[id]
	row.PlayerID = id
	for _, m := range slices.Backward(s.of[id]) {
		if m.Round <= len(s.closed) {
			break
		}
		if m.Outcome != nil && m.Round <= round {
			add(&row, m.Outcome.Result, s.Created.Scoring)
		}
	}
	return row
}

// until returns the rounds up to one.
func (s *State) until(round int) calendar {
	return calendar{s.Schedule, s.rounds[:min(round, len(s.rounds))]}
}

// Standings returns the rows of the table as it stands.
func (s *State) Standings() []protocol.Standing { return s.Table().Rows }

// Table returns the table as it stands.
func (s *State) Table() *Table { return s.TableAfter(s.Round) }

// TableAfter returns the table after a round, without the results of later rounds.
func (s *State) TableAfter(round int) *Table {
	players := s.Players()
	if round < len(s.closed) { // one of the past
		return NewTable(players, s.name, s.resultsUntil(round), s.Created.Scoring, s.Created.Tiebreakers)
	}
	rows := make([]protocol.Standing, len(players))
	for i, id := range players {
		rows[i] = s.rowAfter(round, id)
	}
	return ranked(rows, s.name, s.until(round).meetings, s.Created.Scoring, s.Created.Tiebreakers)
}

// TallyOf adds up the matches of one player, without making the whole table.
func (s *State) TallyOf(id string) protocol.Tally {
	row := s.rowAfter(s.Round, id)
	return protocol.Tally{Wins: row.Wins, Losses: row.Losses, Draws: row.Draws, Points: row.Points}
}
