package league

import "iter"

// Some tiebreakers use the results between players that are level. These groups change with every result, so their
// matches cannot be cached; but the schedule determines where each two players meet, and most groups are small. So
// only their own matches are visited: late in a season that is a small part of all.

// A meetings finds the matches of groups of players: it yields every match between two of the same group once, in any
// order, and may yield further ones as well.
type meetings func(groups []level) iter.Seq[Played]

// among returns meetings over exactly these matches.
func among(matches iter.Seq[Played]) meetings {
	return func([]level) iter.Seq[Played] { return matches }
}

// A calendar is the matches of some rounds of a schedule, from the first on, in the order of the schedule.
type calendar struct {
	schedule Schedule
	rounds   [][]*Match
}

// all yields the matches with a result in the order of the schedule.
func (c calendar) all() iter.Seq[Played] {
	return func(yield func(Played) bool) {
		for _, matches := range c.rounds {
			for _, m := range matches {
				if m.Outcome != nil && !yield(Played{m.A, m.B, m.Outcome.Result}) {
					return
				}
			}
		}
	}
}

// meetings finds matches with a result. It finds each pair of a group by the schedule, or scans all matches where
// these are fewer.
func (c calendar) meetings(groups []level) iter.Seq[Played] {
	if pairs(groups)*max(c.schedule.Cycles, 1) > c.schedule.MatchesPerRound()*len(c.rounds) {
		return c.all()
	}
	return c.pairwise(groups)
}

// pairs counts the pairs of all groups.
func pairs(groups []level) (n int) {
	for _, g := range groups {
		n += len(g) * (len(g) - 1) / 2
	}
	return n
}

// pairwise yields the matches with a result between two players of the same group.
func (c calendar) pairwise(groups []level) iter.Seq[Played] {
	return func(yield func(Played) bool) {
		places := c.schedule.places(groups)
		for _, g := range groups {
			for i, a := range g {
				for _, b := range g[i+1:] {
					if !c.met(places[a.PlayerID], places[b.PlayerID], yield) {
						return
					}
				}
			}
		}
	}
}

// met yields the matches with a result between the players at two places of the schedule: one a cycle at most. It
// returns false once yield does.
func (c calendar) met(a, b int, yield func(Played) bool) bool {
	first, n := c.schedule.meeting(a, b)
	for r := first; r <= len(c.rounds); r += c.schedule.even() - 1 {
		m := c.rounds[r-1][n-1]
		if m.Outcome != nil && !yield(Played{m.A, m.B, m.Outcome.Result}) {
			return false
		}
	}
	return true
}

// places returns the places in the ring of the players that are level with another.
func (s Schedule) places(groups []level) map[string]int {
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

// meeting returns where the players at two different places of the ring meet first: the round, and the number of the
// match in it, both counted from 1. They meet in the same match of every further cycle.
func (s Schedule) meeting(a, b int) (round, n int) {
	ring := s.even() - 1
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
