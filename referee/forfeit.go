package referee

import (
	"context"
	"errors"
	"time"

	"agentleague/protocol"
)

// simultaneousWindow is the interval within which two failures count as simultaneous. Without it, only the player whose
// failure is noticed first would lose, although both have failed.
const simultaneousWindow = 500 * time.Millisecond

// errForfeited cancels the open call to a player when its opponent forfeits.
var errForfeited = errors.New("the opponent has forfeited")

// cut reports whether ctx was cancelled for another reason than the time limit of the match, at which a player without
// an answer forfeits.
func cut(ctx context.Context) bool {
	return ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded)
}

// decided reports whether a seat has forfeited, so that no further tries are needed.
func (a *asking) decided() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.forfeited()
}

// final reports whether a failure is not retried, whatever the number of retries left. In strict mode only a missing
// answer is retried, as the specification demands.
func (a *asking) final(failure *protocol.Error) bool {
	if a.env.node.IsStrict() && failure.Kind != protocol.Timeout && failure.Kind != protocol.Connection {
		return true
	}
	return a.env.opts.Policy.final(failure)
}

// risk sets mayForfeit, the earliest time at which the seat may forfeit. That is the time from if the coming try can be
// decisive: it is the last one, the player may decline, or a single failure is final. Otherwise it is the time limit of
// the match, if any.
func (a *asking) risk(from time.Time, last bool) {
	last = last || a.env.node.IsStrict() || a.env.opts.Policy.strict()
	a.mu.Lock()
	defer a.mu.Unlock()
	bound, bounded := a.life.Deadline()
	a.mayForfeit = bound
	if (last || a.question.mayDecline) && !(bounded && bound.Before(from)) {
		a.mayForfeit = from
	}
}

// endOthers cancels the calls to the other seats. If another seat may forfeit within simultaneousWindow, it first
// waits that long.
func (a *asking) endOthers(all []asking) {
	for i := range all {
		other := &all[i]
		if other == a {
			continue
		}
		a.mu.Lock()
		risky := !other.mayForfeit.IsZero() && time.Until(other.mayForfeit) < simultaneousWindow
		a.mu.Unlock()
		if risky {
			// or until the other asking has ended
			_ = a.env.node.Sleep(&other.life, "moment of "+other.seat.ID+" "+a.start.MatchID, simultaneousWindow)
		}
		other.life.End(errForfeited)
	}
}
