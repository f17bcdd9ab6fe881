package player

import (
	"context"
	"sync"
	"time"
)

// A thinking is the context that Strategy.Choose receives: it ends with the referee's call or with the strategy's
// answer, and carries the values behind [FactsOf], [MatchOf] and [Spend]. Most strategies never wait for Done, so the
// inner context with a timer, which takes six allocations, is created on demand.
type thinking struct {
	context.Context // of the call

	match Match
	facts Facts // nil: no queries
	bill  bill
	due   time.Time // zero: the referee gave none

	mu     sync.Mutex
	inner  context.Context // with the deadline, created by the first wait; nil: not yet
	cancel context.CancelFunc
	ended  bool
}

// Deadline returns the deadline of the question or that of the referee's call, whichever is earlier.
func (t *thinking) Deadline() (time.Time, bool) {
	outer, bound := t.Context.Deadline()
	if t.due.IsZero() || bound && outer.Before(t.due) {
		return outer, bound
	}
	return t.due, true
}

// Done is closed at the deadline, when the strategy has answered, or when the call ends.
func (t *thinking) Done() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.innerContext().Done()
}

// Err reports whether the context has ended.
func (t *thinking) Err() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.inner == nil && !t.ended && t.Context.Err() == nil && (t.due.IsZero() || time.Now().Before(t.due)) {
		return nil
	}
	return t.innerContext().Err()
}

// Value returns the strategy's facts, match and bill. All other keys are passed on to the inner context if it exists:
// that way package context recognizes it and derives contexts without a goroutine.
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

// end cancels the context after its strategy has answered.
func (t *thinking) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended = true
	if t.cancel != nil {
		t.cancel()
	}
}

// innerContext returns the context with the deadline, creating it on the first call. The caller holds the lock.
func (t *thinking) innerContext() context.Context {
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
