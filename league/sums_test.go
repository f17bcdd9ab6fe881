package league

import (
	"math/rand/v2"
	"slices"
	"testing"

	"agentleague/protocol"
)

// TestTheTableIsAlwaysThatOfAllResults has anything happen to leagues and holds the tables of every round, after every
// event, against those that are computed from the results alone.
func TestTheTableIsAlwaysThatOfAllResults(t *testing.T) {
	t.Parallel()
	struck, again := 0, 0 // results of closed rounds, and those that followed them
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 19))
		s := newSeason(t, Created{Cycles: 2, MaxForfeits: rng.IntN(4), SeatMatters: rng.IntN(2) == 0})
		s.join(2, 2+rng.IntN(4))
		s.write(StartWith(s.state, everybodyReached)...)
		for range 100 {
			st, waiting := s.state, len(s.state.again)
			if told := st.told; len(told) > 0 && !st.Completed() && rng.IntN(12) == 0 {
				s.write(Annulled{Match: told[rng.IntN(len(told))].ID, Why: "by chance"})
			} else {
				s.live(rng)
			}
			struck, again = struck+max(len(st.again)-waiting, 0), again+max(waiting-len(st.again), 0)
			for round := range st.Round + 1 {
				sameTable(t, st, round)
			}
			sameTable(t, st.Clone(), st.Round)
		}
	}
	if struck < 30 || again < 30 {
		t.Errorf("%d results of closed rounds were struck and %d came anew: they show too little", struck, again)
	}
}

// sameTable compares a league's table after a round with the one computed from its results.
func sameTable(t *testing.T, s *State, round int) {
	t.Helper()
	var results []Played
	for _, m := range s.told {
		if m.Round <= round {
			results = append(results, Played{m.A, m.B, m.Outcome.Result})
		}
	}
	want := Standings(s.Players(), s.name, results, s.Created.Scoring, s.Created.Tiebreakers)
	if got := s.TableAfter(round).Rows; !slices.Equal(got, want) {
		t.Fatalf("after round %d of %d, %d closed:\ngot  %+v\nwant %+v", round, s.Round, len(s.closed), got, want)
	}
	if round != s.Round {
		return
	}
	var basis protocol.Basis
	for _, m := range s.told {
		basis = counted(basis, m, 1)
	}
	if s.Basis() != basis {
		t.Fatalf("basis of the results: got %+v, want %+v", s.Basis(), basis)
	}
	for _, row := range want {
		tally := protocol.Tally{Wins: row.Wins, Losses: row.Losses, Draws: row.Draws, Points: row.Points}
		if got := s.TallyOf(row.PlayerID); got != tally {
			t.Fatalf("tally of %s: got %+v, want %+v", row.PlayerID, got, tally)
		}
	}
}

// The cost of the tallies in an order does not grow with the number of rounds.
func TestATallyLooksAtNoClosedRound(t *testing.T) {
	s := begun(t, 1, 6, Created{Cycles: 3})
	rng := rand.New(rand.NewPCG(1, 19))
	for s.state.Round < 10 {
		if events := OpenNext(s.state, "5ec7e7", s.state.At()); len(events) > 0 {
			s.write(events...)
		}
		s.playOne(rng)
	}
	st := s.state
	for _, m := range st.Matches {
		if m.Round <= len(st.closed) {
			m.Outcome = nil // so that access to it would fail
		}
	}
	played := 0
	for _, id := range st.Players() {
		tally := st.TallyOf(id)
		played += tally.Wins + tally.Draws + tally.Losses
	}
	if played != 2*st.Recorded {
		t.Errorf("%d of twice %d results were added up", played, st.Recorded)
	}
	if n := testing.AllocsPerRun(10, func() { st.TallyOf("P01") }); n != 0 {
		t.Errorf("%v objects, want none", n)
	}
}
