package format_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"agentleague/format"
	"agentleague/rating"
)

// An arena is a simulated league with ratings.
type arena struct {
	rng    *rand.Rand
	skill  []float64
	glicko []rating.Glicko
	field  format.Field
	all    []rating.Meeting
}

func newArena(n int, seed uint64) *arena {
	a := &arena{rng: rand.New(rand.NewPCG(seed, 5)), field: format.Field{Round: 1}}
	for i := range n {
		a.skill = append(a.skill, a.rng.NormFloat64()*250)
		a.glicko = append(a.glicko, rating.NewGlicko())
		a.field.Players = append(a.field.Players, format.Player{ID: fmt.Sprintf("P%02d", i+1), Seed: i + 1})
	}
	a.rate()
	return a
}

// rate copies the ratings into the field.
func (a *arena) rate() {
	for i, g := range a.glicko {
		a.field.Players[i].Rating, a.field.Players[i].Deviation = int(math.Round(g.Rating)), int(math.Round(g.Deviation))
	}
}

// play plays the field's round in a format and reports whether there was one.
func (a *arena) play(s format.Settings) bool {
	f, _ := format.ByName(s.Format)
	r, more := f.Next(s, a.field)
	index := map[string]int{}
	for i, p := range a.field.Players {
		index[p.ID] = i
	}
	before := append([]rating.Glicko{}, a.glicko...)
	for _, p := range r.Pairs {
		i, j := index[p.A], index[p.B]
		m := format.Played{Round: a.field.Round, A: p.A, B: p.B, Winner: p.B}
		points := 0.0
		if a.rng.Float64() < rating.Expected(a.skill[i]-a.skill[j]) {
			m.Winner, points = p.A, 1
		}
		a.field.Results = append(a.field.Results, m)
		a.all = append(a.all, rating.Meeting{A: i, B: j, Games: 1, Points: points})
		a.glicko[i] = before[i].After([]rating.Game{{Opponent: before[j], Points: points}})
		a.glicko[j] = before[j].After([]rating.Game{{Opponent: before[i], Points: 1 - points}})
	}
	a.rate()
	a.field.Round++
	return more
}

// tau is Kendall's correlation of the strengths computed from all matches with the skills.
func (a *arena) tau() float64 {
	rated := rating.BradleyTerry(len(a.skill), a.all)
	sum, pairs := 0.0, 0.0
	for i := range a.skill {
		for j := range i {
			pairs++
			if (rated[i].Rating > rated[j].Rating) == (a.skill[i] > a.skill[j]) {
				sum++
			} else {
				sum--
			}
		}
	}
	return sum / pairs
}

// A ladder of 40 rounds orders the players at least as well as a round robin with as many matches.
func TestLadderOrdersAsWellAsARoundRobin(t *testing.T) {
	t.Parallel()
	ladder, ring := 0.0, 0.0
	const runs = 24
	for seed := range uint64(runs) {
		a, b := newArena(41, seed), newArena(41, seed)
		for range 40 {
			a.play(format.Settings{Format: "ladder/1"})
			b.play(format.Settings{Format: "round_robin/1"})
		}
		if len(a.all) != len(b.all) {
			t.Fatalf("%d matches and %d", len(a.all), len(b.all))
		}
		ladder, ring = ladder+a.tau()/runs, ring+b.tau()/runs
	}
	t.Logf("Kendall's tau: ladder %.3f, round robin %.3f", ladder, ring)
	if ladder < ring {
		t.Errorf("Kendall's tau of the ladder is %.3f, of the round robin %.3f", ladder, ring)
	}
}
