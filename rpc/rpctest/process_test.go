package rpctest_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/rpc/rpctest"
)

func TestCrashEndsGoroutinesAtTheirNextWait(t *testing.T) {
	for name, wait := range map[string]func(p *rpctest.Process, n *rpc.Node){
		"sleep": func(p *rpctest.Process, _ *rpc.Node) { _ = p.Sleep(context.Background(), "", time.Hour) },
		"await": func(p *rpctest.Process, _ *rpc.Node) { _ = p.Await(context.Background(), "disk") },
		"call":  func(_ *rpctest.Process, n *rpc.Node) { _, _ = n.Call(context.Background(), at("B"), ping()) },
		"probe": func(_ *rpctest.Process, n *rpc.Node) { _ = n.Alive(context.Background(), at("B").Endpoint) },
	} {
		for _, before := range []bool{true, false} { // the crash comes before the wait, or during it
			inWorld(t, 1, rpctest.Faults{}, func(t *testing.T, w *world) {
				p, n := w.boot("A", rpc.Options{})
				if before {
					p.Crash()
				}
				var deferred, wentOn bool
				ended := make(chan struct{})
				go func() {
					defer close(ended)
					defer func() { deferred = true }()
					wait(p, n)
					wentOn = true
				}()
				if !before {
					w.At(0, "crash", p.Crash)
				}
				<-ended
				if !deferred || wentOn || p.Context().Err() == nil {
					t.Errorf("%s: deferred ran %v, went on %v, context %v; want true, false, ended", name, deferred, wentOn,
						p.Context().Err())
				}
			})
		}
	}
}

func TestCrashedProcessGivesNoAnswer(t *testing.T) {
	inWorld(t, 1, rpctest.Faults{}, func(t *testing.T, w *world) {
		_, a := w.boot("A", rpc.Options{})
		b, n := w.boot("B", rpc.Options{})
		finished := 0
		n.Handle(protocol.TypeGameInvitation, func(ctx context.Context, from rpc.From, m protocol.Message) (
			protocol.Message, error) {
			defer func() { finished++ }()
			_ = n.Sleep(ctx, "thinking", time.Second)
			return joins(ctx, from, m)
		})
		w.At(500*time.Millisecond, "crash", b.Crash)
		start := time.Now()
		if got := outcome(a.Call(t.Context(), at("B"), invitation())); got != "E001" || time.Since(start) != 5*time.Second ||
			finished != 1 {
			t.Errorf("in the middle: got %s after %v, %d handlers ended; want E001 after 5s, 1", got,
				time.Since(start), finished)
		}
		start = time.Now()
		if got := outcome(a.Call(t.Context(), at("B"), ping())); got != "E009" || time.Since(start) > 10*time.Millisecond {
			t.Errorf("afterwards: got %s after %v, want E009 at once", got, time.Since(start))
		}
		w.boot("B", rpc.Options{})
		if got := outcome(a.Call(t.Context(), at("B"), ping())); got != "PONG" {
			t.Errorf("booted again: got %s, want PONG", got)
		}
	})
}

func TestBootCrashesWhatRanBefore(t *testing.T) {
	inWorld(t, 1, rpctest.Faults{}, func(t *testing.T, w *world) {
		old, _ := w.boot("A", rpc.Options{})
		w.boot("A", rpc.Options{})
		if old.Context().Err() == nil {
			t.Error("the old process still runs")
		}
	})
}

func TestDeadlinesAtOneInstantAreReleasedOneAtATimeByName(t *testing.T) {
	inWorld(t, 1, rpctest.Faults{Loss: 1}, func(t *testing.T, w *world) {
		var order []string // not locked: only one of them runs at a time
		var wg sync.WaitGroup
		ctx := within(t, time.Second)
		for _, name := range []string{"C", "A", "D", "B"} {
			p, n := w.boot(name, rpc.Options{})
			wg.Go(func() {
				_, _ = n.Call(ctx, at("B"), ping())
				order = append(order, name)
				for range 100 {
					runtime.Gosched()
				}
				order = append(order, name)
				_ = p.Await(context.Background(), "disk")
			})
		}
		wg.Wait()
		if got := strings.Join(order, ""); got != "AABBCCDD" {
			t.Errorf("got %s, want AABBCCDD", got)
		}
	})
}

func TestWaitingWithAnEndedContextReturnsAtOnce(t *testing.T) {
	for name, wait := range map[string]func(ctx context.Context, p *rpctest.Process) error{
		"sleep": func(ctx context.Context, p *rpctest.Process) error { return p.Sleep(ctx, "", time.Hour) },
		"await": func(ctx context.Context, p *rpctest.Process) error { return p.Await(ctx, "disk") },
		"post": func(ctx context.Context, p *rpctest.Process) error {
			_, _, err := p.Post(ctx, at("B").Endpoint, "", nil)
			return err
		},
	} {
		inWorld(t, 1, rpctest.Faults{Loss: 1}, func(t *testing.T, w *world) {
			p, _ := w.boot("A", rpc.Options{})
			cancelled, cancel := context.WithCancel(t.Context())
			cancel()
			late, stop := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
			defer stop()
			for ctx, want := range map[context.Context]error{cancelled: context.Canceled, late: context.DeadlineExceeded} {
				start := time.Now()
				if err := wait(ctx, p); !errors.Is(err, want) || time.Since(start) != 0 {
					t.Errorf("%s: got %v after %v, want %v at once", name, err, time.Since(start), want)
				}
			}
		})
	}
}

func TestWaitingEndsWithItsContext(t *testing.T) {
	inWorld(t, 1, rpctest.Faults{}, func(t *testing.T, w *world) {
		p, _ := w.boot("A", rpc.Options{})
		ctx, cancel := context.WithCancel(t.Context())
		w.At(time.Second, "cancel", cancel)
		start := time.Now()
		if err := p.Sleep(ctx, "long", time.Hour); !errors.Is(err, context.Canceled) || time.Since(start) != time.Second {
			t.Errorf("got %v after %v, want %v after 1s", err, time.Since(start), context.Canceled)
		}
		if err := p.Sleep(within(t, time.Minute), "long", time.Hour); !errors.Is(err, context.DeadlineExceeded) ||
			time.Since(start) != 61*time.Second {
			t.Errorf("got %v after %v, want %v after 1m1s", err, time.Since(start), context.DeadlineExceeded)
		}
		_ = p.Sleep(t.Context(), "until what was given up is due", 2*time.Hour)
		gaveUp := slices.ContainsFunc(w.Trace(), func(line string) bool { return strings.HasSuffix(line, "sleeps: long #1") })
		if gaveUp {
			t.Errorf("a wait that was given up is in the trace: %q", w.Trace())
		}
	})
}

// BenchmarkStep measures a step of the driver: a bubble needs a test, so each run is one.
func BenchmarkStep(b *testing.B) {
	const agents, rounds = 8, 100
	steps := 0
	run := func(t *testing.T) {
		inWorld(t, 1, rpctest.Faults{}, func(t *testing.T, w *world) {
			var wg sync.WaitGroup
			for k := range agents {
				p, _ := w.boot(string(rune('A'+k)), rpc.Options{})
				wg.Go(func() {
					for range rounds {
						_ = p.Await(p.Context(), "disk")
					}
				})
			}
			wg.Wait()
			steps = len(w.Trace())
		})
	}
	always := func(string, string) (bool, error) { return true, nil }
	for b.Loop() {
		if !testing.RunTests(always, []testing.InternalTest{{Name: "run", F: run}}) {
			b.Fatal("the run failed")
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(steps), "ns/step")
}
