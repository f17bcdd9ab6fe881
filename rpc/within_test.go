package rpc_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"agentleague/rpc"
)

func TestWithinEndsWithItsTimeOrItsParent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		parent, cancel := context.WithCancelCause(t.Context())
		ctx := rpc.Within(parent, start.Add(time.Second))
		if rpc.Within(ctx, start.Add(time.Minute)) != ctx {
			t.Error("a later deadline changes something")
		}
		if d, _ := rpc.Within(ctx, start.Add(time.Millisecond)).Deadline(); !d.Equal(start.Add(time.Millisecond)) {
			t.Errorf("got %v, want the earlier deadline", d.Sub(start))
		}
		if ctx.Err() != nil {
			t.Errorf("got %v before its time", ctx.Err())
		}
		if err := rpc.NewHTTP(1).Sleep(ctx, "", time.Hour); !errors.Is(err, context.DeadlineExceeded) ||
			time.Since(start) != time.Second {
			t.Errorf("a sleep ended with %v after %v, want the deadline", err, time.Since(start))
		}
		if !errors.Is(ctx.Err(), context.DeadlineExceeded) || !errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
			t.Errorf("got %v after its time", ctx.Err())
		}
		why := errors.New("enough")
		later := rpc.Within(parent, start.Add(time.Hour))
		cancel(why)
		<-later.Done()
		if context.Cause(later) != why {
			t.Errorf("got %v, want the parent's cause", context.Cause(later))
		}
	})
}
