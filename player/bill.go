package player

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"

	"agentleague/protocol"
)

// Spend tells what the choice that ctx belongs to took of a language model. It
// goes out with the answer, as the player's own word, and stays in the history.
// Several calls are added up. Outside of an agent nobody hears it.
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

// Logger is the agent's, for what a strategy has to say of the choice that ctx
// belongs to. Outside of an agent it keeps silent.
func Logger(ctx context.Context) *slog.Logger {
	if b, ok := ctx.Value(billKey{}).(*bill); ok {
		return b.log
	}
	return slog.New(slog.DiscardHandler)
}

// billKey is the key under which a context holds the bill of a choice.
type billKey struct{}

// A bill is what one choice took.
type bill struct {
	log   *slog.Logger
	mu    sync.Mutex
	usage *protocol.Usage
}

// total is what was spent; nil: nothing.
func (b *bill) total() *protocol.Usage {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.usage
}

// used adds what a choice took. The caller holds the agent's lock.
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

// billed is the result of a bout with what its choices took; of one that is not known here nothing is added.
func (p *playing) billed(e protocol.PlayerMatch) protocol.PlayerMatch {
	if p != nil {
		e.Usage = p.usage
	}
	return e
}

// told is what an answer says of its usage; nil: nothing.
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
