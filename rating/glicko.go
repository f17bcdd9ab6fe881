package rating

import "math"

// Glicko is a Glicko-2 rating, which is updated after every league: a league is
// one rating period. [NewGlicko] returns the initial rating.
type Glicko struct {
	Rating     float64 `json:"rating"`
	Deviation  float64 `json:"deviation"`  // the rating is within two deviations 95 times in 100
	Volatility float64 `json:"volatility"` // how unsteady the player is from league to league
}

// NewGlicko is the rating of an unknown player.
func NewGlicko() Glicko { return Glicko{Rating: Mean, Deviation: 350, Volatility: 0.06} }

// A Game is the result of one game of a rating period, or of several games as their mean.
type Game struct {
	Opponent Glicko // as it was before the period
	Points   float64
}

// tau limits the change of the volatility; Glickman recommends 0.3 to 1.2.
const tau = 0.5

// glickoScale is the number of rating points per unit of Glicko-2's internal scale.
const glickoScale = 173.7178

// Interval is the 95 % interval of the rating.
func (g Glicko) Interval() (low, high float64) {
	return g.Rating - z95*g.Deviation, g.Rating + z95*g.Deviation
}

// After returns the rating after a period with these games. Without games only the deviation grows: the rating of an
// absent player becomes less certain.
func (g Glicko) After(games []Game) Glicko {
	phi := g.Deviation / glickoScale
	if len(games) == 0 {
		g.Deviation = min(glickoScale*math.Hypot(phi, g.Volatility), 350)
		return g
	}
	information, surplus := 0.0, 0.0
	for _, game := range games {
		weight, expected := g.against(game.Opponent)
		information += weight * weight * expected * (1 - expected)
		surplus += weight * (game.Points - expected)
	}
	variance := 1 / information
	sigma := volatility(phi, g.Volatility, variance, variance*surplus)
	phi = 1 / math.Sqrt(1/(phi*phi+sigma*sigma)+information)
	return Glicko{
		Rating: g.Rating + glickoScale*phi*phi*surplus, Deviation: glickoScale * phi, Volatility: sigma,
	}
}

// against returns the weight of a game with the opponent, and the expected points.
func (g Glicko) against(opponent Glicko) (weight, expected float64) {
	phi := opponent.Deviation / glickoScale
	weight = 1 / math.Sqrt(1+3*phi*phi/(math.Pi*math.Pi))
	return weight, logistic(weight * (g.Rating - opponent.Rating) / glickoScale)
}

// volatility solves step 5 of Glickman's paper by the Illinois method, as the paper does.
func volatility(phi, sigma, variance, delta float64) float64 {
	start := math.Log(sigma * sigma)
	f := func(x float64) float64 {
		e := math.Exp(x)
		d := phi*phi + variance + e
		return e*(delta*delta-d)/(2*d*d) - (x-start)/(tau*tau)
	}
	a, b := start, math.Log(max(delta*delta-phi*phi-variance, 0))
	if math.IsInf(b, -1) {
		for b = start - tau; f(b) < 0; b -= tau {
		}
	}
	fa, fb := f(a), f(b)
	for math.Abs(b-a) > 1e-9 {
		c := a + (a-b)*fa/(fb-fa)
		fc := f(c)
		if fc*fb <= 0 {
			a, fa = b, fb
		} else {
			fa /= 2
		}
		b, fb = c, fc
	}
	return math.Exp(a / 2)
}
