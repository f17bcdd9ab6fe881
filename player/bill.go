package player

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"

	"agentleague/protocol"
)

// Spend records the language-model usage of the choice that ctx belongs to. It is sent with the answer, as the
// player's own statement, and stays in the history. Several calls are added up. Outside of an agent it does nothing.
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

// Logger is the agent's logger, for a strategy's notes on the choice that ctx belongs to. Outside of an agent it
// discards them.
func Logger(ctx context.Context) *slog.Logger {
	if b, ok := ctx.Value(billKey{}).(*bill); ok {
		return b.log
	}
	return slog.New(slog.DiscardHandler)
}

// billKey is the key under which a context holds the bill of a choice.
type billKey struct{}

// A bill is the usage of one choice.
type bill struct {
	log   *slog.Logger
	mu    sync.Mutex
	usage *protocol.Usage
}

// total is the usage; nil: none.
func (b *bill) total() *protocol.Usage {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.usage
}

// used adds the usage of a choice. The caller holds the agent's lock.
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

// billed is the result of a bout with the usage of its choices; for an unknown bout nothing is added.
func (p *playing) billed(e protocol.PlayerMatch) protocol.PlayerMatch {
	if p != nil {
		e.Usage = p.usage
	}
	return e
}

// told is the usage in an answer; nil: none.
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
