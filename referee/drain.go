package referee

import (
	"context"

	"agentleague/protocol"
)

// Drain accepts no further matches and returns when the current ones are recorded, announced and reported, or ctx
// ends. New orders are answered BUSY, so that the manager keeps them for the next referee.
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
