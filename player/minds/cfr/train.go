package cfr

import (
	"agentleague/game/kuhnpoker"
)

// A Policy says how often each action is taken, for all that the player to act
// can know: its card and what was done before.
type Policy map[Info]map[kuhnpoker.Action]float64

// Info is what the player to act knows.
type Info struct {
	Card    kuhnpoker.Card
	Actions string // before, with a space after each
}

// infoOf returns what the player to act knows of a hand.
func infoOf(h kuhnpoker.Hand) Info {
	i := Info{Card: h.Cards[h.Player()]}
	for _, a := range h.Actions {
		i.Actions += string(a) + " "
	}
	return i
}

// Train plays every deal against itself so many times and returns the average of
// what it did, in which later rounds count more. Each time, an action is taken as often as not having taken it was
// regretted: counterfactual regret minimization, with regrets that never fall below 0 (CFR+).
func Train(rounds int) Policy {
	t := trainer{}
	for n := range rounds {
		for player := range 2 {
			for _, deal := range kuhnpoker.Deals() {
				t.walk(deal, player, [2]float64{1, 1}, float64(n+1))
			}
			t.settle()
		}
	}
	out := Policy{}
	for i, node := range t {
		out[i] = share(node.played)
	}
	return out
}

// A trainer holds what was regretted and played so far.
type trainer map[Info]*node

// A node is what has been learned for one card and one course of a hand: regret so far, that of this round, and how
// often each action was played, which becomes the policy.
type node struct {
	regret, fresh, played map[kuhnpoker.Action]float64
}

// walk plays a hand to all its ends for one player, and returns what it wins on
// average. Reach is how likely each player's own actions led there.
func (t trainer) walk(h kuhnpoker.Hand, player int, reach [2]float64, weight float64) float64 {
	if h.Over() {
		return payoff(h, player)
	}
	actor, n := h.Player(), t.at(infoOf(h), h.Legal())
	now := share(n.regret)
	values, total := map[kuhnpoker.Action]float64{}, 0.0
	for _, a := range h.Legal() {
		next, _ := h.Play(a) // it is legal
		further := reach
		further[actor] *= now[a]
		values[a] = t.walk(next, player, further, weight)
		total += now[a] * values[a]
	}
	for a, v := range values {
		if actor == player {
			n.fresh[a] += reach[1-player] * (v - total)
			n.played[a] += weight * reach[player] * now[a]
		}
	}
	return total
}

// settle adds what was regretted in a round.
func (t trainer) settle() {
	for _, n := range t {
		for a, r := range n.fresh {
			n.regret[a] = max(0, n.regret[a]+r)
		}
		clear(n.fresh)
	}
}

// at returns what is held for what a player knows.
func (t trainer) at(i Info, legal []kuhnpoker.Action) *node {
	if t[i] == nil {
		t[i] = &node{map[kuhnpoker.Action]float64{}, map[kuhnpoker.Action]float64{}, map[kuhnpoker.Action]float64{}}
		for _, a := range legal {
			t[i].regret[a], t[i].played[a] = 0, 0
		}
	}
	return t[i]
}

// share makes parts of one of some sums; all alike where there is nothing to share.
func share(sums map[kuhnpoker.Action]float64) map[kuhnpoker.Action]float64 {
	total := 0.0
	for _, s := range sums {
		total += s
	}
	out := make(map[kuhnpoker.Action]float64, len(sums))
	for a, s := range sums {
		if out[a] = 1 / float64(len(sums)); total > 0 {
			out[a] = s / total
		}
	}
	return out
}

// payoff is what a player wins by a hand that is over.
func payoff(h kuhnpoker.Hand, player int) float64 {
	if player == 1 {
		return -float64(h.Payoff())
	}
	return float64(h.Payoff())
}
