package referee

import (
	"context"
	"errors"
	"time"
)

// together is the interval within which two failures count as simultaneous. Without it the player whose failure is
// noticed first would lose to the other, although both have failed.
const together = 500 * time.Millisecond

// errForfeited ends the open call to a player after the opponent's forfeit.
var errForfeited = errors.New("the opponent has forfeited")

// cut reports whether ctx was cancelled. The time limit of a match does not count: a player that owes an answer then
// forfeits.
func cut(ctx context.Context) bool {
	return ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded)
}

// decided reports whether another seat has forfeited: there is no next try then.
func (a *asking) decided() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.forfeited()
}

// risk notes from when on the seat may forfeit: from its last try on, from any
// try in which it may decline or one failure is enough, and at the bound of the
// match.
func (a *asking) risk(from time.Time, last bool) {
	last = last || a.env.opts.Policy.strict()
	a.mu.Lock()
	defer a.mu.Unlock()
	bound, bounded := a.life.Deadline()
	a.mayForfeit = bound
	if (last || a.question.mayDecline) && !(bounded && bound.Before(from)) {
		a.mayForfeit = from
	}
}

// endOthers ends the calls to the other seats: at once, unless one may lose at
// this very moment too.
func (a *asking) endOthers(all []asking) {
	for i := range all {
		other := &all[i]
		if other == a {
			continue
		}
		a.mu.Lock()
		risky := !other.mayForfeit.IsZero() && time.Until(other.mayForfeit) < together
		a.mu.Unlock()
		if risky {
			// or until it has ended itself
			_ = a.env.node.Sleep(&other.life, "moment of "+other.seat.ID+" "+a.start.MatchID, together)
		}
		other.life.End(errForfeited)
	}
}
