package league

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"testing"

	"agentleague/protocol"
)

func TestEachPairMeetsWhereTheScheduleSays(t *testing.T) {
	t.Parallel()
	for n := 2; n <= 60; n++ {
		s := Ring{Players: squad(n), SeatMatters: n%3 == 0}
		for a := range n {
			for b := range a {
				round, match := s.meeting(a, b)
				p, ok := s.Match(round, match)
				if want := (Pairing{A: s.Players[b], B: s.Players[a]}); !ok || meeting(p) != meeting(want) {
					t.Fatalf("%d players: match %d of round %d is %v, want %v", n, match, round, p, want)
				}
				if again, first := s.meeting(b, a); again != round || first != match {
					t.Fatalf("%d players: %d and %d meet in another match than %d and %d", n, b, a, a, b)
				}
			}
		}
	}
}

// TestMeetingsAreThoseOfAllResults divides the players of random leagues into random groups. Each player's points
// within its group are the same whether they are looked up by pair or added up from all results.
func TestMeetingsAreThoseOfAllResults(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 23))
		s := newSeason(t, Created{Cycles: 1 + rng.IntN(3), MaxForfeits: rng.IntN(4), SeatMatters: rng.IntN(2) == 0})
		s.join(1, 2+rng.IntN(6))
		s.write(StartWith(s.state, everybodyReached)...)
		for range 60 {
			if told := s.state.told; len(told) > 0 && !s.state.Completed() && rng.IntN(12) == 0 {
				s.write(Annulled{Match: told[rng.IntN(len(told))].ID, Why: "by chance"})
			} else {
				s.live(rng)
			}
			round := rng.IntN(s.state.Round + 2)
			groups := parted(rng, s.state.Players())
			want := headToHead(groups, among(s.state.roundsUntil(round).all()), s.state.Created.Scoring)
			until := s.state.roundsUntil(round)
			for name, met := range map[string]func(g []level) iter.Seq[Played]{
				"by pairs":  func(g []level) iter.Seq[Played] { return s.state.Schedule.(Ring).pairwise(until, g) },
				"as chosen": func(g []level) iter.Seq[Played] { return s.state.Schedule.meetings(until, g) },
			} {
				got := headToHead(groups, meetings{of: met}, s.state.Created.Scoring)
				for _, row := range slices.Concat(groups...) {
					if got(row) != want(row) {
						t.Fatalf("seed %d, round %d, %s: %s has %d points, want %d", seed, round, name, row.PlayerID, got(row), want(row))
					}
				}
			}
		}
	}
}

// parted puts players into groups.
func parted(rng *rand.Rand, players []string) (groups []level) {
	for _, i := range rng.Perm(len(players)) {
		row := &protocol.Standing{PlayerID: players[i]}
		if at := rng.IntN(len(groups) + 1); at < len(groups) {
			groups[at] = append(groups[at], row)
		} else {
			groups = append(groups, level{row})
		}
	}
	return groups
}

// BenchmarkTable makes the table of a league of 100 late in its season.
func BenchmarkTable(b *testing.B) {
	for _, rounds := range []int{10, 90} {
		s := played(b, 100, rounds)
		b.Run(fmt.Sprint("after round ", rounds), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s.TableAfter(rounds)
			}
		})
	}
}

// played returns a league of that number of players after that number of rounds with random results. It has no log.
func played(t testing.TB, players, rounds int) *State {
	s := begun(t, 1, players, Created{})
	st, rng := s.state, rand.New(rand.NewPCG(1, 23))
	apply := func(events []Event) {
		for ; len(events) > 0; events = Advance(st, s.kept, "5ec7e7") {
			for _, e := range events {
				if err := st.Apply(s.now, e); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	for st.Round < rounds || st.RoundOpen {
		apply(OpenNext(st, "5ec7e7", st.At()))
		for _, m := range st.Open() {
			a := m.Attempt()
			r := &protocol.MatchResultReport{Result: anyResult(rng, m.A, m.B), Attempt: a.Attempt}
			r.MatchID = m.ID
			events, err := RecordResult(st, a.Referee, r, func(*Match) (string, error) { return "", nil })
			if err != nil {
				t.Fatal(err)
			}
			apply(events)
		}
	}
	return st
}
