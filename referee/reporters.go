package referee

import (
	"context"
	"errors"
	"sync"

	"agentleague/protocol"
	"agentleague/rpc/lifetime"
)

// errSuperseded ends a report that is being repeated, because a newer one tells the same.
var errSuperseded = errors.New("the manager has asked for this report again")

// reporters are the reports that are under way, at most one of each record.
type reporters struct {
	mu    sync.Mutex
	byRef map[protocol.RecordRef]*reporter
}

// A reporter reports one record.
type reporter struct{ life lifetime.Context }

// only ends whoever else reports a record: the newest order says to whom, and a
// manager that has moved is not waited for at its old address. Done is to be
// called when the report has ended.
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
