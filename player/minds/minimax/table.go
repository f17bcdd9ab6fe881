package minimax

import (
	"hash/maphash"

	"agentleague/game"
)

// A table remembers what positions are worth, so that one that several lines lead
// to, in this match or the next, is looked into once.
type table struct {
	seed  maphash.Seed
	known map[uint64]entry
}

// An entry is what is known of a position.
type entry struct {
	value int32
	depth int8 // how far it was looked ahead; deepest: to the end of every line
	kind  kind
}

// A kind says what a value is.
type kind int8

const (
	exact kind = iota
	least      // the position is worth at least so much
	most       // at most so much
)

// key is what a position is known by: all that who is to move sees, and in which turn.
func (t *table) key(seat, mover game.Seat, turn int, seen []byte) uint64 {
	var h maphash.Hash
	h.SetSeed(t.seed)
	_, _ = h.Write([]byte{byte(seat), byte(mover), byte(turn), byte(turn >> 8)}) // a hash takes everything
	_, _ = h.Write(seen)
	return h.Sum64()
}

// find returns what a position is worth, if it was looked into as far as this and that is enough for a window.
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

// keep notes what was found within a window. When the table is full it begins anew.
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
