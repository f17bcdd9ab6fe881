package cfr

import (
	"agentleague/game/kuhnpoker"
)

// A Policy has the probability of each action, by the information of the player to act: its card and the actions so
// far.
type Policy map[Info]map[kuhnpoker.Action]float64

// Info is the information of the player to act.
type Info struct {
	Card    kuhnpoker.Card
	Actions string // before, with a space after each
}

// infoOf returns the information of the player to act in a hand.
func infoOf(h kuhnpoker.Hand) Info {
	i := Info{Card: h.Cards[h.Player()]}
	for _, a := range h.Actions {
		i.Actions += string(a) + " "
	}
	return i
}

// Train plays every deal against itself for a number of rounds and returns the average policy, in which later rounds
// weigh more. In each round an action is taken in proportion to its regret: counterfactual regret minimization, with
// regrets that never fall below 0 (CFR+).
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

// A trainer has the regrets and the actions so far.
type trainer map[Info]*node

// A node has the statistics for one card and one course of a hand: regret so far, that of this round, and the
// frequency of each action, which becomes the policy.
type node struct {
	regret, fresh, played map[kuhnpoker.Action]float64
}

// walk plays a hand to all its ends for one player, and returns its expected win. Reach is the probability of each
// player's own actions up to there.
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

// settle adds the regrets of a round.
func (t trainer) settle() {
	for _, n := range t {
		for a, r := range n.fresh {
			n.regret[a] = max(0, n.regret[a]+r)
		}
		clear(n.fresh)
	}
}

// at returns the node for a player's information.
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

// payoff is a player's win in a finished hand.
func payoff(h kuhnpoker.Hand, player int) float64 {
	if player == 1 {
		return -float64(h.Payoff())
	}
	return float64(h.Payoff())
}
