package rating_test

import (
	"fmt"
	"math"
	"testing"

	"agentleague/rating"
)

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if math.IsNaN(got) || math.Abs(got-want) > within {
		t.Errorf("%s: got %v, want %v within %v", what, got, want, within)
	}
}

func TestScoreCountsEveryGameOnce(t *testing.T) {
	var s rating.Score
	for _, points := range []float64{1, 0.5, 0, 1} {
		s.AddGame(points)
	}
	s.AddPair(1, 0.5)
	s.AddPair(0, 0)
	if got, want := s, (rating.Score{Wins: 2, Draws: 1, Losses: 1, Pairs: [5]int{0: 1, 3: 1}}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if s.Games() != 8 || s.Points() != 4 {
		t.Errorf("got %v points of %d games, want 4 of 8", s.Points(), s.Games())
	}
	if r := s.Reversed(); r.Points() != 4 || r.Reversed() != s {
		t.Errorf("reversed: %+v", r)
	}
}

// A share of ¾ is 190.85 by Elo's formula; the interval is Wilson's for 75 of 100.
func TestEloIsTheFormulasWithWilsonsInterval(t *testing.T) {
	diff, low, high := rating.Score{Wins: 75, Losses: 25}.Elo()
	near(t, "diff", diff, 190.848, 0.01)
	near(t, "low", rating.Expected(low), 0.6569, 0.0005)
	near(t, "high", rating.Expected(high), 0.8245, 0.0005)
}

func TestDrawsAndPairsNarrowTheInterval(t *testing.T) {
	width := func(s rating.Score) float64 {
		_, low, high := s.Elo()
		return high - low
	}
	decided, drawn := rating.Score{Wins: 50, Losses: 50}, rating.Score{Wins: 10, Draws: 80, Losses: 10}
	if width(drawn) > 0.6*width(decided) {
		t.Errorf("80 draws of 100: width %.0f, without draws %.0f", width(drawn), width(decided))
	}
	// Who sits first wins: each pair is 1 : 1, and the players are equal beyond doubt.
	if first := (rating.Score{Pairs: [5]int{2: 50}}); width(first) > 0.2*width(decided) {
		t.Errorf("50 split pairs: width %.0f, 100 games %.0f", width(first), width(decided))
	}
}

func TestAllWinsHaveAFiniteRatingAndNoUpperLimit(t *testing.T) {
	for _, s := range []rating.Score{{Wins: 1}, {Wins: 1000}, {Pairs: [5]int{4: 3}}} {
		diff, low, high := s.Elo()
		if math.IsInf(diff, 0) || diff < low || math.IsInf(low, 0) || !math.IsInf(high, 1) {
			t.Errorf("%+v: %v (%v … %v)", s, diff, low, high)
		}
		back, _, _ := s.Reversed().Elo()
		near(t, "reversed", back, -diff, 1e-9)
		if rating.Bound(high) != nil || rating.Bound(low) == nil {
			t.Errorf("bounds for JSON: %v, %v", rating.Bound(low), rating.Bound(high))
		}
	}
	diff, low, high := rating.Score{}.Elo()
	if diff != 0 || !math.IsInf(low, -1) || !math.IsInf(high, 1) {
		t.Errorf("no game: %v (%v … %v)", diff, low, high)
	}
}

func TestLikelihoodOfSuperiority(t *testing.T) {
	for _, row := range []struct {
		score rating.Score
		want  float64
	}{
		{rating.Score{}, 0.5},
		{rating.Score{Draws: 12}, 0.5},
		{rating.Score{Wins: 60, Losses: 40}, 0.97725}, // (60-40)/√100 is two deviations
		{rating.Score{Wins: 60, Draws: 500, Losses: 40}, 0.97725},
		{rating.Score{Wins: 40, Losses: 60}, 0.02275},
		{rating.Score{Pairs: [5]int{0: 40, 2: 7, 4: 60}}, 0.97725},
	} {
		near(t, fmt.Sprintf("%+v", row.score), row.score.LOS(), row.want, 0.0001)
	}
}
