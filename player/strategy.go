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

// StrategyFunc makes a Strategy of a function.
type StrategyFunc func(ctx context.Context, v game.View) (game.Move, error)

// Choose calls f.
func (f StrategyFunc) Choose(ctx context.Context, v game.View) (game.Move, error) { return f(ctx, v) }

// A Learner is a Strategy that receives every finished match, the past ones first.
type Learner interface {
	Learn(m protocol.PlayerMatch)
}

// A Listener is a Strategy that receives the authenticated messages of the manager and the referees: the answer to
// its registration, after the past matches; rounds, tables, results, complaints, the end. It must not change a
// message.
type Listener interface {
	Hear(m protocol.Message)
}

// errNoOption is the error of a strategy without options.
var errNoOption = errors.New("nothing may be played")

// Random picks any option with equal chance. Nil chance is the machine's own.
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

// Alternate plays the first option, then the second, and so on.
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

// FromHistory plays the parity that was drawn most often in its past matches. Without past draws it plays the first
// option.
func FromHistory() Strategy { return &fromHistory{seen: map[string]int{}} }

// fromHistory chooses the move that would have been right most often so far.
type fromHistory struct {
	mu   sync.Mutex
	seen map[string]int // the move that would have been right, to how often
}

// Learn counts the draw of a match; a match without a draw is ignored.
func (h *fromHistory) Learn(m protocol.PlayerMatch) {
	if m.DrawnNumber.Value == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.seen[parity(*m.DrawnNumber.Value)]++
}

// Choose takes the option that would have been right most often, the first of several. In games without a draw that
// is always the first option.
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

// parity is the word for whether a number is even.
func parity(n int) string {
	if n%2 == 0 {
		return "even"
	}
	return "odd"
}
