package referee

import (
	"context"
	"errors"
	"sync"

	"agentleague/protocol"
)

// errSuperseded ends a report that is being repeated, because a newer one tells the same.
var errSuperseded = errors.New("the manager has asked for this report again")

// reporters are the reports that are under way, at most one of each record.
type reporters struct {
	mu    sync.Mutex
	byRef map[protocol.RecordRef]*reporter
}

// A reporter reports one record.
type reporter struct{ stop context.CancelCauseFunc }

// only ends whoever else reports a record: the newest order says to whom, and a
// manager that has moved is not waited for at its old address. Done is to be
// called when the report has ended.
func (r *reporters) only(ctx context.Context, ref protocol.RecordRef) (_ context.Context, done func()) {
	ctx, stop := context.WithCancelCause(ctx)
	me := &reporter{stop}
	r.mu.Lock()
	defer r.mu.Unlock()
	if other := r.byRef[ref]; other != nil {
		other.stop(errSuperseded)
	}
	if r.byRef == nil {
		r.byRef = map[protocol.RecordRef]*reporter{}
	}
	r.byRef[ref] = me
	return ctx, func() {
		stop(nil)
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.byRef[ref] == me {
			delete(r.byRef, ref)
		}
	}
}
