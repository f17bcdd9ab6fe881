package format

import (
	"cmp"
	"slices"
)

// meetings pairs players so that each wanted pair meets a number of times: by a plan as long as the initial field plays
// it without gaps, and then by matchings.
type meetings struct {
	h      *history
	wanted func(i, j int) bool
	plan   func(round int) []pair // of players of the initial field
	rounds int                    // of the plan
	part   []bool                 // of each player, whether it has opponents
	gone   []bool
}

// withParts fills in the parts of the players. A player that left, but whose matches count, gives walkovers.
func (m meetings) withParts() meetings {
	m.part, m.gone = make([]bool, len(m.h.players)), make([]bool, len(m.h.players))
	for i, p := range m.h.players {
		m.part[i] = p.Joined <= m.h.Round && !m.h.discounted(p, m.rounds)
		m.gone[i] = p.gone(m.h.Round)
	}
	return m
}

// limited returns the number of rounds that are played of a plan.
func (h *history) limited(rounds int) int {
	if h.Rounds > 0 {
		return min(h.Rounds, rounds)
	}
	return rounds
}

// next returns the pairs of the round. The second result is false if none is left for this or a later round.
func (m meetings) next() (pairs []pair, more bool) {
	if m.h.alone() || m.h.Rounds > 0 && m.h.Round > m.h.Rounds {
		return nil, false
	}
	if m.planned() {
		return m.possible(m.plan(m.h.Round)), m.h.Round <= m.rounds
	}
	left := m.left()
	if !slices.ContainsFunc(left, func(n int) bool { return n > 0 }) {
		return nil, false
	}
	can := slices.DeleteFunc(m.present(), func(i int) bool { return left[i] == 0 || m.h.rests(i) })
	if len(can) > exactMost {
		return m.greedy(can, left), true
	}
	return m.matched(can, left), true
}

// rests reports whether a player of the league cannot play this round.
func (h *history) rests(i int) bool { return h.players[i].Resting && !h.players[i].gone(h.Round) }

// present lists the players that take part.
func (m meetings) present() (all []int) {
	for i := range m.h.players {
		if m.part[i] {
			all = append(all, i)
		}
	}
	return all
}

// planned reports whether the round is played by the plan: no player joined late or rests, and in each round so far the
// pairs of the plan have met and no others.
func (m meetings) planned() bool {
	for i, p := range m.h.players {
		if m.part[i] && (p.Joined > 1 || m.h.rests(i)) {
			return false
		}
	}
	for round := 1; round < m.h.Round && round <= m.rounds; round++ {
		if !m.asPlanned(round) {
			return false
		}
	}
	return true
}

// asPlanned reports whether the pairs of the plan have met in an earlier round, and no others. A pair need not have met
// if one of the two does not take part any more.
func (m meetings) asPlanned(round int) bool {
	partner := make([]int, len(m.part))
	for i := range partner {
		partner[i] = nobody
	}
	for _, p := range m.plan(round) {
		partner[p[0]], partner[p[1]] = p[1], p[0]
	}
	for i, j := range partner {
		met, _ := m.h.in(i, round)
		if met.with != j && (met.with != nobody || m.meet(i, j)) {
			return false
		}
	}
	return true
}

// possible returns the pairs of two players that take part, of which one is in the league.
func (m meetings) possible(pairs []pair) []pair {
	return slices.DeleteFunc(pairs, func(p pair) bool { return !m.meet(p[0], p[1]) })
}

// meet reports whether two players should meet.
func (m meetings) meet(i, j int) bool {
	return i != j && i != nobody && j != nobody && m.part[i] && m.part[j] && !(m.gone[i] && m.gone[j]) && m.wanted(i, j)
}

// left returns the number of matches that each player has left.
func (m meetings) left() []int {
	left := make([]int, len(m.h.players))
	for i := range left {
		row := m.row(i)
		for j := range left {
			left[i] += row(j)
		}
	}
	return left
}

// row returns a function that returns how often a player has still to meet another.
func (m meetings) row(i int) func(j int) int {
	met := map[int]int{}
	for _, meeting := range m.h.met[i] {
		met[meeting.with]++
	}
	return func(j int) int {
		if !m.meet(i, j) {
			return 0
		}
		return max(m.h.Legs-met[j], 0)
	}
}

// matched pairs by the matching that covers the players with the most matches left, and of several by the one with the
// pairs that have met the least.
func (m meetings) matched(can, left []int) (pairs []pair) {
	rows := make([]func(int) int, len(can))
	for k, i := range can {
		rows[k] = m.row(i)
	}
	n := len(can) + len(can)%2
	mates := match(n, func(a, b int) int64 {
		if b == len(can) {
			return int64(left[can[a]]) << 16
		}
		if open := rows[a](can[b]); open > 0 {
			return int64(m.h.Legs - open)
		}
		return int64(left[can[a]]+left[can[b]]) << 16
	})
	for a, b := range mates {
		if a < b && b < len(can) && rows[a](can[b]) > 0 {
			pairs = append(pairs, m.h.seated(can[a], can[b]))
		}
	}
	return pairs
}

// greedy pairs first the players with the most matches left.
func (m meetings) greedy(can, left []int) (pairs []pair) {
	slices.SortFunc(can, func(i, j int) int { return cmp.Or(left[j]-left[i], i-j) })
	paired := make([]bool, len(left))
	for k, i := range can {
		if paired[i] {
			continue
		}
		row := m.row(i)
		for _, j := range can[k+1:] {
			if !paired[j] && row(j) > 0 {
				paired[i], paired[j] = true, true
				pairs = append(pairs, m.h.seated(i, j))
				break
			}
		}
	}
	return pairs
}

// horizon returns the number of rounds. Without a plan it is a bound: a round that pairs as many as it can leaves an
// open pair out only if another match of the two is played, so that no pair waits longer than all others of the two.
func (m meetings) horizon() (rounds int, known bool) {
	if m.planned() {
		return m.rounds, true
	}
	rounds = m.h.Round - 1
	if most := slices.Max(append(m.left(), 0)); most > 0 {
		rounds += 2*most - 1
	}
	if m.h.Rounds > 0 {
		rounds = min(rounds, m.h.Rounds)
	}
	return rounds, false
}

// explain returns the reasons of a round.
func (m meetings) explain(r Round) []Reason {
	planned := map[pair]bool{}
	if m.h.Round <= m.rounds {
		for _, p := range m.plan(m.h.Round) {
			planned[p] = true
		}
	}
	return m.h.reasons(r, func(reason *Reason, p pair) {
		reason.Why = CatchUp
		if planned[p] {
			reason.Why = Planned
		}
	})
}
