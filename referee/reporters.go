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

// only starts the report of a record and cancels an earlier one that is in progress, so that a manager that has moved
// is not called at its old address. The returned context ends with the report; call done at its end.
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

// ends are the matches that this run has reported or is reporting to a third-party manager. Some of these managers
// list a match long after its report, and count each copy of a report: a result is never sent again once acknowledged.
type ends struct {
	mu   sync.Mutex
	refs map[protocol.RecordRef]bool
}

// take adds a match, and reports whether it was not in the set.
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

// told reports whether a third-party manager need not get a result again, although it orders the match: this run is
// reporting it, or an earlier run has reported it.
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
