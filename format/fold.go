package format

// fold pairs the top half of a score group with the bottom half, and then exchanges players of near pairs: without
// limit against rematches, and within a limit for the balance of seats.
func (r *swissRound) fold(group []int) {
	half := len(group) / 2
	pairs := make([]pair, half)
	for i := range pairs {
		pairs[i] = pair{group[i], group[half+i]}
	}
	for i := range pairs {
		switch bad := r.bad(pairs[i]); {
		case bad >= rematchBad:
			r.improve(pairs, i, half, true)
		case bad > 0:
			r.improve(pairs, i, nearSeats, false)
		}
	}
	r.done = append(r.done, pairs...)
}

// repair exchanges players between any pairs against the rematches that are left. A field of at least 2r+2 players has
// none afterwards, for the same reason as a large group.
func (r *swissRound) repair() {
	for i, p := range r.done {
		if r.h.lastMet(p[0], p[1], r.h.Round) > 0 && len(r.order) > exactMost {
			r.improve(r.done, i, len(r.done), true)
		}
	}
}

const rematchBad = 4 // more than two conflicts of seats

// bad returns how bad it is to pair two players of a group.
func (r *swissRound) bad(p pair) (bad int) {
	if r.h.lastMet(p[0], p[1], r.h.Round) > 0 {
		bad = rematchBad
	}
	if r.sameSeat(p[0], p[1]) {
		bad++
	}
	return bad
}

// improve exchanges a player of pair i with the nearest pair within a distance, if the two pairs are better then.
// unfold allows to pair two players of the same half.
func (r *swissRound) improve(pairs []pair, i, distance int, unfold bool) {
	for d := 1; d <= distance && (i+d < len(pairs) || i >= d); d++ {
		if i+d < len(pairs) && r.exchange(&pairs[i], &pairs[i+d], unfold) {
			return
		}
		if i >= d && r.exchange(&pairs[i], &pairs[i-d], unfold) {
			return
		}
	}
}

// exchange pairs the players of two pairs differently if that is better, and then neither is a rematch.
func (r *swissRound) exchange(p, q *pair, unfold bool) bool {
	limit := min(r.bad(*p)+r.bad(*q), rematchBad)
	a, b := pair{p[0], q[1]}, pair{q[0], p[1]}
	if r.bad(a)+r.bad(b) < limit {
		*p, *q = a, b
		return true
	}
	a, b = pair{p[0], q[0]}, pair{p[1], q[1]}
	if unfold && r.bad(a)+r.bad(b) < limit {
		*p, *q = a, b
		return true
	}
	return false
}
