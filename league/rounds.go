package league

import (
	"fmt"
	"slices"
	"time"

	"agentleague/protocol"
)

// rounds holds the opened rounds of the schedule: their matches, assignments, results and sums of points. Assignments,
// results, contests and annulments change only this part of the state.
type rounds struct {
	Schedule  Schedule
	Round     int               // the newest round; 0 before the first
	RoundOpen bool              // whether the round that Round names is being played
	Matches   map[string]*Match // of every round that was opened
	Recorded  int               // results

	pairing
	field   []string // the players of a started league
	scoring protocol.Scoring
	lean    bool                // see NewSummaryState
	newest  []*Match            // that were recorded, the last at the end
	byRound [][]*Match          // the matches of each round that was opened, in their order
	left    int                 // matches of the open round without a result
	walked  [][]*Match          // of each round, those that were won because the opponent had left
	moved   []*Match            // of the open round, those that had more than one referee
	of      map[string][]*Match // the matches of each player, in the order of the rounds
	opened  []time.Time         // when each round was
	closed  []time.Time
	told    []*Match                     // those with a result, in the order of their results
	sums    map[string]protocol.Standing // the sums of each player's matches in closed rounds, see sums.go

	again    []*Match // annulled ones of closed rounds that have no result yet
	annulled int      // results that were struck
	basis    protocol.Basis
}

// openRound opens a round with all of its matches. It returns an error unless the round is the next one.
func (r *rounds) openRound(at time.Time, round int) error {
	if r.RoundOpen || round != r.Round+1 || round > r.Schedule.Rounds() {
		return fmt.Errorf("round %d was opened after round %d of %d", round, r.Round, r.Schedule.Rounds())
	}
	r.Round, r.RoundOpen = round, true
	pairs := r.Schedule.Round(round)
	all, matches := make([]Match, len(pairs)), make([]*Match, len(pairs)) // they live as long as each other
	for n, p := range pairs {
		m := &all[n]
		*m = Match{ID: protocol.MatchID(round, n+1), Round: round, A: p.A, B: p.B}
		r.Matches[m.ID], matches[n] = m, m
		r.of[m.A], r.of[m.B] = append(r.of[m.A], m), append(r.of[m.B], m)
	}
	r.byRound, r.opened = append(r.byRound, matches), append(r.opened, at)
	r.left, r.moved, r.walked = len(matches), slices.Clone(r.again), append(r.walked, nil)
	return nil
}

// pending returns the match with that id. It returns an error if its round was never opened or the match has a result.
func (r *rounds) pending(id string) (*Match, error) {
	switch m := r.Matches[id]; {
	case m == nil:
		return nil, fmt.Errorf("event about match %q, whose round was never opened", id)
	case m.Outcome != nil:
		return nil, fmt.Errorf("event about match %s, which has been recorded", id)
	default:
		return m, nil
	}
}

// assign assigns a match to ref, which is nil if the event names no known agent. The attempts of a match are
// numbered without gaps, so that each number identifies one referee.
func (r *rounds) assign(e MatchAssigned, ref *Agent) error {
	m, err := r.pending(e.Match)
	if err != nil {
		return err
	}
	if ref == nil || ref.Role != protocol.RoleReferee {
		return fmt.Errorf("match %s was assigned to %q, which is no referee", m.ID, e.Referee)
	}
	if e.Attempt != m.next() {
		return fmt.Errorf("match %s: attempt %d was assigned after attempt %d", m.ID, e.Attempt, m.next()-1)
	}
	m.Assigned = append(m.Assigned, e)
	if e.Attempt > 1 && !slices.Contains(r.moved, m) {
		r.moved = append(r.moved, m)
	}
	return nil
}

