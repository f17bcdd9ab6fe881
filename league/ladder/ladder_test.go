package ladder

import "testing"

func TestAnAnchorStaysAndItsOpponentMoves(t *testing.T) {
	before := Ratings(nil).With("anchor", 1300, 0, true).With("new", 0, 0, false)
	after := before.After([]Game{{A: "anchor", B: "new", Points: 1}})
	if r := after.Rounded(); r["anchor"] != [2]int{1300, 30} || r["new"][0] >= 1300 || r["new"][1] >= 350 || after.Games("new") != 1 {
		t.Errorf("got %v", r)
	}
	if r := before.Rounded(); r["new"] != [2]int{1500, 350} {
		t.Errorf("the ratings before have changed: %v", r)
	}
}

func TestARatingIsContinued(t *testing.T) {
	r := Ratings(nil).With("a", 1720, 61, false).With("b", 1400, 200, false)
	if got := r.Rounded()["a"]; got != [2]int{1720, 61} {
		t.Errorf("got %v", got)
	}
	// The surer rating moves less.
	after := r.After([]Game{{A: "a", B: "b", Points: 0}}).Rounded()
	if down, up := 1720-after["a"][0], after["b"][0]-1400; down <= 0 || up <= down {
		t.Errorf("a loses %d and b wins %d rating points", down, up)
	}
}
