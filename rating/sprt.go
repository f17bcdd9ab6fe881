package rating

import "math"

// An SPRT is a sequential probability ratio test: it decides after any number of
// games whether the player is ahead by Elo1 rather than by Elo0.
//
// Do not estimate a rating from the games of such a test: the test stops when luck
// helps, so a true difference of 20 is estimated as 25. Use a fixed number of games
// to measure, and this test to decide.
type SPRT struct {
	Elo0, Elo1  float64 // the two hypotheses, Elo0 below Elo1
	Alpha, Beta float64 // how often H1 may be accepted though H0 holds, and H0 though H1 does; 0: 0.05
}

// A Verdict is the result of an [SPRT] after some games.
type Verdict string

// The verdicts of an SPRT.
const (
	Continue Verdict = "continue" // not decided yet
	AcceptH0 Verdict = "H0"       // the player is not ahead by more than Elo0
	AcceptH1 Verdict = "H1"       // the player is ahead by Elo1
)

// Test returns the log-likelihood ratio of the two hypotheses, the bounds at
// which the test decides, and the decision so far. It is the generalized test on
// the frequencies of results (trinomial for games, pentanomial for pairs), so it
// needs no assumption about the frequency of draws.
func (t SPRT) Test(s Score) (llr, lower, upper float64, verdict Verdict) {
	alpha, beta := orFive(t.Alpha), orFive(t.Beta)
	lower, upper = math.Log(beta/(1-alpha)), math.Log((1-beta)/alpha)
	for _, p := range s.samples() {
		llr += p.ratio(Expected(t.Elo0), Expected(t.Elo1))
	}
	switch {
	case llr >= upper:
		return llr, lower, upper, AcceptH1
	case llr <= lower:
		return llr, lower, upper, AcceptH0
	default:
		return llr, lower, upper, Continue
	}
}

// orFive returns an error probability, with 5 % as the default for 0.
func orFive(x float64) float64 {
	if x == 0 {
		return 0.05
	}
	return x
}

// rare is the count used for results that did not happen, so that every mean is possible.
const rare = 1e-3

// ratio returns the log-likelihood ratio of mean1 to mean0, each with the
// distribution of that mean that fits the sample best.
func (p sample) ratio(mean0, mean1 float64) float64 {
	seen := make(sample, len(p))
	for i, count := range p {
		seen[i] = max(count, rare)
	}
	tilt0, tilt1 := seen.tilt(mean0), seen.tilt(mean1)
	sum := 0.0
	for i, count := range seen {
		x := seen.share(i)
		sum += count * (math.Log1p(tilt0*(x-mean0)) - math.Log1p(tilt1*(x-mean1)))
	}
	return sum
}

// tilt returns the t for which the frequencies divided by 1+t(x-mean) have that mean. Of all distributions with that
// mean, the result is the most likely one. The function decreases in t, so bisection finds its zero.
func (p sample) tilt(mean float64) float64 {
	low, high := -1/(1-mean), 1/mean // where a frequency would become infinite
	for range 60 {                   // the number of bits of a float64
		t := (low + high) / 2
		sum := 0.0
		for i, count := range p {
			d := p.share(i) - mean
			sum += count * d / (1 + t*d)
		}
		if sum > 0 {
			low = t
		} else {
			high = t
		}
	}
	return (low + high) / 2
}