// record sets the result of a match and returns the match. The result must come from a referee that was assigned to the
// match, or have attempt 0, which marks a match that was not played.
func (r *rounds) record(at time.Time, e *ResultRecorded, beside aside, agents map[string]*Agent) (*Match, error) {
	m, err := r.pending(e.Match)
	if err != nil {
		return nil, err
	}
	if e.Attempt != 0 &&
		(e.Attempt <= m.void || !slices.Contains(m.Assigned, MatchAssigned{e.Match, e.Referee, e.Attempt})) {
		return nil, fmt.Errorf("match %s: attempt %d was never assigned to %q", m.ID, e.Attempt, e.Referee)
	}
	if w := e.Result.Winner; w != "" && w != m.A && w != m.B {
		return nil, fmt.Errorf("match %s of %s and %s was won by %q", m.ID, m.A, m.B, w)
	}
	m.Outcome, m.EndedAt, m.Proof = r.keptPart(*e), at, restsOn(agents, m, e, beside)
	m.Hosted = agents[m.A].Hosted() || agents[m.B].Hosted()
	r.basis = counted(r.basis, m, 1)
	r.newest = append(r.newest[max(0, len(r.newest)+1-newestMost):], m)
	r.told = append(r.told, m)
	r.Recorded++
	if i := slices.Index(r.again, m); i >= 0 {
		r.again = slices.Delete(r.again, i, i+1)
		r.sumAnew(m)
	} else {
		r.left--
	}
	if e.Attempt == 0 && e.Result.Winner != "" {
		r.walked[m.Round-1] = append(r.walked[m.Round-1], m)
	}
	return m, nil
}

// closeRound closes a round and adds its results to the sums. It returns an error if a result is missing.
func (r *rounds) closeRound(at time.Time, round int) error {
	if !r.RoundOpen || round != r.Round || r.left > 0 {
		return fmt.Errorf("round %d was closed before its end", round)
	}
	r.sumRound(round)
	r.rateRound(round)
	r.RoundOpen, r.closed = false, append(r.closed, at)
	return nil
}

// InRound lists the matches of an opened round in the order of the schedule.
func (r *rounds) InRound(round int) []*Match {
	if round < 1 || round > len(r.byRound) {
		return nil
	}
	return r.byRound[round-1]
}

// newestMost is the maximum length of the list of newest results.
const newestMost = 32

// Newest lists the up to 32 matches whose results were recorded last, newest first.
func (r *rounds) Newest() []*Match {
	out := slices.Clone(r.newest)
	slices.Reverse(out)
	return out
}

// MatchesOf lists a player's matches in all opened rounds, in the order of the rounds.
func (r *rounds) MatchesOf(id string) []*Match { return r.of[id] }

// ResultsSince lists the matches with a result in the order of recording, without the first n.
func (r *rounds) ResultsSince(n int) []*Match {
	return slices.Clone(r.told[min(max(n, 0), len(r.told)):])
}

// Left returns the number of matches in the open round that have no result yet.
func (r *rounds) Left() int { return r.left }

// Reassigned lists the matches with more than one attempt, even by the same referee: those of the open round, and
// annulled ones that are played again.
func (r *rounds) Reassigned() []*Match { return r.moved }

// Walkovers lists the matches of a round that a player won because its opponent had left the league.
func (r *rounds) Walkovers(round int) []*Match {
	if round < 1 || round > len(r.walked) {
		return nil
	}
	return r.walked[round-1]
}

// Summary returns the number of matches of a round by kind of result.
func (r *rounds) Summary(round int) protocol.RoundSummary {
	matches := r.InRound(round)
	out := protocol.RoundSummary{TotalMatches: len(matches)}
	for _, m := range matches {
		switch {
		case m.Outcome == nil:
		case m.Outcome.Result.Status == protocol.Win:
			out.Wins++
		case m.Outcome.Result.Status == protocol.Draw:
			out.Draws++
		default:
			out.TechnicalLosses++
		}
	}
	return out
}

// closedRounds returns the number of closed rounds.
func (r *rounds) closedRounds() int {
	if r.RoundOpen {
		return r.Round - 1
	}
	return r.Round
}

// keptPart returns the part of a result that the state keeps: all of it, or less in a state of [NewSummaryState].
func (r *rounds) keptPart(e ResultRecorded) *ResultRecorded {
	if r.lean {
		e.Timing, e.Signed = nil, nil // the first is summed up by agent, and Proof holds the outcome of the second
		if e.choicesFollow() {
			e.Result.Choices, e.spared = nil, true
		}
	}
	return &e
}
