package format

import (
	"cmp"
	"slices"
)

const (
	nearest    = 12 // candidates of a player by rating
	longWindow = 8  // rounds without a rematch, in a large field
	fewGames   = 10 // a player with less is new
	topPlayers = 10 // these meet each other
	topRounds  = 32 // at least once in as many rounds
	topFactor  = 4
)

// A ladderRound pairs one round of a ladder.
type ladderRound struct {
	h      *history
	order  []int // the free players by rating
	at     []int // of each player: its place in order
	games  []int // of each player
	waits  []int // of each player: the rounds since its last match
	top    []bool
	window int // the number of rounds without a rematch
}

func newLadderRound(h *history) *ladderRound {
	n := len(h.players)
	l := &ladderRound{
		h: h, order: h.available(), at: make([]int, n), games: make([]int, n), waits: make([]int, n), top: make([]bool, n),
	}
	slices.SortFunc(l.order, func(i, j int) int { return cmp.Or(h.rating(j)-h.rating(i), i-j) })
	l.window = max(min(longWindow, len(l.order)/2-1), 0)
	for k, i := range l.order {
		l.at[i] = k
	}
	for i, p := range h.players {
		last := max(p.Joined, 1) - 1
		for _, m := range h.met[i] {
			if m.with != nobody {
				l.games[i]++
				last = max(last, m.round)
			}
		}
		l.waits[i] = h.Round - 1 - last
	}
	byRank := slices.Clone(l.order)
	slices.SortStableFunc(byRank, func(i, j int) int { return h.safeRating(j) - h.safeRating(i) })
	for _, i := range byRank[:min(topPlayers, len(byRank))] {
		l.top[i] = true
	}
	return l
}

// pairs pairs all players, but one if their number is odd.
func (l *ladderRound) pairs() []pair {
	turns := l.turns()
	pairs := l.greedy(turns[:len(turns)/2*2])
	slices.SortFunc(pairs, func(p, q pair) int { return l.at[p[0]] + l.at[p[1]] - l.at[q[0]] - l.at[q[1]] })
	for i := range pairs {
		l.avoidRematch(pairs, i)
	}
	for i := range pairs {
		for j := max(i-nearest, 0); j < i; j++ {
			l.exchange(&pairs[i], &pairs[j], l.both(pairs[i], pairs[j]))
		}
	}
	for k, p := range pairs {
		pairs[k] = l.h.seated(p[0], p[1])
	}
	return pairs
}

// turns orders the free players: the longest waiting first, and of these the newest. If the number is odd, the last one
// waits. It played in the newest round if any did, so that no player waits twice while another plays twice.
func (l *ladderRound) turns() []int {
	turns := slices.Clone(l.order)
	slices.SortFunc(turns, func(i, j int) int {
		return cmp.Or(l.waits[j]-l.waits[i], l.games[i]-l.games[j], i-j)
	})
	return turns
}

// greedy pairs each player in its turn with the best of the nearest players that are left.
func (l *ladderRound) greedy(turns []int) (pairs []pair) {
	left := newRow(len(l.order))
	for _, i := range turns {
		left.in[l.at[i]] = true
	}
	for k := range l.order {
		if !left.in[k] {
			left.remove(k)
		}
	}
	for _, i := range turns {
		k := l.at[i]
		if !left.in[k] {
			continue
		}
		left.remove(k)
		best := l.best(i, left.near(k))
		left.remove(best)
		pairs = append(pairs, pair{i, l.order[best]})
	}
	return pairs
}

// best returns the place of the best opponent.
func (l *ladderRound) best(i int, places []int) int {
	return slices.MaxFunc(places, func(a, b int) int {
		return cmp.Compare(l.value(pair{i, l.order[a]}), l.value(pair{i, l.order[b]}))
	})
}

