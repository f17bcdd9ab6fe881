package league

import (
	"slices"

	"agentleague/protocol"
)

// The sums of results by player are cached for closed rounds, which rarely change: they are computed once, when a
// round closes. A table then costs one row per player for any number of rounds. After a change in a closed round,
// by an annulment or the result that follows it, the sums of its two players are recomputed from all of their
// matches: nothing is ever subtracted.
//
// Invariant, after every event: sums holds exactly the sums of the results in closed rounds.

// sumRound adds the results of a round, which is being closed, to the cached sums.
func (r *rounds) sumRound(round int) {
	for _, m := range r.InRound(round) {
		for _, id := range [...]string{m.A, m.B} {
			row := r.rowAfter(round, id)
			row.Points -= r.CreditOf(id, round)
			r.sums[id] = row
		}
	}
}

// sumAnew recomputes the sums of the two players of a changed match over closed rounds, and the ratings.
func (r *rounds) sumAnew(changed *Match) {
	r.rateAnew()
	for _, id := range [...]string{changed.A, changed.B} {
		row := protocol.Standing{PlayerID: id}
		for _, m := range r.of[id] {
			if m.Outcome != nil && m.Round <= len(r.closed) {
				add(&row, m.Outcome.Result, r.scoring)
			}
		}
		r.sums[id] = row
	}
}

// rowAfter returns a player's row, without rank and name, after the newest closed round or the open one. It reads only
// the player's match in the open round, if any, and the cached sums.
func (r *rounds) rowAfter(round int, id string) protocol.Standing {
	row := r.sums[id]
	row.PlayerID = id
	for _, m := range slices.Backward(r.of[id]) {
		if m.Round <= len(r.closed) {
			break
		}
		if m.Outcome != nil && m.Round <= round {
			add(&row, m.Outcome.Result, r.scoring)
		}
	}
	row.Points += r.CreditOf(id, round)
	return row
}

// roundsUntil returns the rounds up to round, inclusive.
func (r *rounds) roundsUntil(round int) playedRounds {
	return r.byRound[:min(round, len(r.byRound))]
}

// TallyOf returns the sums of one player's results, without computing the whole table.
func (r *rounds) TallyOf(id string) protocol.Tally {
	row := r.rowAfter(r.Round, id)
	return protocol.Tally{Wins: row.Wins, Losses: row.Losses, Draws: row.Draws, Points: row.Points}
}

// resultsUntil lists the matches with a result in the rounds up to round, inclusive, in the order of the schedule.
func (r *rounds) resultsUntil(round int) []Played {
	return slices.AppendSeq(make([]Played, 0, r.Recorded), r.roundsUntil(round).all())
}
