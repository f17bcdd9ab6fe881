package league

import "iter"

// Some tiebreakers use the results between tied players. Which players are tied changes with every result, so their
// matches cannot be cached. But most groups are small, and a round robin determines in which matches two players meet:
// only those matches are read.

// meetings gives tie-break rules access to the matches that the table counts.
type meetings struct {
	// of yields every match between two players of the same group once, in any order, and possibly other matches too.
	// Without groups it yields all matches.
	of     func(groups []level) iter.Seq[Played]
	rounds int                            // closed ones
	credit func(id string, until int) int // points for byes and missed rounds; nil: none
	until  int                            // the newest round
}

// among returns meetings with a function of that yields all of matches, for any groups.
func among(matches iter.Seq[Played]) meetings {
	return meetings{of: func([]level) iter.Seq[Played] { return matches }}
}

// A playedRounds holds the matches of the first rounds of a league, in the order of the schedule.
type playedRounds [][]*Match

// all yields the matches with a result in the order of the schedule.
func (c playedRounds) all() iter.Seq[Played] {
	return func(yield func(Played) bool) {
		for _, matches := range c {
			for _, m := range matches {
				if m.Outcome != nil && !yield(Played{m.A, m.B, m.Outcome.Result}) {
					return
				}
			}
		}
	}
}

// meetings looks up each pair of a group in the ring, or yields all matches if these are fewer or there is no group.
func (s Ring) meetings(rounds playedRounds, groups []level) iter.Seq[Played] {
	if len(groups) == 0 || pairs(groups)*max(s.Cycles, 1) > s.MatchesPerRound()*len(rounds) {
		return rounds.all()
	}
	return s.pairwise(rounds, groups)
}

// pairs returns the number of pairs of players that are in the same group.
func pairs(groups []level) (n int) {
	for _, g := range groups {
		n += len(g) * (len(g) - 1) / 2
	}
	return n
}

// pairwise yields the matches with a result between two players of the same group.
func (s Ring) pairwise(rounds playedRounds, groups []level) iter.Seq[Played] {
	return func(yield func(Played) bool) {
		places := s.places(groups)
		for _, g := range groups {
			for i, a := range g {
				for _, b := range g[i+1:] {
					if !s.met(rounds, places[a.PlayerID], places[b.PlayerID], yield) {
						return
					}
				}
			}
		}
	}
}

// met yields the matches with a result between the players at two places of the schedule, at most one per cycle. It
// returns false if yield does.
func (s Ring) met(rounds playedRounds, a, b int, yield func(Played) bool) bool {
	first, n := s.meeting(a, b)
	for r := first; r <= len(rounds); r += s.ringSize() - 1 {
		m := rounds[r-1][n-1]
		if m.Outcome != nil && !yield(Played{m.A, m.B, m.Outcome.Result}) {
			return false
		}
	}
	return true
}

// places returns the index in the schedule of each player that is in a group of two or more.
func (s Ring) places(groups []level) map[string]int {
	out := map[string]int{}
	for _, g := range groups {
		for i := range g {
			if len(g) > 1 {
				out[g[i].PlayerID] = 0
			}
		}
	}
	for place, id := range s.Players {
		if _, wanted := out[id]; wanted {
			out[id] = place
		}
	}
	return out
}

// meeting returns where the players with the indexes a and b in the schedule first meet: the round, and the number of
// the match in it, both counted from 1. In every further cycle the number of the match is the same.
func (s Ring) meeting(a, b int) (round, n int) {
	ring := s.ringSize() - 1
	a, b = min(a, b), max(a, b)
	turn, fold := b-1, 0
	if a > 0 { // they stand i places before and behind the head of the ring: their sum is twice its turn
		turn = (a + b - 2) * ((ring + 1) / 2) % ring
		i := (a - 1 - turn + ring) % ring
		fold = min(i, ring-i)
	}
	if n = fold + 1; s.byeFold(turn) >= 0 && s.byeFold(turn) < fold {
		n-- // the pair with the empty place has no number
	}
	return turn + 1, n
}
