package cfr

import (
	"agentleague/game/kuhnpoker"
)

// A Policy is the probability of each action, by what the acting player knows: its card and the actions so far.
type Policy map[Info]map[kuhnpoker.Action]float64

// Info is the information of the player to act.
type Info struct {
	Card    kuhnpoker.Card
	Actions string // before, with a space after each
}

// infoOf returns what the acting player knows in a hand.
func infoOf(h kuhnpoker.Hand) Info {
	i := Info{Card: h.Cards[h.Player()]}
	for _, a := range h.Actions {
		i.Actions += string(a) + " "
	}
	return i
}

// Train computes a policy by counterfactual regret minimization (CFR+): in each round it plays every deal against
// itself, with action probabilities proportional to the regrets, which never fall below 0. It returns the average
// policy of all rounds, with more weight on later ones.
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

// A trainer holds the nodes of the training.
type trainer map[Info]*node

// A node has the statistics of one information set. For each action: the accumulated regret, the regret of this round,
// and the accumulated frequency, which becomes the policy.
type node struct {
	regret, fresh, played map[kuhnpoker.Action]float64
}

// walk traverses all continuations of a hand, updates the player's statistics and returns its expected win. reach is,
// for each player, the probability of its actions so far.
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

// at returns the node of an information set, creating it if necessary.
func (t trainer) at(i Info, legal []kuhnpoker.Action) *node {
	if t[i] == nil {
		t[i] = &node{map[kuhnpoker.Action]float64{}, map[kuhnpoker.Action]float64{}, map[kuhnpoker.Action]float64{}}
		for _, a := range legal {
			t[i].regret[a], t[i].played[a] = 0, 0
		}
	}
	return t[i]
}

// share normalizes sums to probabilities; if all are zero, the result is uniform.
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
