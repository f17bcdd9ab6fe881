package sim_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"agentleague/engine"
	"agentleague/engine/sim"
)

// use calls every operation that waits, in a fixed order, and returns the first error.
func use(ctx context.Context, e engine.Engine) error {
	_, err := e.Append(ctx, "log", 0, []byte("x"))
	for _, readErr := range e.Read(ctx, "log", 0) {
		err = errors.Join(err, readErr)
	}
	_, secretErr := e.Secret(ctx, "draw")
	claim, claimErr := e.Acquire(ctx, "key", "me", time.Minute)
	if claimErr == nil {
		claimErr = errors.Join(claim.Renew(ctx), claim.Release(ctx))
	}
	_, holderErr := e.Holder(ctx, "key")
	return errors.Join(err, secretErr, claimErr, holderErr)
}

// steps are the events that use waits for.
var steps = []string{
	"append log 1 before", "append log 1 after", "read log 1", "secret draw before", "secret draw after",
	"acquire key me before", "acquire key me after", "renew key me before", "renew key me after",
	"release key me before", "release key me after", "holder key",
}

func TestEveryOperationWaits(t *testing.T) {
	var got []string
	e := sim.New(1).Open(sim.Options{Await: func(_ context.Context, key string) error {
		got = append(got, key)
		return nil
	}})
	if err := use(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, steps) {
		t.Errorf("got  %q\nwant %q", got, steps)
	}
}

func TestCrashAtAnyAwaitLeavesTheStoreUsable(t *testing.T) {
	for _, crash := range steps {
		synctest.Test(t, func(t *testing.T) {
			s := sim.New(1)
			process := s.Open(sim.Options{Await: func(_ context.Context, key string) error {
				if key == crash {
					runtime.Goexit()
				}
				return nil
			}})
			var wg sync.WaitGroup
			survived := false
			wg.Go(func() {
				use(t.Context(), process)
				survived = true
			})
			wg.Wait()
			if survived {
				t.Fatalf("nothing waits for %q", crash)
			}
			time.Sleep(time.Minute) // the lease of the dead process expires
			next := s.Open(sim.Options{})
			if _, err := next.Append(t.Context(), "log", uint64(len(s.Entries("log"))), []byte("y")); err != nil {
				t.Errorf("crash at %q: %v", crash, err)
			}
			if _, err := next.Acquire(t.Context(), "key", "next", time.Minute); err != nil {
				t.Errorf("crash at %q: %v", crash, err)
			}
			if err := process.Close(); err != nil {
				t.Errorf("crash at %q: %v", crash, err)
			}
		})
	}
}

func TestCrashBeforeAppendWritesNothingAndAfterItWrites(t *testing.T) {
	for crash, want := range map[string]int{"append log 1 before": 0, "append log 1 after": 1} {
		s := sim.New(1)
		e := s.Open(sim.Options{Await: func(_ context.Context, key string) error {
			if key == crash {
				runtime.Goexit()
			}
			return nil
		}})
		var wg sync.WaitGroup
		wg.Go(func() { e.Append(context.Background(), "log", 0, []byte("x")) })
		wg.Wait()
		if got := len(s.Entries("log")); got != want {
			t.Errorf("crash at %q: got %d entries, want %d", crash, got, want)
		}
	}
}

func TestAwaitErrorIsTheAnswer(t *testing.T) {
	late := errors.New("late")
	for _, step := range steps {
		e := sim.New(1).Open(sim.Options{Await: func(_ context.Context, key string) error {
			if key == step {
				return late
			}
			return nil
		}})
		if err := use(t.Context(), e); !errors.Is(err, late) {
			t.Errorf("await %q: got error %v, want %v", step, err, late)
		}
	}
}

func TestCloseWhileWaitingWritesNothing(t *testing.T) {
	s := sim.New(1)
	var e *sim.Engine
	e = s.Open(sim.Options{Await: func(context.Context, string) error { return e.Close() }})
	if _, err := e.Append(t.Context(), "log", 0, []byte("x")); !errors.Is(err, engine.ErrClosed) {
		t.Errorf("got error %v, want %v", err, engine.ErrClosed)
	}
	if got := s.Entries("log"); len(got) != 0 {
		t.Errorf("got %d entries, want none", len(got))
	}
}

func TestCancellingEndsAReadHalfWay(t *testing.T) {
	e := sim.New(1).Open(sim.Options{})
	for prev := range uint64(3) {
		if _, err := e.Append(t.Context(), "log", prev, []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var got []error
	for _, err := range e.Read(ctx, "log", 0) {
		got = append(got, err)
		cancel()
	}
	if len(got) != 2 || got[0] != nil || !errors.Is(got[1], context.Canceled) {
		t.Errorf("got %v, want one entry and then %v", got, context.Canceled)
	}
}
