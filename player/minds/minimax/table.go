package minimax

import (
	"hash/maphash"

	"agentleague/game"
)

// A table caches the values of positions, so that a position that several lines or matches reach is searched once.
type table struct {
	seed  maphash.Seed
	known map[uint64]entry
}

// An entry is the cached value of a position.
type entry struct {
	value int32
	depth int8 // the search depth; deepest: to the end of every line
	kind  kind
}

// A kind states whether a value is exact or a bound.
type kind int8

const (
	exact kind = iota
	least      // the position is worth at least so much
	most       // at most so much
)

// key returns the hash of a position: the view of the seat to move, and the turn.
func (t *table) key(seat, mover game.Seat, turn int, seen []byte) uint64 {
	var h maphash.Hash
	h.SetSeed(t.seed)
	_, _ = h.Write([]byte{byte(seat), byte(mover), byte(turn), byte(turn >> 8)}) // a hash takes everything
	_, _ = h.Write(seen)
	return h.Sum64()
}

// find returns the cached value of a position. It returns false if the position was not searched at least this deep, or
// if its value is a bound that does not decide the window of alpha and beta.
func (t *table) find(key uint64, ahead, alpha, beta int) (int, bool) {
	e, ok := t.known[key]
	value := int(e.value)
	switch {
	case !ok || int(e.depth) < ahead:
		return 0, false
	case e.kind == exact, e.kind == least && value >= beta, e.kind == most && value <= alpha:
		return value, true
	}
	return 0, false
}

// keep stores a value that was searched with a window of alpha and beta. A full table is cleared first.
func (t *table) keep(key uint64, value, ahead int, whole bool, alpha, beta int) {
	if t.known == nil || len(t.known) >= remembers {
		t.known = map[uint64]entry{}
	}
	e := entry{value: int32(value), depth: int8(min(ahead, deepest-1))}
	if whole {
		e.depth = deepest
	}
	switch {
	case value >= beta:
		e.kind = least
	case value <= alpha:
		e.kind = most
	}
	t.known[key] = e
}
