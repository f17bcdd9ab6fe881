package player

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"

	"agentleague/protocol"
)

// Spend adds language-model usage to the choice that ctx belongs to; calls accumulate. The usage is sent with the
// answer, unverified, and stored in the history. Outside of an agent's Choose it does nothing.
func Spend(ctx context.Context, u protocol.Usage) {
	b, ok := ctx.Value(billKey{}).(*bill)
	if !ok {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	sum := u
	if b.usage != nil {
		sum = b.usage.Plus(u)
	}
	b.usage = &sum
}

// Logger returns the agent's logger for a strategy whose Choose received ctx. Outside of an agent it returns a logger
// that discards everything.
func Logger(ctx context.Context) *slog.Logger {
	if b, ok := ctx.Value(billKey{}).(*bill); ok {
		return b.log
	}
	return slog.New(slog.DiscardHandler)
}

// billKey is the context key of the [bill] for a call of a strategy.
type billKey struct{}

// A bill adds up the language model usage of one call of a strategy.
type bill struct {
	log   *slog.Logger
	mu    sync.Mutex
	usage *protocol.Usage
}

// total returns the usage so far, or nil if there was none.
func (b *bill) total() *protocol.Usage {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.usage
}

// used adds the language model usage of a choice to that of the attempt. The caller holds the agent's lock.
func (p *playing) used(u *protocol.Usage) {
	if u == nil {
		return
	}
	sum := *u
	if p.usage != nil {
		sum = p.usage.Plus(sum)
	}
	p.usage = &sum
}

// billed returns e with the language-model usage of its match attempt added; p may be nil.
func (p *playing) billed(e protocol.PlayerMatch) protocol.PlayerMatch {
	if p != nil {
		e.Usage = p.usage
	}
	return e
}

// told returns the language model usage for the answer message as JSON, or nil if there was none.
func (r reply) told() json.RawMessage {
	if r.usage == nil {
		return nil
	}
	text, err := json.Marshal(r.usage)
	if err != nil {
		return nil
	}
	return text
}
