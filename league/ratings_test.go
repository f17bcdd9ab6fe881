package league

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"agentleague/protocol"
)

// playOn plays a league to its end; the winner of each match is the player that comes first in favourites, and in
// forfeits the first player forfeits.
func playOn(s *season, draws bool, forfeits map[string]bool) {
	for !s.state.Completed() {
		open := s.state.Open()
		if len(open) == 0 {
			s.write(OpenNext(s.state, "5ec7e7", s.state.At())...)
			continue
		}
		for _, m := range open {
			winner := min(m.A, m.B)
			r := protocol.ReportedResult{Winner: &winner}
			switch {
			case forfeits[m.ID]:
				r.Winner = &m.B
				r.Details.Status, r.Details.Forfeits = protocol.TechnicalLoss, map[string]string{m.A: "E001"}
			case draws:
				r.Winner, r.Details.Status = nil, protocol.Draw
			}
			if _, err := s.report(m.Attempt().Referee, m.ID, m.Attempt().Attempt, r); err != nil {
				s.t.Fatal(err)
			}
		}
	}
}

func TestRatingsFollowStrengthAndStayFinite(t *testing.T) {
	s := begun(t, 1, 4, Created{Cycles: 2})
	playOn(s, false, nil)
	ratings := ratingsOf(s.state)
	sum := 0
	for i, id := range squad(4) {
		r := ratings[id]
		if r.Matches != 6 || r.Low == nil || *r.Low >= r.Rating || *r.High <= r.Rating {
			t.Errorf("%s: %+v", id, r)
		}
		if i > 0 && r.Rating >= ratings[squad(4)[i-1]].Rating {
			t.Errorf("%s has %d, %s before it %d", id, r.Rating, squad(4)[i-1], ratings[squad(4)[i-1]].Rating)
		}
		sum += r.Rating
	}
	if sum < 5998 || sum > 6002 {
		t.Errorf("the mean is %v, want 1500", float64(sum)/4)
	}
	if top := ratings["P01"].Rating; top > 2500 {
		t.Errorf("who won all six matches has %d", top)
	}
}

func TestForfeitsCostPointsAndNotRating(t *testing.T) {
	played, forfeited := begun(t, 1, 4, Created{Cycles: 2}), begun(t, 1, 4, Created{Cycles: 2})
	playOn(played, true, nil)
	playOn(forfeited, true, map[string]bool{"R1M1": true})
	ratings := ratingsOf(forfeited.state)
	for _, id := range squad(4) {
		if ratings[id].Rating != 1500 {
			t.Errorf("%s: %d after draws and a forfeit, want 1500", id, ratings[id].Rating)
		}
	}
	if got, want := ratings["P01"].Matches, ratingsOf(played.state)["P01"].Matches-1; got != want {
		t.Errorf("%d matches are rated, want %d", got, want)
	}
	if table := forfeited.state.Standings(); table[len(table)-1].PlayerID != "P01" {
		t.Errorf("who forfeited is not last on points: %+v", table)
	}
}

// Two players, and the first seat always wins: with the seats swapped the players are equal, without uncertainty.
func TestSwappedSeatsAreOneObservation(t *testing.T) {
	width := func(swapped bool) int {
		s := begun(t, 1, 2, Created{Cycles: 8})
		for !s.state.Completed() {
			for _, m := range s.state.Open() {
				winner := m.A
				if !swapped {
					winner = []string{"P01", "P02"}[m.Round/3%2]
				}
				if _, err := s.report(m.Attempt().Referee, m.ID, 1, protocol.ReportedResult{Winner: &winner}); err != nil {
					t.Fatal(err)
				}
			}
			s.write(OpenNext(s.state, "5ec7e7", s.state.At())...)
		}
		r := ratingsOf(s.state)["P01"]
		return *r.High - *r.Low
	}
	if first, luck := width(true), width(false); 2*first > luck {
		t.Errorf("width %d where the first seat wins, %d where it does not matter", first, luck)
	}
}

func TestRatingsChangeWhenARoundCloses(t *testing.T) {
	s := begun(t, 1, 4, Created{Cycles: 1})
	var cache RatingCache
	if got := cache.Of(s.state); len(got) != 0 {
		t.Errorf("before the first round is closed: %v", got)
	}
	for _, m := range s.state.Open() {
		if len(cache.Of(s.state)) != 0 {
			t.Error("a match of an open round was rated")
		}
		if _, err := s.report(m.Attempt().Referee, m.ID, 1, protocol.ReportedResult{Winner: &m.A}); err != nil {
			t.Fatal(err)
		}
	}
	before := cache.Of(s.state)
	if len(before) != 4 {
		t.Errorf("after the round: %v", before)
	}
	m := s.state.Matches["R1M1"]
	s.write(Annulled{Match: m.ID})
	if after := cache.Of(s.state); len(after) != 2 || !reflect.DeepEqual(after, ratingsOf(s.state)) {
		t.Errorf("after a result was struck: %v", after)
	}
}

func TestRatingCacheIsAlwaysRight(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 1))
		s := begun(t, 2, 5, Created{Cycles: 2, MaxForfeits: 3})
		var cache RatingCache
		for range 60 {
			s.live(rng)
			if got, want := cache.Of(s.state), ratingsOf(s.state); !reflect.DeepEqual(got, want) {
				t.Fatalf("seed %d: got %v, want %v", seed, got, want)
			}
		}
	}
}

func TestLargeLeaguesAreNotRated(t *testing.T) {
	s := NewState()
	s.field = squad(400)
	s.Schedule = Ring{Players: s.field, Cycles: 1}
	if got := ratingsOf(s); got != nil {
		t.Errorf("%d matches were rated", s.TotalMatches())
	}
}
