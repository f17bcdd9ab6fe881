package rating

import "math"

// z95 is the normal quantile of a two-sided interval of 95 %.
const z95 = 1.959963984540054

// Expected is the share of points expected of a player that is ahead by diff on Elo's scale.
func Expected(diff float64) float64 { return 1 / (1 + math.Pow(10, -diff/400)) }

// Diff is the difference on Elo's scale at which a share of points is expected.
// It is infinite for 0 and 1.
func Diff(share float64) float64 { return 400 * math.Log10(share/(1-share)) }

// Elo is how far the player is ahead of its opponent, and the ends of the 95 %
// interval. Without a lost half point, or without a won one, diff is that of
// half a point lost or won in one game more, so it is always finite; the far end
// of the interval is then infinite, because the games set no limit there.
func (s Score) Elo() (diff, low, high float64) {
	games := float64(s.Games())
	if games == 0 {
		return 0, math.Inf(-1), math.Inf(1)
	}
	least := 0.5 / (games + 1)
	from, to := s.interval()
	return Diff(min(max(s.Mean(), least), 1-least)), Diff(from), Diff(to)
}

// interval is Wilson's interval for the share of points, with the effective number of observations of a score without
// draws or pairs.
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

// observations is the number of wins and losses with the same information as this score. A quarter, the variance of
// one even game, is added to the observed variance and to the reference: a few equal results do not prove that all
// will be.
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

// LOS is the likelihood of superiority: how probable it is that the player is
// the stronger of the two, ½ without a decided game. Draws leave it as it is.
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

// normal is the probability that a standard normal variable is below z.
func normal(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }

// Bound returns an end of an interval for JSON, which has no infinity: nil if there is no limit.
func Bound(x float64) *float64 {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return nil
	}
	return &x
}
