package player

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"sync"

	"agentleague/game"
	"agentleague/protocol"
)

// A Strategy chooses a move from its seat's view. The context ends when the answer is due.
type Strategy interface {
	Choose(ctx context.Context, v game.View) (game.Move, error)
}

// A StrategyFunc is a function that implements [Strategy].
type StrategyFunc func(ctx context.Context, v game.View) (game.Move, error)

// Choose calls f.
func (f StrategyFunc) Choose(ctx context.Context, v game.View) (game.Move, error) { return f(ctx, v) }

// A Learner is a Strategy that receives every finished match, beginning with the stored history, the oldest first.
type Learner interface {
	Learn(m protocol.PlayerMatch)
}

// A Listener is a Strategy that receives the authenticated messages of the manager and the referees: the answer to
// its registration, after the past matches; rounds, tables, results, errors, the end of the league. It must not change
// a message.
type Listener interface {
	Hear(m protocol.Message)
}

// errNoOption is the error of a strategy that has no options to choose from.
var errNoOption = errors.New("nothing may be played")

// Random returns a strategy that picks an option uniformly. chance is the source of randomness; nil means a random
// seed.
func Random(chance *rand.Rand) Strategy {
	var mu sync.Mutex
	pick := rand.IntN
	if chance != nil {
		pick = func(n int) int { mu.Lock(); defer mu.Unlock(); return chance.IntN(n) }
	}
	return StrategyFunc(func(_ context.Context, v game.View) (game.Move, error) {
		if len(v.Options) == 0 {
			return nil, errNoOption
		}
		return v.Options[pick(len(v.Options))], nil
	})
}

// Alternate returns a strategy that plays the first option, then the second, and so on, in rotation.
func Alternate() Strategy {
	var mu sync.Mutex
	turn := -1
	return StrategyFunc(func(_ context.Context, v game.View) (game.Move, error) {
		mu.Lock()
		defer mu.Unlock()
		if len(v.Options) == 0 {
			return nil, errNoOption
		}
		turn++
		return v.Options[turn%len(v.Options)], nil
	})
}

// FromHistory returns a strategy that plays the parity drawn most often in its past matches. Without past draws it
// plays the first option.
func FromHistory() Strategy { return &fromHistory{seen: map[string]int{}} }

// fromHistory counts how often each parity was drawn in past matches.
type fromHistory struct {
	mu   sync.Mutex
	seen map[string]int // the move that would have been right, to how often
}

// Learn counts the parity drawn in a match; a match without a drawn number is ignored.
func (h *fromHistory) Learn(m protocol.PlayerMatch) {
	if m.DrawnNumber.Value == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.seen[parity(*m.DrawnNumber.Value)]++
}

// Choose returns the option that would have been right most often; on a tie the first of them. In games without a drawn
// number that is always the first option.
func (h *fromHistory) Choose(_ context.Context, v game.View) (game.Move, error) {
	if len(v.Options) == 0 {
		return nil, errNoOption
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	best, most := v.Options[0], -1
	for _, o := range v.Options {
		var word string
		_ = json.Unmarshal(o, &word)
		if h.seen[word] > most {
			best, most = o, h.seen[word]
		}
	}
	return best, nil
}

// parity returns "even" or "odd".
func parity(n int) string {
	if n%2 == 0 {
		return "even"
	}
	return "odd"
}
