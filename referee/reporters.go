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

// ends are the matches that this run has reported or is reporting. Some third-party managers list a match long after
// its report, and count each report that they get: they receive a result until it is acknowledged, and never again.
type ends struct {
	mu   sync.Mutex
	refs map[protocol.RecordRef]bool
}

// take claims a match, and reports whether it was unclaimed.
func (e *ends) take(ref protocol.RecordRef) (first bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.refs[ref] {
		return false
	}
	if e.refs == nil {
		e.refs = map[protocol.RecordRef]bool{}
	}
	e.refs[ref] = true
	return true
}

// told reports whether to skip the result of a match in a foreign manager's order: this run reports it, or an earlier
// one did.
func (e *ends) told(ctx context.Context, kept Recorder, ref protocol.RecordRef) (bool, error) {
	if !e.take(ref) {
		return true, nil
	}
	for f, err := range kept.Unreported(ctx) {
		if err != nil || f.Record.Ref() == ref {
			return false, err
		}
	}
	return true, nil
}
