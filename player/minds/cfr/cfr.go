// Package cfr is a strategy for Kuhn poker that cannot be exploited in the long
// run: it bluffs, and calls bluffs, at the equilibrium frequency.
//
//	Train: play every deal against itself ─▶ regret ─▶ play what is regretted ─▶ … ─▶ Policy
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

// enough is the number of training rounds: an opponent wins at most a thousandth of a chip a hand.
const enough = 1000

// trained is the policy of all minds of a process, made when the first of them moves.
var trained = sync.OnceValue(func() Policy { return Train(enough) })

// New returns a mind that draws its actions by chance; nil is the machine's own.
func New(chance *rand.Rand) player.Strategy {
	m := &mind{number: rand.Float64}
	if chance != nil {
		m.number = chance.Float64
	}
	return m
}

// A mind plays a policy that was trained before the first hand. Its chance is guarded: one mind may play several
// matches at once.
type mind struct {
	mu     sync.Mutex
	number func() float64
}

// Choose plays the policy in the hand that the view shows.
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
