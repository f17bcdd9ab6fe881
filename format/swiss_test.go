package format

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// A season is a simulated Swiss league of players of random skill.
type season struct {
	settings Settings
	rng      *rand.Rand
	skill    []int
	field    Field
}

func newSeason(n, rounds int, seed uint64) *season {
	s := &season{settings: Settings{Format: "swiss/1", Rounds: rounds}, rng: rand.New(rand.NewPCG(seed, 1))}
	for i := range n {
		s.field.Players = append(s.field.Players, Player{ID: fmt.Sprintf("P%02d", i+1), Seed: i + 1})
		s.skill = append(s.skill, s.rng.IntN(1000))
	}
	s.field.Round = 1
	return s
}

// play adds the results of a round. The better player wins more often.
func (s *season) play(r Round) {
	index := map[string]int{}
	for i, p := range s.field.Players {
		index[p.ID] = i
	}
	for _, p := range r.Pairs {
		m := Played{Round: s.field.Round, A: p.A, B: p.B}
		a, b := index[p.A], index[p.B]
		switch x := s.rng.IntN(2000); {
		case x < 300:
			s.field.Players[a].Points++
			s.field.Players[b].Points++
		case x < 1150+(s.skill[a]-s.skill[b])*3/4:
			m.Winner = p.A
			s.field.Players[a].Points += 3
		default:
			m.Winner = p.B
			s.field.Players[b].Points += 3
		}
		s.field.Results = append(s.field.Results, m)
	}
	for _, id := range r.Byes {
		s.field.Players[index[id]].Points += 3
		s.field.Results = append(s.field.Results, Played{Round: s.field.Round, A: id})
	}
	s.field.Round++
}

// level returns the rematches and squares of distances of pairs, as a number.
func (r *swissRound) level(pairs []pair) (sum int64) {
	for _, p := range pairs {
		if r.group[p[0]] > r.group[p[1]] {
			p[0], p[1] = p[1], p[0]
		}
		sum += r.cost(p[0], p[1]) / distanceCost
	}
	return sum
}

// Windows and folds are as good as one matching of the whole field.
func TestLargeFieldsArePairedAsWellAsByOneMatching(t *testing.T) {
	t.Parallel()
	rounds, worse := 0, 0
	for seed := range uint64(12) {
		n := 161 + int(seed*seed)/2
		s := newSeason(n, 9, seed)
		for s.field.Round <= 9 {
			h := newHistory(s.settings, s.field)
			r := newSwissRound(h)
			pairs, byes := r.pairs()
			all := slices.DeleteFunc(slices.Clone(r.order), func(i int) bool { return slices.Contains(byes, i) })
			if got, best := r.level(pairs), r.level(r.exact(all, len(all))); got != best {
				worse++
				t.Logf("%d players, round %d: %d, by one matching %d", n, s.field.Round, got, best)
			}
			rounds++
			next, _ := swiss{}.Next(s.settings, s.field)
			s.play(next)
		}
	}
	if worse > 0 {
		t.Errorf("%d of %d rounds are worse than by one matching", worse, rounds)
	}
}

func TestTenThousandPlayersHaveNoRematch(t *testing.T) {
	t.Parallel()
	s := newSeason(10_001, 14, 1)
	for s.field.Round <= 14 {
		h := newHistory(s.settings, s.field)
		r := newSwissRound(h)
		pairs, byes := r.pairs()
		if len(pairs) != 5000 || len(byes) != 1 {
			t.Fatalf("round %d: %d pairs, %d byes", s.field.Round, len(pairs), len(byes))
		}
		crossings := make([]int, len(r.sizes))
		unbalanced := 0
		for _, p := range pairs {
			if h.lastMet(p[0], p[1], h.Round) > 0 {
				t.Fatalf("round %d: %v is a rematch", s.field.Round, p)
			}
			for g := min(r.group[p[0]], r.group[p[1]]); g < max(r.group[p[0]], r.group[p[1]]); g++ {
				crossings[g]++
			}
			if r.sameSeat(p[0], p[1]) {
				unbalanced++
			}
		}
		above, extra := 0, 0
		for g, size := range r.sizes {
			above += size
			if r.group[byes[0]] == g {
				above--
			}
			extra += crossings[g] - above%2
		}
		if extra > 0 {
			t.Errorf("round %d: %d crossings of score groups more than necessary", s.field.Round, extra)
		}
		t.Logf("round %d: %d groups, %d pairs with equal needs of a seat", s.field.Round, len(r.sizes), unbalanced)
		next, _ := swiss{}.Next(s.settings, s.field)
		s.play(next)
	}
}

// A field of 2r+2 players, of which each has played r matches, has a round without a rematch.
func TestManyRoundsHaveNoRematch(t *testing.T) {
	t.Parallel()
	for _, n := range []int{20, 61, 164, 201, 300}[:sample(3, 5)] {
		rounds := (n-n%2-2)/2 + 1
		s := newSeason(n, rounds, uint64(n))
		for s.field.Round <= rounds {
			r, _ := swiss{}.Next(s.settings, s.field)
			for _, reason := range (swiss{}).Explain(s.settings, s.field, r) {
				if reason.Rematch > 0 {
					t.Fatalf("%d players, round %d of %d: %+v", n, s.field.Round, rounds, reason)
				}
			}
			s.play(r)
		}
	}
}

func BenchmarkSwiss10000(b *testing.B) {
	for _, rounds := range []int{1, 3, 8, 14} {
		b.Run(fmt.Sprintf("round %d", rounds), func(b *testing.B) {
			s := newSeason(10_000, 14, 1)
			for s.field.Round < rounds {
				r, _ := swiss{}.Next(s.settings, s.field)
				s.play(r)
			}
			b.ReportAllocs()
			for b.Loop() {
				swiss{}.Next(s.settings, s.field)
			}
		})
	}
}
