package referee

import (
	"context"
	"sync"

	"agentleague/protocol"
)

// Some foreign managers list a match long after its report, and count each report that they get. Such managers
// receive a result once: until it is acknowledged, and never again.

// ends are the matches that this run has reported or is reporting.
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

// waitingOrders are the orders that wait for room: each match once, however often it is listed.
type waitingOrders struct {
	mu   sync.Mutex
	keys map[matchKey]bool
}

// enter reports whether a match is not in the queue yet, and puts it there.
func (w *waitingOrders) enter(k matchKey) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.keys[k] {
		return false
	}
	if w.keys == nil {
		w.keys = map[matchKey]bool{}
	}
	w.keys[k] = true
	return true
}

// leave takes a match out of the queue.
func (w *waitingOrders) leave(k matchKey) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.keys, k)
}
