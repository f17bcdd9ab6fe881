package engine_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"agentleague/engine"
)

func TestFanoutReachesItsSubjectUntilTheSubscriberLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f engine.Fanout
		ctx, leave := context.WithCancel(t.Context())
		leaves, err := f.Subscribe(ctx, "live")
		stays, err2 := f.Subscribe(t.Context(), "live")
		if err := errors.Join(err, err2, f.Publish("other", []byte("elsewhere")),
			f.Publish("live", []byte("one"))); err != nil {
			t.Fatal(err)
		}
		leave()
		synctest.Wait()
		if err := f.Publish("live", []byte("two")); err != nil {
			t.Fatal(err)
		}
		f.Close()
		f.Close()
		wantAll(t, leaves, "one")
		wantAll(t, stays, "one", "two")
	})
}

func TestFanoutLosesWhatNobodyTakes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f engine.Fanout
		in, err := f.Subscribe(t.Context(), "live")
		if err != nil {
			t.Fatal(err)
		}
		for range 10_000 {
			if err := f.Publish("live", []byte("flood")); err != nil {
				t.Fatal(err)
			}
		}
		f.Close()
		got := 0
		for range in {
			got++
		}
		if got == 0 || got == 10_000 {
			t.Errorf("got %d of 10000 messages, want some and not all", got)
		}
	})
}

func TestFanoutRefusesBadNamesEndedContextsAndUseAfterClose(t *testing.T) {
	var f engine.Fanout
	ended, end := context.WithCancel(t.Context())
	end()
	check := func(what string, err, want error) {
		t.Helper()
		if !errors.Is(err, want) {
			t.Errorf("%s: got error %v, want %v", what, err, want)
		}
	}
	_, err := f.Subscribe(t.Context(), "a/b")
	check("subscribe to a bad name", err, engine.ErrName)
	check("publish to a bad name", f.Publish("a/b", nil), engine.ErrName)
	_, err = f.Subscribe(ended, "live")
	check("subscribe for no time", err, context.Canceled)
	f.Close()
	_, err = f.Subscribe(t.Context(), "live")
	check("subscribe after close", err, engine.ErrClosed)
	check("publish after close", f.Publish("live", nil), engine.ErrClosed)
}

// wantAll reads a closed channel to its end.
func wantAll(t *testing.T, in <-chan []byte, want ...string) {
	t.Helper()
	var got []string
	for m := range in {
		got = append(got, string(m))
	}
	if len(got) != len(want) {
		t.Fatalf("heard %q, want %q", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("heard %q, want %q", got, want)
		}
	}
}
