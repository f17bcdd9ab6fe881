package player

import (
	"cmp"
	"slices"
)

// given are the current answers of an attempt at a match, at most one per turn, sorted by turn. A list takes a quarter
// of the memory of a map for the few answers of a typical match attempt. Guarded by the agent's lock; the answers
// themselves are immutable.
type given []*Answer

// place returns the index of the answer of a turn, or the index at which to insert it.
func (g given) place(turn int) (at int, found bool) {
	return slices.BinarySearchFunc(g, turn, func(w *Answer, turn int) int { return cmp.Compare(w.Turn, turn) })
}

// of returns the answer of a turn, or nil.
func (g given) of(turn int) *Answer {
	at, found := g.place(turn)
	if !found {
		return nil
	}
	return g[at]
}

// stand makes w the current answer of its turn.
func (g *given) stand(w *Answer) {
	at, found := g.place(w.Turn)
	if found {
		(*g)[at] = w
		return
	}
	*g = slices.Insert(*g, at, w)
}

// drop removes the answer of a turn.
func (g *given) drop(turn int) {
	if at, found := g.place(turn); found {
		*g = slices.Delete(*g, at, at+1)
	}
}

// lastOffered returns the answer of the latest turn whose move was one of the options, or nil.
func (g given) lastOffered() *Answer {
	for _, w := range slices.Backward(g) {
		if w.Offered {
			return w
		}
	}
	return nil
}

// offered returns the moves of the answers that were among the options, sorted by turn.
func (g given) offered() (moves []string) {
	for _, w := range g {
		if w.Offered {
			moves = append(moves, w.Move)
		}
	}
	return moves
}

// turns is the sorted set of turns in which a referee has sent questions.
type turns []int

// note adds a turn to the set.
func (t *turns) note(turn int) {
	if at, found := slices.BinarySearch(*t, turn); !found {
		*t = slices.Insert(*t, at, turn)
	}
}