// value is the information of a match about both ratings: p(1-p) times the sum of their variances. A pair that met
// within the window has a negative value.
func (l *ladderRound) value(p pair) int64 {
	i, j := p[0], p[1]
	last := l.lastPaired(i, j)
	if last > 0 && last >= l.h.Round-l.window {
		return -1
	}
	a, b := int64(l.h.deviation(i)), int64(l.h.deviation(j))
	v := int64(information(l.h.rating(i)-l.h.rating(j))) * (a*a + b*b)
	if l.top[i] && l.top[j] && (last == 0 || last < l.h.Round-topRounds) {
		v *= topFactor
	}
	return v
}

// lastPaired returns the newest round in which two players were paired, or 0. Older rounds than topRounds count as 0.
func (l *ladderRound) lastPaired(i, j int) int {
	for k := len(l.h.met[i]) - 1; k >= 0; k-- {
		if m := l.h.met[i][k]; m.with == j {
			return m.round
		} else if m.round < l.h.Round-topRounds {
			break
		}
	}
	return 0
}

// avoidRematch exchanges players between pair i and the nearest pair that makes both free of early rematches. At most
// window others are forbidden to each player, so that such a pair exists, see [swissRound.large].
func (l *ladderRound) avoidRematch(pairs []pair, i int) {
	for d := 1; l.value(pairs[i]) < 0 && d < len(pairs); d++ {
		for _, k := range []int{i + d, i - d} {
			if k >= 0 && k < len(pairs) && l.value(pairs[i]) < 0 {
				l.exchange(&pairs[i], &pairs[k], -1)
			}
		}
	}
}

// exchange pairs the players of two pairs in the best other way, if its value is above a bound.
func (l *ladderRound) exchange(p, q *pair, bound int64) {
	x, y := *p, *q
	for _, o := range [][2]pair{{{x[0], y[0]}, {x[1], y[1]}}, {{x[0], y[1]}, {x[1], y[0]}}} {
		if v := l.both(o[0], o[1]); v > bound {
			bound, *p, *q = v, o[0], o[1]
		}
	}
}

// both returns the value of two pairs, which is negative if one is an early rematch.
func (l *ladderRound) both(p, q pair) int64 {
	const rematch = 1 << 50
	v, w := l.value(p), l.value(q)
	if v < 0 {
		v = -rematch
	}
	if w < 0 {
		w = -rematch
	}
	return v + w
}

// uncertainty has 10,000 p(1-p) for differences of 0, 50, 100 … rating points, with p = 1/(1+10^(-d/400)).
var uncertainty = []int{
	2500, 2449, 2304, 2086, 1825, 1549, 1282, 1038, 826, 649, 504, 388, 297, 226, 172, 130, 98, 74, 56, 42, 31,
}

// information returns 10,000 p(1-p) for a difference of ratings, at least 1.
func information(difference int) int {
	d := max(difference, -difference)
	k := d / 50
	if k >= len(uncertainty)-1 {
		return 1
	}
	return uncertainty[k] + (uncertainty[k+1]-uncertainty[k])*(d%50)/50
}

// A row has numbered places in a line, of which some are removed.
type row struct {
	in         []bool
	prev, next []int // shifted by 1, with an end on both sides
}

func newRow(n int) *row {
	r := &row{in: make([]bool, n), prev: make([]int, n+2), next: make([]int, n+2)}
	for k := range n + 2 {
		r.prev[k], r.next[k] = k-1, k+1
	}
	return r
}

func (r *row) remove(k int) {
	r.in[k] = false
	r.next[r.prev[k+1]], r.prev[r.next[k+1]] = r.next[k+1], r.prev[k+1]
}

// near returns up to twice six places around a removed one.
func (r *row) near(k int) (places []int) {
	up, down := r.prev[k+1], r.next[k+1]
	for range nearest / 2 {
		if up > 0 {
			places, up = append(places, up-1), r.prev[up]
		}
		if down < len(r.next)-1 {
			places, down = append(places, down-1), r.next[down]
		}
	}
	return places
}
