package cfr

import "agentleague/game/kuhnpoker"

// Value returns the chips that the first player of a hand wins on average when
// both play so, computed over all deals.
func (p Policy) Value() float64 {
	sum := 0.0
	for _, deal := range kuhnpoker.Deals() {
		sum += p.value(deal)
	}
	return sum / float64(len(kuhnpoker.Deals()))
}

// value is the first player's expected win in a hand from here on when both play the policy, in chips.
func (p Policy) value(h kuhnpoker.Hand) (sum float64) {
	if h.Over() {
		return float64(h.Payoff())
	}
	for a, often := range p[infoOf(h)] {
		next, _ := h.Play(a) // a policy has legal actions
		sum += often * p.value(next)
	}
	return sum
}

// Exploitability returns the expected win of a perfectly informed opponent per hand, on average over both seats: 0
// for an equilibrium. It is computed, not sampled.
func (p Policy) Exploitability() float64 {
	return (p.best(0) + p.best(1)) / 2
}

// best is the expected win of the best response to the policy.
func (p Policy) best(player int) float64 {
	var hands []weighed
	for _, deal := range kuhnpoker.Deals() {
		hands = append(hands, weighed{deal, 1 / float64(len(kuhnpoker.Deals()))})
	}
	return p.answer(hands, player)
}

// A weighed hand is one with how likely it is.
type weighed struct {
	kuhnpoker.Hand
	likely float64
}

// answer is the expected win of the best response in hands with the same actions. The player knows its own card, and
// so plays alike in hands in which that is the same.
func (p Policy) answer(hands []weighed, player int) float64 {
	if len(hands) == 0 {
		return 0
	}
	if hands[0].Over() {
		sum := 0.0
		for _, h := range hands {
			sum += h.likely * payoff(h.Hand, player)
		}
		return sum
	}
	if hands[0].Player() != player {
		return p.chance(hands, player)
	}
	known := map[kuhnpoker.Card][]weighed{}
	for _, h := range hands {
		known[h.Cards[player]] = append(known[h.Cards[player]], h)
	}
	sum := 0.0
	for _, alike := range known {
		first := true
		most := 0.0
		for _, a := range alike[0].Legal() {
			if v := p.answer(played(alike, a, nil), player); first || v > most {
				first, most = false, v
			}
		}
		sum += most
	}
	return sum
}

// chance is a player's expected win where the policy acts.
func (p Policy) chance(hands []weighed, player int) (sum float64) {
	for _, a := range hands[0].Legal() {
		sum += p.answer(played(hands, a, p), player)
	}
	return sum
}

// played are hands after an action: as likely as a policy takes it, or for sure.
func played(hands []weighed, a kuhnpoker.Action, p Policy) (out []weighed) {
	for _, h := range hands {
		next, _ := h.Play(a) // it is legal
		likely := h.likely
		if p != nil {
			likely *= p[infoOf(h.Hand)][a]
		}
		out = append(out, weighed{next, likely})
	}
	return out
}
