package player

import (
	"context"
	"time"

	"agentleague/protocol"
)

// Drain accepts no further invitation and returns when the matches in hand are
// over, or ctx ends.
func (a *Agent) Drain(ctx context.Context) {
	a.mu.Lock()
	a.draining = true
	a.mu.Unlock()
	for a.inHand() > 0 {
		if a.Node.Sleep(ctx, "drain", 50*time.Millisecond) != nil {
			return
		}
	}
}

// inHand is the number of the player's open matches and protests.
func (a *Agent) inHand() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := a.protests
	for _, p := range a.bouts {
		if p.inHand() {
			n++
		}
	}
	return n
}

// leaving refuses an invitation that comes too late. The caller holds the lock.
func (a *Agent) leaving() error {
	if !a.draining {
		return nil
	}
	return protocol.Errorf(protocol.Internal, "this player is shutting down and may come back; try again").Pass()
}
