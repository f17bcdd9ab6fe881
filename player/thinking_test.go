package player

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// newThinking returns a thinking that is due after a while; 0: never.
func newThinking(ctx context.Context, while time.Duration) *thinking {
	t := &thinking{Context: ctx, match: Match{ID: "R1M1"}}
	if while != 0 {
		t.due = time.Now().Add(while)
	}
	return t
}

func TestAStrategyIsToldWhenItsTimeIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		waits, looks := newThinking(t.Context(), time.Second), newThinking(t.Context(), time.Second)
		if due, ok := waits.Deadline(); !ok || !due.Equal(waits.due) || waits.Err() != nil {
			t.Errorf("got the deadline %v, %v and %v", due, ok, waits.Err())
		}
		child, stop := context.WithCancel(waits)
		defer stop()
		<-child.Done()
		if time.Until(waits.due) != 0 || !errors.Is(context.Cause(child), context.DeadlineExceeded) {
			t.Errorf("it ended %v before its time with %v", time.Until(waits.due), context.Cause(child))
		}
		for _, c := range []*thinking{waits, looks} { // no caller has waited for the second
			if c.Err() != context.DeadlineExceeded || context.Cause(c) != context.DeadlineExceeded {
				t.Errorf("got %v, %v, want that its time is over", c.Err(), context.Cause(c))
			}
		}
	})
}

func TestAStrategyIsToldThatNobodyWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		why := errors.New("the referee has hung up")
		ctx, hangUp := context.WithCancelCause(t.Context())
		calls := []*thinking{newThinking(ctx, time.Second), newThinking(ctx, 0), newThinking(ctx, time.Second)}
		<-time.After(time.Millisecond)
		first, second := calls[0].Done(), calls[1].Done()
		hangUp(why)
		<-first
		<-second
		for n, c := range calls {
			if c.Err() != context.Canceled || context.Cause(c) != why {
				t.Errorf("%d: got %v because of %v", n, c.Err(), context.Cause(c))
			}
		}
	})
}

func TestThinkingEndsWithTheAnswer(t *testing.T) {
	for _, while := range []time.Duration{0, time.Hour} {
		before, after := newThinking(t.Context(), while), newThinking(t.Context(), while)
		done := before.Done()
		before.end()
		after.end()
		<-done
		<-after.Done()
		if before.Err() != context.Canceled || after.Err() != context.Canceled {
			t.Errorf("got %v and %v, want that both are over", before.Err(), after.Err())
		}
	}
}

func TestThinkingKnowsItsMatchAndWhatTheCallKnows(t *testing.T) {
	type key struct{}
	c := newThinking(context.WithValue(t.Context(), key{}, 7), time.Hour)
	defer c.end()
	for range 2 { // before and after a caller waits
		if m, ok := MatchOf(c); !ok || m.ID != "R1M1" || c.Value(key{}) != 7 || FactsOf(c) != (nobody{}) {
			t.Errorf("got %+v, %v, %v, %v", m, ok, c.Value(key{}), FactsOf(c))
		}
		c.Done()
	}
}
