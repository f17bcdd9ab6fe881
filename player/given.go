package player

import (
	"cmp"
	"slices"
)

// given are the answers of a bout that stand, one for each turn, in the order of their turns. Most bouts have one or a
// few: a list takes a quarter of a map's memory. Guarded by the agent; an answer itself is not changed once it is here.
type given []*Answer

// place returns where the answer of a turn is, or would be.
func (g given) place(turn int) (at int, found bool) {
	return slices.BinarySearchFunc(g, turn, func(w *Answer, turn int) int { return cmp.Compare(w.Turn, turn) })
}

// of returns the answer that stands in a turn, or nil.
func (g given) of(turn int) *Answer {
	at, found := g.place(turn)
	if !found {
		return nil
	}
	return g[at]
}

// stand lets an answer stand in its turn.
func (g *given) stand(w *Answer) {
	at, found := g.place(w.Turn)
	if found {
		(*g)[at] = w
		return
	}
	*g = slices.Insert(*g, at, w)
}

// drop takes the answer of a turn back.
func (g *given) drop(turn int) {
	if at, found := g.place(turn); found {
		*g = slices.Delete(*g, at, at+1)
	}
}

// lastOffered is the answer of the latest turn whose move was among the options, or nil.
func (g given) lastOffered() *Answer {
	for _, w := range slices.Backward(g) {
		if w.Offered {
			return w
		}
	}
	return nil
}

// offered are the moves that were among the options, in the order of their turns.
func (g given) offered() (moves []string) {
	for _, w := range g {
		if w.Offered {
			moves = append(moves, w.Move)
		}
	}
	return moves
}

// turns are the turns of a bout that had questions, each once and in order.
type turns []int

// note adds a turn.
func (t *turns) note(turn int) {
	if at, found := slices.BinarySearch(*t, turn); !found {
		*t = slices.Insert(*t, at, turn)
	}
}
