package referee

import (
	"context"
	"errors"
	"sync"

	"agentleague/protocol"
	"agentleague/rpc/lifetime"
)

// errSuperseded ends a report that is being repeated, because a newer one reports the same result.
var errSuperseded = errors.New("the manager has asked for this report again")

// reporters are the reports that are under way, at most one of each record.
type reporters struct {
	mu    sync.Mutex
	byRef map[protocol.RecordRef]*reporter
}

// A reporter reports one record.
type reporter struct{ life lifetime.Context }

// only cancels any other report of a record: the newest order decides the receiver, so that a manager that has moved
// is not awaited at its old address. Call done when the report has ended.
func (r *reporters) only(ctx context.Context, ref protocol.RecordRef) (_ context.Context, done func()) {
	me := &reporter{}
	me.life.Begin(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	if other := r.byRef[ref]; other != nil {
		other.life.End(errSuperseded)
	}
	if r.byRef == nil {
		r.byRef = map[protocol.RecordRef]*reporter{}
	}
	r.byRef[ref] = me
	return &me.life, func() {
		me.life.End(nil)
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.byRef[ref] == me {
			delete(r.byRef, ref)
		}
	}
}
