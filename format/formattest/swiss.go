package formattest

import (
	"fmt"
	"slices"

	"agentleague/format"
)

// A table has the facts of a field by which the pairing of a Swiss round is judged.
type table struct {
	points map[string]int
	met    map[[2]string]bool
	byes   map[string]int
	groups []int // the points of the score groups, the most first
	most   int   // the most matches of a player
}

func newTable(f format.Field, r format.Round) table {
	t := table{points: map[string]int{}, met: map[[2]string]bool{}, byes: map[string]int{}}
	for _, p := range f.Players {
		t.points[p.ID] = p.Points
	}
	count := map[string]int{}
	for _, m := range f.Results {
		if m.B == "" {
			t.byes[m.A]++
			continue
		}
		if m.Unplayed {
			t.byes[m.Winner]++
		} else {
			t.met[[2]string{m.A, m.B}], t.met[[2]string{m.B, m.A}] = true, true
			count[m.A]++
			count[m.B]++
			t.most = max(t.most, count[m.A], count[m.B])
		}
	}
	for _, p := range r.Pairs {
		t.groups = append(t.groups, t.points[p.A], t.points[p.B])
	}
	for _, id := range r.Byes {
		t.groups = append(t.groups, t.points[id])
	}
	slices.Sort(t.groups)
	t.groups = slices.Compact(t.groups)
	slices.Reverse(t.groups)
	return t
}

// cost returns the rematches of pairs and the sum of the squared distances of their score groups.
func (t table) cost(pairs ...format.Pairing) (rematches, squares int) {
	for _, p := range pairs {
		if t.met[[2]string{p.A, p.B}] {
			rematches++
		}
		d := slices.Index(t.groups, t.points[p.A]) - slices.Index(t.groups, t.points[p.B])
		squares += d * d
	}
	return rematches, squares
}

// checkSwiss requires a pairing of all, without a rematch in a field of 2r+2 players and more, that no exchange between
// two pairs improves. Pairs that meet the certificate need no such test.
func (l *league) checkSwiss(f format.Field, r format.Round) error {
	if r.Leg > 1 {
		return nil
	}
	if len(r.Byes) > 1 {
		return fmt.Errorf("byes %v, want one at most", r.Byes)
	}
	t := newTable(f, r)
	rematches, _ := t.cost(r.Pairs...)
	if players := 2 * len(r.Pairs); rematches > 0 && players >= 2*t.most+2 {
		return fmt.Errorf("%d rematches of %d players, each with at most %d matches", rematches, players, t.most)
	}
	if rematches == 0 && t.certified(r.Pairs) {
		return nil
	}
	for i, p := range r.Pairs {
		for _, q := range r.Pairs[:i] {
			if a, b := t.better(p, q); a != p {
				return fmt.Errorf("pairs %v and %v, want %v and %v (%d rematches)", p, q, a, b, rematches)
			}
		}
	}
	return nil
}

// certified reports whether each boundary of score groups is crossed by one pair if the number of players above it is
// odd, and otherwise by none. No pairing crosses less.
func (t table) certified(pairs []format.Pairing) bool {
	for _, bound := range t.groups {
		above, crossing := 0, 0
		for _, p := range pairs {
			n := 0
			if t.points[p.A] > bound {
				n++
			}
			if t.points[p.B] > bound {
				n++
			}
			above += n
			crossing += n % 2
		}
		if crossing != above%2 {
			return false
		}
	}
	return true
}

// better returns the best pairs of the players of two pairs: p and q if there are no better ones.
func (t table) better(p, q format.Pairing) (format.Pairing, format.Pairing) {
	rematches, squares := t.cost(p, q)
	for _, o := range [][2]format.Pairing{
		{{A: p.A, B: q.A}, {A: p.B, B: q.B}}, {{A: p.A, B: q.B}, {A: p.B, B: q.A}},
	} {
		if m, s := t.cost(o[0], o[1]); m < rematches || m == 0 && rematches == 0 && s < squares {
			return o[0], o[1]
		}
	}
	return p, q
}
