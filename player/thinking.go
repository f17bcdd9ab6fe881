package player

import (
	"context"
	"sync"
	"time"
)

// A thinking is the context in which a strategy is asked: that of the call, which ends when the referee does not wait
// any longer and when the strategy has answered, with what the strategy may know. Most strategies answer without ever
// waiting for its end; a context that can be waited for, which takes a timer and six objects, is made for those that do.
type thinking struct {
	context.Context // of the call

	match Match
	facts Facts // nil: nobody can tell more
	bill  bill
	due   time.Time // zero: the referee did not say

	mu     sync.Mutex
	inner  context.Context // with the deadline, made when somebody first waits; nil: nobody does
	cancel context.CancelFunc
	ended  bool
}

// Deadline is when the referee does not wait any longer, or the call ends before that.
func (t *thinking) Deadline() (time.Time, bool) {
	outer, bound := t.Context.Deadline()
	if t.due.IsZero() || bound && outer.Before(t.due) {
		return outer, bound
	}
	return t.due, true
}

// Done is closed at the deadline, when the strategy has answered, and when the call ends.
func (t *thinking) Done() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.waited().Done()
}

// Err says whether it is.
func (t *thinking) Err() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.inner == nil && !t.ended && t.Context.Err() == nil && (t.due.IsZero() || time.Now().Before(t.due)) {
		return nil
	}
	return t.waited().Err()
}

// Value returns what a strategy may know. What only the context package asks for finds the context that is waited for,
// so that contexts made of this one are ended by it directly.
func (t *thinking) Value(key any) any {
	switch key.(type) {
	case matchKey:
		return &t.match
	case factsKey:
		return t.facts
	case billKey:
		return &t.bill
	}
	t.mu.Lock()
	inner := t.inner
	t.mu.Unlock()
	if inner != nil {
		return inner.Value(key)
	}
	return t.Context.Value(key)
}

// end ends the context, since its strategy has answered.
func (t *thinking) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended = true
	if t.cancel != nil {
		t.cancel()
	}
}

// waited returns the context that can be waited for. The caller holds the lock.
func (t *thinking) waited() context.Context {
	if t.inner != nil {
		return t.inner
	}
	if t.due.IsZero() {
		t.inner, t.cancel = context.WithCancel(t.Context)
	} else {
		t.inner, t.cancel = context.WithDeadline(t.Context, t.due)
	}
	if t.ended {
		t.cancel()
	}
	return t.inner
}
