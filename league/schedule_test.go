package league

import (
	"fmt"
	"slices"
	"testing"

	"agentleague/protocol"
)

// squad returns n player ids in their order.
func squad(n int) (ids []string) {
	for i := range n {
		ids = append(ids, protocol.AgentID(protocol.RolePlayer, i+1))
	}
	return ids
}

// meeting returns a pair in a canonical order.
func meeting(p Pairing) [2]string { return [2]string{min(p.A, p.B), max(p.A, p.B)} }

func TestFourPlayersPlayTheTableOfTheAssignment(t *testing.T) {
	s := Ring{Players: squad(4)}
	var got []string
	for round := 1; round <= s.Rounds(); round++ {
		for n, p := range s.Round(round) {
			got = append(got, fmt.Sprintf("%s %s-%s", protocol.MatchID(round, n+1), p.A, p.B))
		}
	}
	want := []string{"R1M1 P01-P02", "R1M2 P03-P04", "R2M1 P01-P03", "R2M2 P02-P04", "R3M1 P01-P04", "R3M2 P02-P03"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestEveryPairMeetsOncePerCycle(t *testing.T) {
	for n := 2; n <= 200; n++ {
		s := Ring{Players: squad(n), SeatMatters: n%3 == 0}
		met := map[[2]string]int{}
		for round := 1; round <= s.Rounds(); round++ {
			for _, p := range s.Round(round) {
				met[meeting(p)]++
			}
		}
		if want := n * (n - 1) / 2; len(met) != want || s.Matches() != want {
			t.Errorf("%d players: %d pairs met in %d matches, want %d", n, len(met), s.Matches(), want)
		}
		for pair, times := range met {
			if times != 1 || pair[0] == pair[1] {
				t.Errorf("%d players: %v met %d times", n, pair, times)
			}
		}
	}
}

func TestLongEverybodyIsSomewhereInEveryRound(t *testing.T) {
	for n := 2; n <= 200; n++ {
		s := Ring{Players: squad(n), Cycles: 2}
		byes := map[string]int{}
		for round := 1; round <= s.Rounds(); round++ {
			seen := map[string]bool{}
			for _, p := range s.Round(round) {
				if seen[p.A] || seen[p.B] {
					t.Errorf("%d players, round %d: %v play twice", n, round, p)
				}
				seen[p.A], seen[p.B] = true, true
			}
			for _, bye := range s.Byes(round) {
				if seen[bye] {
					t.Errorf("%d players, round %d: %s plays and has a bye", n, round, bye)
				}
				seen[bye] = true
				byes[bye]++
			}
			if len(seen) != n {
				t.Errorf("%d players, round %d: only %d are somewhere", n, round, len(seen))
			}
		}
		for _, id := range s.Players {
			if want := 2 * (n % 2); byes[id] != want {
				t.Errorf("%d players: %s has %d byes in two cycles, want %d", n, id, byes[id], want)
			}
		}
	}
}

func TestLowerIDSitsFirstUnlessTheSeatMatters(t *testing.T) {
	s := Ring{Players: squad(101)}
	for round := 1; round <= s.Rounds(); round++ {
		for _, p := range s.Round(round) {
			if protocol.CompareIDs(p.A, p.B) >= 0 {
				t.Errorf("round %d: %s sits before %s", round, p.A, p.B)
			}
		}
	}
}

func TestSeatsAreFairWhereTheyMatter(t *testing.T) {
	for n := 2; n <= 200; n++ {
		s := Ring{Players: squad(n), SeatMatters: true}
		firsts := map[string]int{} // how much more often a player sits first than second
		for round := 1; round <= s.Rounds(); round++ {
			for _, p := range s.Round(round) {
				firsts[p.A]++
				firsts[p.B]--
			}
		}
		for id, d := range firsts {
			if d < -1 || d > 1 {
				t.Errorf("%d players: %s sits first %d times more often than second", n, id, d)
			}
		}
	}
}

// With an even number of cycles each player has both seats equally often; with an odd one, ±1.
func TestSeatsAreFairForEveryNumberOfCycles(t *testing.T) {
	for n := 2; n <= 64; n++ {
		firsts := map[string]int{}
		s := Ring{Players: squad(n), Cycles: 4, SeatMatters: true}
		cycle := s.Rounds() / 4
		for round := 1; round <= s.Rounds(); round++ {
			for _, p := range s.Round(round) {
				firsts[p.A]++
				firsts[p.B]--
			}
			if round%cycle != 0 {
				continue
			}
			for id, d := range firsts {
				if most := round / cycle % 2; d < -most || d > most {
					t.Errorf("%d players, %d cycles: %s sits first %d times more often than second", n, round/cycle, id, d)
				}
			}
		}
	}
}

func TestEveryOtherCycleSwapsSides(t *testing.T) {
	for _, seats := range []bool{false, true} {
		for _, n := range []int{2, 3, 4, 7, 8} {
			s := Ring{Players: squad(n), Cycles: 3, SeatMatters: seats}
			cycle := s.Rounds() / 3
			for round := 1; round <= cycle; round++ {
				first, second, third := s.Round(round), s.Round(round+cycle), s.Round(round+2*cycle)
				for i, p := range first {
					if want := (Pairing{A: p.B, B: p.A}); second[i] != want || third[i] != p {
						t.Errorf("%d players, round %d: got %v, %v, %v, want %v, %v, %v", n, round, p, second[i], third[i], p, want, p)
					}
				}
			}
		}
	}
}

func TestLimitCutsTheSchedule(t *testing.T) {
	for _, c := range []struct{ players, cycles, limit, want int }{
		{4, 1, 0, 3}, {4, 1, 2, 2}, {4, 1, 9, 3}, {4, 2, 0, 6}, {4, 2, 4, 4}, {5, 1, 0, 5}, {4, -1, 0, 3},
		{1, 1, 0, 0}, {0, 5, 3, 0},
	} {
		s := Ring{Players: squad(c.players), Cycles: c.cycles, Limit: c.limit}
		if got := s.Rounds(); got != c.want {
			t.Errorf("%+v: got %d rounds", c, got)
		}
		if got := len(s.Round(c.want + 1)); got != 0 {
			t.Errorf("%+v: got %d matches after the end", c, got)
		}
	}
}

func TestNothingIsFoundOutsideTheSchedule(t *testing.T) {
	s := Ring{Players: squad(5)}
	for _, at := range [][2]int{{0, 1}, {1, 0}, {-1, 1}, {1, -1}, {6, 1}, {1, 3}} {
		if p, ok := s.Match(at[0], at[1]); ok {
			t.Errorf("match %v: got %v, want none", at, p)
		}
	}
	for _, round := range []int{-1, 0, 6} {
		if got := s.Byes(round); got != nil {
			t.Errorf("byes of round %d: got %q, want none", round, got)
		}
	}
	if got := (Ring{Players: squad(4)}).Byes(1); got != nil {
		t.Errorf("byes of four players: got %q, want none", got)
	}
	for _, id := range []string{"", "R1", "R0M1", "R1M3", "R6M1", "r1m1", "R01M1", "R1M1 ", "M1R1"} {
		if p, _, ok := FindMatch(s, id); ok {
			t.Errorf("find %q: got %v, want none", id, p)
		}
	}
}

func TestFindReturnsTheMatchOfAnID(t *testing.T) {
	s := Ring{Players: squad(4)}
	p, round, ok := FindMatch(s, "R2M2")
	if want := (Pairing{A: "P02", B: "P04"}); p != want || round != 2 || !ok {
		t.Errorf("got %v, %d, %v, want %v, 2, true", p, round, ok, want)
	}
}

func TestPairingIsComputedNotStored(t *testing.T) {
	s := Ring{Players: squad(10_000)}
	if allocs := testing.AllocsPerRun(100, func() { s.Match(5_000, 2_500) }); allocs != 0 {
		t.Errorf("got %v allocations for a match, want none", allocs)
	}
}

func BenchmarkMatch(b *testing.B) {
	s := Ring{Players: squad(10_000)}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		s.Match(1+i%9_999, 1+i%5_000)
	}
}

// The assignment has two tables of sides, 9 and 16: they differ in the rounds after the first.
func TestLaterRoundsCanSwapTheSides(t *testing.T) {
	t.Parallel()
	s := Ring{Players: []string{"P01", "P02", "P03", "P04"}, SwapsLater: true}
	want := [][]Pairing{{{A: "P01", B: "P02"}, {A: "P03", B: "P04"}}, {{A: "P03", B: "P01"}, {A: "P04", B: "P02"}}, {{A: "P04", B: "P01"}, {A: "P03", B: "P02"}}}
	for i, round := range want {
		if got := s.Round(i + 1); !slices.Equal(got, round) {
			t.Errorf("round %d: got %v, want %v", i+1, got, round)
		}
	}
}
