package referee

import (
	"context"
	"errors"
	"sync"

	"agentleague/protocol"
	"agentleague/rpc/lifetime"
)

// errSuperseded cancels the report of a record when a newer one starts.
var errSuperseded = errors.New("the manager has asked for this report again")

// reporters are the reports in progress, at most one per record.
type reporters struct {
	mu    sync.Mutex
	byRef map[protocol.RecordRef]*reporter
}

// A reporter reports one record.
type reporter struct{ life lifetime.Context }

// only registers a report of the record ref as in progress, and cancels an earlier one: the manager may have moved to
// another address since. The returned context is for the new report; the caller must call done at its end.
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

// ends is the set of matches that this run of the referee has reported or is reporting to a third-party manager. Some
// of these managers order a match again long after its report, and count each copy of a report, so an acknowledged
// result is never sent again.
type ends struct {
	mu   sync.Mutex
	refs map[protocol.RecordRef]bool
}

// take adds a match and reports whether the set did not contain it before.
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

// told reports whether the result of ref must not be sent to a third-party manager again, although that manager orders
// the match again: this run is reporting the result, or an earlier run has.
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
