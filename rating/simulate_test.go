package rating_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"agentleague/rating"
)

// A world plays games between players of known strengths.
type world struct {
	*rand.Rand
	draws float64 // share of drawn games, where strengths allow as many
	first float64 // how much sitting first helps, as a part of the weaker side's share
}

func newWorld(draws, first float64) world {
	return world{rand.New(rand.NewPCG(18, 2)), draws, first}
}

// game returns points of an expected share.
func (w world) game(share float64) float64 {
	draws := min(w.draws, 1.8*min(share, 1-share))
	switch u := w.Float64(); {
	case u < share-draws/2:
		return 1
	case u < share+draws/2:
		return 0.5
	default:
		return 0
	}
}

// pair returns the points of two games with swapped seats.
func (w world) pair(diff float64) (first, second float64) {
	share := rating.Expected(diff)
	help := w.first * min(share, 1-share)
	return w.game(share + help), w.game(share - help)
}

// holds fails unless the intervals hold the truth as often as 95 % should, give or take two standard errors of 1,000.
func holds(t *testing.T, what string, hits, of int) {
	t.Helper()
	if share := 100 * float64(hits) / float64(of); share < 93.6 || share > 96.4 {
		t.Errorf("%s: %.1f %% of %d intervals hold the truth, want 93.6 to 96.4", what, share, of)
	}
}

func TestIntervalsOfTwoPlayersHoldTheTruth(t *testing.T) {
	const trials = 1000
	for _, diff := range []float64{0, 100, 400} {
		for _, w := range []world{newWorld(0, 0), newWorld(0.5, 0), newWorld(0.3, 0.5)} {
			games, pairs := 0, 0
			for range trials {
				var alone, paired rating.Score
				for range 100 {
					alone.AddGame(w.game(rating.Expected(diff)))
					paired.AddPair(w.pair(diff))
				}
				games += hit(alone, diff)
				pairs += hit(paired, diff)
			}
			holds(t, "games", games, trials)
			holds(t, "pairs", pairs, trials)
		}
	}
}

func hit(s rating.Score, diff float64) int {
	if _, low, high := s.Elo(); low <= diff && diff <= high {
		return 1
	}
	return 0
}

// Ten players, 200 points apart at the ends of the field, meet ten times with swapped seats.
func TestIntervalsOfAFieldHoldTheTruth(t *testing.T) {
	const players, trials = 10, 1000
	truth := func(i int) float64 { return rating.Mean + 40*(float64(i)-4.5) }
	w, hits := newWorld(0.3, 0.4), make([]int, players)
	for range trials {
		var meetings []rating.Meeting
		for a := range players {
			for b := range a {
				for range 5 {
					first, second := w.pair(truth(a) - truth(b))
					meetings = append(meetings, rating.Meeting{A: a, B: b, Games: 2, Points: first + second})
				}
			}
		}
		for i, r := range rating.BradleyTerry(players, meetings) {
			if r.Low <= truth(i) && truth(i) <= r.High {
				hits[i]++
			}
		}
	}
	all := 0
	for _, n := range hits {
		all += n
	}
	holds(t, "the best player", hits[players-1], trials)
	holds(t, "the weakest player", hits[0], trials)
	holds(t, "everybody", all, players*trials)
}

func TestSPRTErrsAsSeldomAsPromised(t *testing.T) {
	const trials = 400
	test := rating.SPRT{Elo0: 0, Elo1: 40, Alpha: 0.05, Beta: 0.05}
	for truth, wrong := range map[float64]rating.Verdict{0: rating.AcceptH1, 40: rating.AcceptH0} {
		w, errors, games := newWorld(0.3, 0.4), 0, 0
		for range trials {
			s, verdict := until(test, w, truth)
			games += s.Games()
			if verdict == wrong {
				errors++
			}
		}
		// 5 % and three standard errors of 1.1 %.
		if errors > trials*83/1000 {
			t.Errorf("truth %v: %d of %d decisions wrong after %d games on average", truth, errors, trials, games/trials)
		}
	}
}

// until plays pairs until the test has decided.
func until(test rating.SPRT, w world, truth float64) (s rating.Score, verdict rating.Verdict) {
	for verdict = rating.Continue; verdict == rating.Continue; {
		s.AddPair(w.pair(truth))
		_, _, _, verdict = test.Test(s)
	}
	return s, verdict
}

func TestSPRTSaysWhereItDecides(t *testing.T) {
	llr, lower, upper, verdict := rating.SPRT{Elo0: 0, Elo1: 5, Alpha: 0.05, Beta: 0.1}.Test(rating.Score{})
	near(t, "lower", lower, math.Log(0.1/0.95), 1e-12)
	near(t, "upper", upper, math.Log(0.9/0.05), 1e-12)
	if llr != 0 || verdict != rating.Continue {
		t.Errorf("without a game: %v, %v", llr, verdict)
	}
	for _, row := range []struct {
		score rating.Score
		want  rating.Verdict
	}{
		{rating.Score{Wins: 400, Losses: 300}, rating.AcceptH1},
		{rating.Score{Wins: 300, Losses: 400}, rating.AcceptH0},
		{rating.Score{Wins: 30, Losses: 29}, rating.Continue},
	} {
		if _, _, _, got := (rating.SPRT{Elo1: 20}).Test(row.score); got != row.want {
			t.Errorf("%+v: got %v, want %v", row.score, got, row.want)
		}
	}
}
