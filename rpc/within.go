package rpc

import (
	"context"
	"time"
)

// Within returns ctx with a deadline, unless it has an earlier one. There is no timer for it, and no cancel function:
// Err reports the end of the time, but Done is that of ctx. So it is for callers that check the deadline themselves,
// as every call and every sleep of a [Node] does; to wait for Done alone use [context.WithDeadline].
func Within(ctx context.Context, deadline time.Time) context.Context {
	if d, ok := ctx.Deadline(); ok && !deadline.Before(d) {
		return ctx
	}
	return &within{ctx, deadline}
}

// A call takes a deadline, and a match is many calls: a context of the standard
// library is six objects and a timer that hardly ever rings.
type within struct {
	context.Context
	deadline time.Time
}

// Below is the context that this one ends with.
func (w *within) Below() context.Context { return w.Context }

// AfterFunc is for contexts below this one: they need no goroutine that waits.
func (w *within) AfterFunc(f func()) (stop func() bool) { return context.AfterFunc(w.Context, f) }

func (w *within) Deadline() (time.Time, bool) { return w.deadline, true }

// Err is that of the context, or that the deadline has passed: it needs no timer, which would cost more than the
// call.
func (w *within) Err() error {
	if err := w.Context.Err(); err != nil {
		return err
	}
	if !time.Now().Before(w.deadline) {
		return context.DeadlineExceeded
	}
	return nil
}

// timed returns ctx with a timer for its deadline, for callers that wait for Done alone.
func timed(ctx context.Context) (context.Context, context.CancelFunc) {
	if deadline, ok := ctx.Deadline(); ok {
		return context.WithDeadline(ctx, deadline)
	}
	return ctx, func() {}
}
