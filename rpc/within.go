package rpc

import (
	"context"
	"time"
)

// Within returns ctx with a deadline, or ctx if its own is earlier. It sets no timer: at the deadline Err returns an
// error, but Done is not closed. It is therefore only for callers that check the deadline themselves, as all calls and
// sleeps of a [Node] do; to wait for Done, use [context.WithDeadline].
func Within(ctx context.Context, deadline time.Time) context.Context {
	if d, ok := ctx.Deadline(); ok && !deadline.Before(d) {
		return ctx
	}
	return &within{ctx, deadline}
}

// A within is a context with a deadline but without a timer. A match consists of many calls, each with a deadline: a
// context of the standard library takes six allocations and a timer that hardly ever fires.
type within struct {
	context.Context
	deadline time.Time
}

// Below returns the underlying context, with which this one ends.
func (w *within) Below() context.Context { return w.Context }

// AfterFunc lets package context derive contexts from w without a goroutine that waits for Done.
func (w *within) AfterFunc(f func()) (stop func() bool) { return context.AfterFunc(w.Context, f) }

func (w *within) Deadline() (time.Time, bool) { return w.deadline, true }

// Err returns the error of the underlying context, or [context.DeadlineExceeded] after the deadline. It compares the
// time, which is cheaper than a timer.
func (w *within) Err() error {
	if err := w.Context.Err(); err != nil {
		return err
	}
	if !time.Now().Before(w.deadline) {
		return context.DeadlineExceeded
	}
	return nil
}

// timed returns ctx with a timer for its deadline, for callers that wait for Done.
func timed(ctx context.Context) (context.Context, context.CancelFunc) {
	if deadline, ok := ctx.Deadline(); ok {
		return context.WithDeadline(ctx, deadline)
	}
	return ctx, func() {}
}
