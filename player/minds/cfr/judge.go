package cfr

import "agentleague/game/kuhnpoker"

// Value returns the average win of the first player per hand, in chips, when
// both players play the policy. It is exact: all deals are computed.
func (p Policy) Value() float64 {
	sum := 0.0
	for _, deal := range kuhnpoker.Deals() {
		sum += p.value(deal)
	}
	return sum / float64(len(kuhnpoker.Deals()))
}

// value returns the first player's expected win, in chips, in the rest of a hand when both players play the policy.
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

// Exploitability returns the expected win per hand, in chips, of a best response to the policy, averaged over both
// seats. It is 0 for an equilibrium. It is exact, not sampled.
func (p Policy) Exploitability() float64 {
	return (p.best(0) + p.best(1)) / 2
}

// best returns the expected win of the given player when it plays the best response to the policy.
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

// answer returns the player's expected win with the best response, over hands that differ only in the cards. The player
// sees only its own card, so it chooses the same action in all hands with that card.
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

// chance returns the player's expected win in hands in which the opponent, playing the policy, acts next.
func (p Policy) chance(hands []weighed, player int) (sum float64) {
	for _, a := range hands[0].Legal() {
		sum += p.answer(played(hands, a, p), player)
	}
	return sum
}

// played returns the hands after an action. Each probability is multiplied by that of the action in p; a nil p leaves
// it unchanged.
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
