package rating

import "math"

const (
	// Mean is the mean rating of all players of a field, and the initial rating of a new player.
	Mean = 1500
	// MaxIntervals is the largest number of players for which [BradleyTerry]
	// computes intervals, which take cubic time.
	MaxIntervals = 400

	eloPerLogit = 400 / math.Ln10
	newtons     = 100  // seven are usual
	tolerance   = 1e-7 // on the logistic scale: 0.00002 of a rating point
)

// A Meeting is one observation of two players of a field: a game, or a pair of
// games with swapped seats. The order of A and B does not matter.
type Meeting struct {
	A, B   int     // the players, counted from 0
	Games  int     // how many games it stands for
	Points float64 // the score of A in them, of one point a game; a draw is half a point
}

// Rated is the rating of one player of a field.
type Rated struct {
	Rating    float64
	Low, High float64 // the 95 % interval against the mean of the field; infinite above [MaxIntervals] players
	Games     int     // the number of rated games; without one the rating is meaningless
}

// BradleyTerry rates a field of players by the model of Bradley and Terry: the expected points of each player equal its
// actual points, and the mean rating is 1500. Results are ordered by player number.
//
// Each player is given one more game, a draw with an average player. This prior keeps the rating of an unbeaten player
// finite and connects players that have not met even indirectly; among many games it is hardly noticeable.
func BradleyTerry(players int, meetings []Meeting) []Rated {
	f := newField(players, meetings)
	f.fit()
	out := make([]Rated, players)
	mean := f.mean()
	for i, strength := range f.strength {
		r := Mean + eloPerLogit*(strength-mean)
		out[i] = Rated{Rating: r, Low: math.Inf(-1), High: math.Inf(1), Games: f.games[i]}
	}
	if players <= MaxIntervals {
		dispersion := f.dispersion()
		for i, variance := range f.variances() {
			reach := z95 * eloPerLogit * math.Sqrt(variance*dispersion)
			out[i].Low, out[i].High = out[i].Rating-reach, out[i].Rating+reach
		}
	}
	return out
}

// A field holds the players on the logistic scale, on which the average player of
// the added games has strength 0.
type field struct {
	meetings []Meeting
	games    []int     // of each player
	strength []float64 // of each player

	missing []float64 // of each player, the points that it scored beyond those expected
	weight  []float64 // of each meeting, how fast its expected points change with a strength
	added   []float64 // of each player, the same for the added game
}

// newField returns a field in which all players are equally strong, the starting point of fit.
func newField(players int, meetings []Meeting) *field {
	f := &field{
		meetings: meetings, games: make([]int, players), strength: make([]float64, players),
		missing: make([]float64, players), weight: make([]float64, len(meetings)), added: make([]float64, players),
	}
	for _, m := range meetings {
		f.games[m.A] += m.Games
		f.games[m.B] += m.Games
	}
	return f
}

// fit finds the strengths at which expected and actual points agree, by
// Newton's method. Steps are limited, because Newton's method may overshoot.
func (f *field) fit() {
	for range newtons {
		f.look()
		step, furthest := f.solve(f.missing), 0.0
		for _, d := range step {
			furthest = max(furthest, math.Abs(d))
		}
		scale := 1 / max(furthest/2, 1)
		for i, d := range step {
			f.strength[i] += scale * d
		}
		if furthest < tolerance {
			break
		}
	}
	f.look()
}

// look computes the residuals and the weights for the current strengths.
func (f *field) look() {
	for i, s := range f.strength {
		e := logistic(s)
		f.missing[i], f.added[i] = 0.5-e, e*(1-e)
	}
	for k, m := range f.meetings {
		e, games := logistic(f.strength[m.A]-f.strength[m.B]), float64(m.Games)
		f.weight[k] = games * e * (1 - e)
		f.missing[m.A] += m.Points - games*e
		f.missing[m.B] -= m.Points - games*e
	}
}

// mean returns the mean strength. Only differences of strengths are meaningful, so the result is shifted by the mean.
func (f *field) mean() (mean float64) {
	for _, s := range f.strength {
		mean += s / float64(len(f.strength))
	}
	return mean
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
