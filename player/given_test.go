package player

import (
	"slices"
	"testing"
)

func TestOneAnswerStandsInATurn(t *testing.T) {
	var g given
	for _, w := range []*Answer{{Turn: 3, Move: "c"}, {Turn: 1, Move: "a", Offered: true}, {Turn: 2, Move: "x"}, {Turn: 2, Move: "b", Offered: true}} {
		g.stand(w)
	}
	if got := g.of(2); got == nil || got.Move != "b" || g.of(0) != nil || g.of(4) != nil {
		t.Errorf("got %v in turn 2, %v and %v in others", got, g.of(0), g.of(4))
	}
	if got := g.offered(); !slices.Equal(got, []string{"a", "b"}) || g.lastOffered().Move != "b" {
		t.Errorf("got %v offered", got)
	}
	g.drop(2)
	g.drop(2)
	if g.of(2) != nil || len(g) != 2 || g.lastOffered().Move != "a" {
		t.Errorf("a dropped answer still stands: %v", g)
	}
}

func TestATurnIsCountedOnce(t *testing.T) {
	var all turns
	for _, n := range []int{2, 1, 2, 0, 1, 5} {
		all.note(n)
	}
	if !slices.Equal(all, turns{0, 1, 2, 5}) {
		t.Errorf("got %v", all)
	}
}
