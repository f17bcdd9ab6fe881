package rating_test

import (
	"fmt"
	"testing"

	"agentleague/rating"
)

// The expected figures come from PyPI's choix 0.4.1: opt_pairwise with alpha=1e-12 over each game twice, a draw as a
// win for each, and one more item that won and lost once against each player, which is the added draw.
func TestBradleyTerryIsChoixs(t *testing.T) {
	for name, field := range map[string]struct {
		meetings []rating.Meeting
		want     []float64
	}{
		"five players": {
			[]rating.Meeting{
				{0, 1, 2, 2}, {0, 2, 2, 2}, {0, 3, 2, 1.5}, {0, 4, 2, 2}, {1, 2, 2, 1},
				{1, 3, 2, 1.5}, {1, 4, 2, 2}, {2, 3, 2, 0.5}, {2, 4, 2, 1}, {3, 4, 2, 1.5},
			},
			[]float64{1808.925, 1529.316, 1376.930, 1491.259, 1293.571},
		},
		"somebody wins everything": {
			[]rating.Meeting{{0, 1, 2, 2}, {0, 2, 2, 2}, {1, 2, 2, 2}},
			[]float64{1804.985, 1500, 1195.015},
		},
		"two pairs that never met": {
			[]rating.Meeting{{0, 1, 2, 1.5}, {2, 3, 2, 2}},
			[]float64{1572.895, 1427.105, 1675.803, 1324.197},
		},
	} {
		for i, r := range rating.BradleyTerry(len(field.want), field.meetings) {
			near(t, fmt.Sprint(name, ": player ", i), r.Rating, field.want[i], 0.01)
			if r.Low >= r.Rating || r.High <= r.Rating {
				t.Errorf("%s: player %d: %v is not within %v … %v", name, i, r.Rating, r.Low, r.High)
			}
		}
	}
}

// The first row is the example of Glickman's paper. Ratings and deviations are those of PyPI's glicko2 2.1.0,
// volatilities are the roots that scipy's brentq finds, since glicko2 stops looking for them too early.
func TestGlickoIsThePapers(t *testing.T) {
	against := func(r, deviation, points float64) rating.Game {
		return rating.Game{Opponent: rating.Glicko{Rating: r, Deviation: deviation}, Points: points}
	}
	lost := against(1500, 50, 0)
	for _, row := range []struct {
		before rating.Glicko
		games  []rating.Game
		after  rating.Glicko
	}{
		{
			rating.Glicko{Rating: 1500, Deviation: 200, Volatility: 0.06},
			[]rating.Game{against(1400, 30, 1), against(1550, 100, 0), against(1700, 300, 0)},
			rating.Glicko{Rating: 1464.0507, Deviation: 151.5165, Volatility: 0.0599960},
		},
		{
			rating.NewGlicko(),
			[]rating.Game{against(1500, 350, 1), against(1500, 350, 1), against(1500, 350, 0.5)},
			rating.Glicko{Rating: 1699.7505, Deviation: 227.7354, Volatility: 0.06},
		},
		{
			rating.Glicko{Rating: 2100, Deviation: 60, Volatility: 0.05},
			[]rating.Game{lost, lost, lost, lost, lost, lost},
			rating.Glicko{Rating: 1981.2443, Deviation: 59.9687, Volatility: 0.0502478},
		},
		{
			rating.Glicko{Rating: 1720, Deviation: 80, Volatility: 0.08}, nil,
			rating.Glicko{Rating: 1720, Deviation: 81.1981, Volatility: 0.08},
		},
	} {
		got := row.before.After(row.games)
		near(t, "rating", got.Rating, row.after.Rating, 0.05)
		near(t, "deviation", got.Deviation, row.after.Deviation, 0.05)
		near(t, "volatility", got.Volatility, row.after.Volatility, 0.000005)
	}
}

func TestDeviationOfWhoStaysAwayGrowsToThatOfAStranger(t *testing.T) {
	g := rating.Glicko{Rating: 1600, Deviation: 300, Volatility: 0.5}
	for range 100 {
		g = g.After(nil)
	}
	if g.Deviation != 350 || g.Rating != 1600 {
		t.Errorf("got %+v", g)
	}
}

// The figures are scipy's: for games the likeliest share of draws by minimize_scalar, for pairs the tilt by brentq.
func TestLikelihoodRatioIsScipys(t *testing.T) {
	for _, row := range []struct {
		score      rating.Score
		elo0, elo1 float64
		want       float64
	}{
		{rating.Score{Losses: 300, Draws: 900, Wins: 1300}, 0, 5, 22.137433},
		{rating.Score{Losses: 10, Draws: 20, Wins: 40}, 0, 40, 4.243610},
		{rating.Score{Pairs: [5]int{20, 150, 400, 180, 30}}, 0, 10, 2.342207},
		{rating.Score{Pairs: [5]int{40, 300, 500, 280, 35}}, 0, 10, -4.761076},
	} {
		llr, _, _, _ := rating.SPRT{Elo0: row.elo0, Elo1: row.elo1}.Test(row.score)
		near(t, fmt.Sprintf("%+v", row.score), llr, row.want, 0.00001)
	}
}
