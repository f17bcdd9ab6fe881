package format

// The costs of pairing two players: one unit of a row costs more than all pairs of a matching can cost by the rows
// after it. A matching has up to 127 pairs.
const (
	rematchCost  = 1 << 53
	ageCost      = 1 << 41 // up to oldest times, the more the newer the earlier meeting is
	byeCost      = 1 << 38 // up to mostByes times; there is one bye only
	distanceCost = 1 << 21 // up to mostSquares times
	seatCost     = 1 << 14
	foldCost     = 1 // up to mostFolds times

	oldest      = 31
	mostByes    = 7
	mostSquares = 1023
	mostFolds   = 127
)

// cost returns the cost of pairing i with j, of which i is above j in the order, or of a bye for i if j is nobody.
func (r *swissRound) cost(i, j int) int64 {
	if j == nobody {
		up := len(r.sizes) - r.group[i]
		return byeCost*int64(min(r.h.byes[i]-r.least, mostByes)) + distanceCost*int64(min(up*up, mostSquares)) +
			foldCost*int64(min(r.sizes[r.group[i]]-1-r.place[i], mostFolds))
	}
	down := r.group[j] - r.group[i]
	cost := distanceCost*int64(min(down*down, mostSquares)) + foldCost*int64(min(r.unfolded(i, j), mostFolds))
	if r.sameSeat(i, j) {
		cost += seatCost
	}
	if last := r.h.lastMet(i, j, r.h.Round); last > 0 {
		age := (r.h.Round - last) / r.h.Legs
		cost += rematchCost + ageCost*int64(max(oldest-age, 0))
	}
	return cost
}

// unfolded returns the distance of a pair from the fold of its score group. Between groups, the lowest of the upper
// group should meet the highest of the lower.
func (r *swissRound) unfolded(i, j int) int {
	size := r.sizes[r.group[i]]
	if r.group[i] != r.group[j] {
		return size - 1 - r.place[i] + r.place[j]
	}
	off := r.place[j] - r.place[i] - size/2
	return max(off, -off)
}

// sameSeat reports whether both players of a pair should sit first, or both second.
func (r *swissRound) sameSeat(i, j int) bool {
	return r.h.Legs == 1 && r.h.firsts[i] != 0 && r.h.firsts[j] != 0 && (r.h.firsts[i] > 0) == (r.h.firsts[j] > 0)
}
