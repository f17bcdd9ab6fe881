// Package reciprocal has strategies for the iterated prisoner's dilemma that react
// to the opponent's actions.
//
//	tit-for-tat   begins with cooperation, then repeats the opponent's last action
//	generous      the same, and forgives every third defection
//	grim          cooperates until the opponent defects once
//	pavlov        keeps an action that paid off, and changes one that did not
package reciprocal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"agentleague/game"
	"agentleague/game/prisonersdilemma"
	"agentleague/player"
)

// forgiven is the probability with which Generous forgives a defection. With the
// payoffs of the game, an opponent could exploit a higher value.
const forgiven = 1.0 / 3

// A rule returns whether to cooperate. past are the earlier steps, the oldest first, with the action of each side.
type rule func(past []map[string]prisonersdilemma.Action) bool

// TitForTat returns a strategy that cooperates first and then repeats the opponent's last action.
func TitForTat() player.Strategy { return mind(titForTat) }

// Grim returns a strategy that cooperates until the opponent's first defection, and never afterwards.
func Grim() player.Strategy {
	return mind(func(past []map[string]prisonersdilemma.Action) bool {
		return !slices.ContainsFunc(past, func(step map[string]prisonersdilemma.Action) bool { return defects(step, "opponent") })
	})
}

// Pavlov returns a strategy that repeats its action after a step in which the opponent cooperated, and otherwise
// changes it.
func Pavlov() player.Strategy {
	return mind(func(past []map[string]prisonersdilemma.Action) bool {
		if len(past) == 0 {
			return true
		}
		last := past[len(past)-1]
		return defects(last, "you") == defects(last, "opponent")
	})
}

// Generous returns tit-for-tat that forgives a third of the defections at random, which ends mutual punishment. chance
// is the source of randomness; nil means a random seed.
func Generous(chance *rand.Rand) player.Strategy {
	var mu sync.Mutex
	number := rand.Float64
	if chance != nil {
		number = func() float64 { mu.Lock(); defer mu.Unlock(); return chance.Float64() }
	}
	return mind(func(past []map[string]prisonersdilemma.Action) bool { return titForTat(past) || number() < forgiven })
}

func titForTat(past []map[string]prisonersdilemma.Action) bool {
	return len(past) == 0 || !defects(past[len(past)-1], "opponent")
}

// defects reports whether a side defected in a step.
func defects(step map[string]prisonersdilemma.Action, side string) bool {
	return step[side] == prisonersdilemma.Defect
}

// mind is a strategy that follows a rule.
func mind(cooperates rule) player.Strategy {
	return player.StrategyFunc(func(_ context.Context, v game.View) (game.Move, error) {
		var seen prisonersdilemma.Seen
		if err := json.Unmarshal(v.Context, &seen); err != nil {
			return nil, fmt.Errorf("this mind plays prisoners_dilemma, and cannot read this view: %w", err)
		}
		want := prisonersdilemma.Defect
		if cooperates(seen.Past) {
			want = prisonersdilemma.Cooperate
		}
		i := slices.IndexFunc(v.Options, func(o game.Move) bool { return player.Written(o) == string(want) })
		if i < 0 {
			return nil, errors.New("this mind plays prisoners_dilemma, where one cooperates or defects")
		}
		return v.Options[i], nil
	})
}
