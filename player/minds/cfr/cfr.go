// Package cfr is a strategy for Kuhn poker that cannot be exploited in the long
// run: it bluffs, and calls bluffs, at the equilibrium frequency.
//
//	Train: play every deal against itself ─▶ regrets ─▶ play in proportion to regret ─▶ … ─▶ Policy
package cfr

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sync"

	"agentleague/game"
	"agentleague/game/kuhnpoker"
	"agentleague/player"
)

// enough is the number of training rounds. After it, an opponent can win at most 0.001 chips per hand.
const enough = 1000

// trained returns the policy that all minds of a process share. It is trained on the first call.
var trained = sync.OnceValue(func() Policy { return Train(enough) })

// New returns the strategy. chance is the source of randomness for its actions; nil means a random seed.
func New(chance *rand.Rand) player.Strategy {
	m := &mind{number: rand.Float64}
	if chance != nil {
		m.number = chance.Float64
	}
	return m
}

// A mind plays the trained policy. A mutex guards its random source, since it may play several matches concurrently.
type mind struct {
	mu     sync.Mutex
	number func() float64
}

// Choose draws an action from the policy for the hand in the view.
func (m *mind) Choose(_ context.Context, v game.View) (game.Move, error) {
	var seen kuhnpoker.Seen
	if err := json.Unmarshal(v.Context, &seen); err != nil {
		return nil, fmt.Errorf("cfr plays kuhn_poker, and cannot read this view: %w", err)
	}
	i := Info{Card: seen.Card}
	for _, a := range seen.Actions {
		i.Actions += string(a) + " "
	}
	often := trained()[i]
	if len(often) == 0 {
		return nil, fmt.Errorf("cfr plays kuhn_poker, where nobody acts with card %q after %q", i.Card, i.Actions)
	}
	m.mu.Lock()
	left := m.number()
	m.mu.Unlock()
	for _, o := range v.Options {
		var a kuhnpoker.Action
		if err := json.Unmarshal(o, &a); err != nil {
			return nil, fmt.Errorf("cfr cannot read the option %s: %w", o, err)
		}
		if left -= often[a]; left < 0 {
			return o, nil
		}
	}
	if len(v.Options) == 0 {
		return nil, fmt.Errorf("nothing may be played")
	}
	return v.Options[len(v.Options)-1], nil // the remainder of rounding
}
