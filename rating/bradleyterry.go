package rating

import "math"

const (
	// Mean is the mean rating of a field, and the initial rating of an unknown player.
	Mean = 1500
	// MaxIntervals is how many players a field may have for [BradleyTerry] to give
	// intervals: they take time that grows with the cube of the players.
	MaxIntervals = 400

	eloPerLogit = 400 / math.Ln10
	newtons     = 100  // seven are usual
	tolerance   = 1e-7 // on the logistic scale: 0.00002 of a rating point
)

// A Meeting is one observation of two players of a field: a game, or the two
// games in which they swapped seats. Which of the two is A does not matter.
type Meeting struct {
	A, B   int     // the players, counted from 0
	Games  int     // how many games it stands for
	Points float64 // the score of A in them, of one point a game; a draw is half a point
}

// Rated is one player's place on the scale of its field.
type Rated struct {
	Rating    float64
	Low, High float64 // the 95 % interval against the mean of the field; infinite above [MaxIntervals] players
	Games     int     // the number of rated games; without one the rating is meaningless
}

// BradleyTerry rates a field of players by the model of Bradley and Terry, so that the expected points of each player
// are its actual points, and the mean of the field is 1500. The rating depends on the opponents of each player.
//
// Each player is given one more game, a draw with an average player. That keeps the rating of an unbeaten player
// finite, and connects players that have not met even indirectly; among many games it is hardly noticeable.
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

// A field is the players on the logistic scale, on which the average player of
// the added games stands at 0.
type field struct {
	meetings []Meeting
	games    []int     // of each player
	strength []float64 // of each player

	missing []float64 // of each player, the points that it scored beyond those expected
	weight  []float64 // of each meeting, how fast its expected points change with a strength
	added   []float64 // of each player, the same for the added game
}

// newField is where all players are equally strong, to start from.
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

// fit finds the strengths at which expected and scored points agree, by
// Newton's method. A step is never far, since Newton's may overshoot.
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

// look computes the residuals of the current strengths.
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

// mean is the mean strength. Only differences mean anything, so it is taken off in the end.
func (f *field) mean() (mean float64) {
	for _, s := range f.strength {
		mean += s / float64(len(f.strength))
	}
	return mean
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
