package format

import "slices"

const (
	exactMost  = 160 // a field or a rest of it up to this size is paired by exact matching
	largeGroup = 64  // a score group of this size is folded if it may be; smaller ones are merged up to this size
	foldAlways = 128 // a score group above this size is folded
	nearSeats  = 32  // pairs within this distance exchange players to balance seats
)

// A swissRound pairs one round.
type swissRound struct {
	h     *history
	order []int // the available players by points and seed
	group []int // of each player: the number of its score group, from the top
	place []int // of each player: in its group
	sizes []int // of the groups
	least int   // the fewest byes of a player
	most  int   // the most matches of a player
	done  []pair
}

func newSwissRound(h *history) *swissRound {
	n := len(h.players)
	r := &swissRound{
		h: h, order: h.byPoints(h.available()), group: make([]int, n), place: make([]int, n), least: maxRounds,
	}
	points := 0
	for k, i := range r.order {
		if p := h.players[i].Points; k == 0 || p != points {
			points, r.sizes = p, append(r.sizes, 0)
		}
		g := len(r.sizes) - 1
		r.group[i], r.place[i] = g, r.sizes[g]
		r.sizes[g]++
		r.least, r.most = min(r.least, h.byes[i]), max(r.most, len(h.met[i]))
	}
	return r
}

// pairs returns the pairs, the best first, and the bye. In a field that is too large for one matching, the bye is chosen
// before the pairs.
func (r *swissRound) pairs() (pairs []pair, byes []int) {
	rest := slices.Clone(r.order)
	if len(rest)%2 == 1 && len(rest) > exactMost {
		k := r.byePlace(rest)
		byes = []int{rest[k]}
		rest = slices.Delete(rest, k, k+1)
	}
	for len(rest) > exactMost {
		if n := r.firstGroup(rest); r.large(n) {
			n -= n % 2 // the last one floats
			r.fold(rest[:n])
			rest = rest[n:]
		} else {
			rest = r.window(rest)
		}
	}
	if len(rest)%2 == 1 {
		rest = append(rest, nobody)
	}
	for _, p := range r.exact(rest, len(rest)) {
		if p[1] == nobody {
			byes = append(byes, p[0])
		} else {
			r.done = append(r.done, p)
		}
	}
	r.repair()
	return r.seats(), byes
}

// seats returns the pairs with seats, ordered by their better player.
func (r *swissRound) seats() []pair {
	partner := make(map[int]int, 2*len(r.done))
	for _, p := range r.done {
		partner[p[0]], partner[p[1]] = p[1], p[0]
	}
	pairs := make([]pair, 0, len(r.done))
	for _, i := range r.order {
		if j, ok := partner[i]; ok {
			pairs = append(pairs, r.h.seated(i, j))
			delete(partner, j)
		}
	}
	return pairs
}

// byePlace returns the place of the lowest of the players with the fewest byes.
func (r *swissRound) byePlace(players []int) int {
	for k := len(players) - 1; k > 0; k-- {
		if r.h.byes[players[k]] == r.least {
			return k
		}
	}
	return 0
}

// firstGroup returns the size of the first score group of these players.
func (r *swissRound) firstGroup(players []int) int {
	n := 1
	for n < len(players) && r.group[players[n]] == r.group[players[0]] {
		n++
	}
	return n
}

// large reports whether a group is paired by folding. In a group with 2r+2 players or more, in which each has met at
// most r others, exchanges between two pairs remove each rematch: the players a and b of a rematch may each be paired
// with at least half of the others, so some pair (c, d) allows a-c and b-d, or a-d and b-c. By Dirac's theorem such a
// group has a perfect matching.
func (r *swissRound) large(n int) bool {
	return n >= largeGroup && (n >= 2*r.most+2 || n > foldAlways)
}

// window pairs the first groups, merged until they are large enough, and returns the other players. Some of the
// players below take part: as many as may be needed as opponents of floating players.
func (r *swissRound) window(players []int) (rest []int) {
	n := r.firstGroup(players)
	for n < largeGroup && n < len(players) {
		next := r.firstGroup(players[n:])
		if r.large(next) {
			break
		}
		n += next
	}
	below := min(max(n, largeGroup/2), largeGroup)
	below = min(below+(n+below)%2, len(players)-n)
	used := map[int]bool{}
	for _, p := range r.exact(players[:n+below], n) {
		r.done = append(r.done, p)
		used[p[0]], used[p[1]] = true, true
	}
	return slices.DeleteFunc(players, func(i int) bool { return used[i] })
}

// exact pairs the first n players, with each other or with the players below, at the least cost. The players below may
// be left without an opponent.
func (r *swissRound) exact(players []int, n int) (pairs []pair) {
	mates := match(len(players), func(i, j int) int64 {
		if i >= n { // both are below: they are not paired yet
			return 0
		}
		return r.cost(players[i], players[j])
	})
	for i, j := range mates[:n] {
		if i < j {
			pairs = append(pairs, pair{players[i], players[j]})
		}
	}
	return pairs
}
