package referee

import (
	"context"

	"agentleague/protocol"
)

// Drain takes no further match on and returns when those in hand are recorded,
// told and reported, or ctx ends. What is asked for meanwhile is answered BUSY,
// so that the manager keeps it for whoever comes next.
func (r *Referee) Drain(ctx context.Context) {
	r.mu.Lock()
	r.draining = true
	r.mu.Unlock()
	rest := make(chan struct{})
	go func() {
		defer close(rest)
		r.Wait()
	}()
	select {
	case <-rest:
	case <-ctx.Done():
	}
}

// leaving reports whether an order comes too late: the referee drains, and it
// is not about a match in play. The caller holds the lock.
func (r *Referee) leaving(start *protocol.StartMatch) bool {
	m := r.matches[keyOf(start)]
	return r.draining && (m == nil || m.ended || m.start.Attempt != start.Attempt)
}
