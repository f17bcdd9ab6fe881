package rating

import "math"

// z95 is the normal quantile of a two-sided interval of 95 %.
const z95 = 1.959963984540054

// Expected returns the expected share of points, 0 to 1, of a player that is ahead by diff on Elo's scale.
func Expected(diff float64) float64 { return 1 / (1 + math.Pow(10, -diff/400)) }

// Diff is the inverse of [Expected]: it returns the difference on Elo's scale for a share of points.
// It returns an infinity for 0 and 1.
func Diff(share float64) float64 { return 400 * math.Log10(share/(1-share)) }

// Elo returns the player's lead over its opponent and the bounds of the 95 % interval.
// If the player has all points or none, diff is computed as if one more game had
// been drawn, so it is always finite. The far bound is then infinite, because the
// games set no limit there.
func (s Score) Elo() (diff, low, high float64) {
	games := float64(s.Games())
	if games == 0 {
		return 0, math.Inf(-1), math.Inf(1)
	}
	least := 0.5 / (games + 1)
	from, to := s.interval()
	return Diff(min(max(s.Mean(), least), 1-least)), Diff(from), Diff(to)
}

// interval returns Wilson's interval for the share of points. It uses the effective number of observations of a score
// without draws or pairs.
func (s Score) interval() (low, high float64) {
	mean := s.Mean()
	n, zz := s.observations(), z95*z95
	middle := (mean + zz/(2*n)) / (1 + zz/n)
	reach := math.Sqrt(zz*mean*(1-mean)/n+zz*zz/(4*n*n)) / (1 + zz/n)
	low, high = middle-reach, middle+reach
	if mean == 0 {
		low = 0 // and not a rounding error beside it
	}
	if mean == 1 {
		high = 1
	}
	return low, high
}

// observations returns the number of decided games with the same information as this score. A quarter, the variance of
// one even game, is added to both the observed and the reference variance, so that a few equal results do not imply
// certainty.
func (s Score) observations() float64 {
	mean := s.Mean()
	var games, squares, seen, possible float64
	for _, p := range s.samples() {
		w := p.games()
		games += w * p.size()
		squares += w * w * p.size()
		seen += w * w * p.spread(mean)
		possible += w * w * p.size() * mean * (1 - mean)
	}
	one := 0.25 * squares / games
	ratio := (seen + one) / (possible + one)
	return games * games / squares / ratio
}

// LOS returns the likelihood of superiority: the probability that the player is
// the stronger of the two. It is ½ without decided games; draws do not change it.
func (s Score) LOS() float64 {
	var ahead, variance float64
	for _, p := range s.samples() {
		w := p.games()
		for i, count := range p {
			ahead += w * count * (p.share(i) - 0.5)
		}
		variance += w * w * p.spread(0.5)
	}
	if variance == 0 {
		return 0.5
	}
	return normal(ahead / math.Sqrt(variance))
}

// normal returns the probability that a standard normal variable is below z.
func normal(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }

// Bound converts a bound of an interval for JSON, which has no infinity: nil means no limit.
func Bound(x float64) *float64 {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return nil
	}
	return &x
}
