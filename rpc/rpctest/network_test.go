package rpctest_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/rpc/rpctest"
)

// pingPong lets eight agents call each other at times and in an order of their
// own, and returns the trace of it.
func pingPong(t *testing.T, seed uint64) (trace []string) {
	inWorld(t, seed, rpctest.Faults{Loss: 0.05, Duplicate: 0.05}, func(t *testing.T, w *world) {
		var wg sync.WaitGroup
		for k := range 8 {
			p, n := w.boot(fmt.Sprint("A", k), rpc.Options{})
			wg.Go(func() {
				for range 5 {
					var dice [2]byte
					p.Random(dice[:])
					if err := n.Sleep(p.Context(), "a while", time.Duration(dice[0])*time.Millisecond); err != nil {
						t.Error(err)
					}
					_, _ = n.Call(p.Context(), at(fmt.Sprint("A", dice[1]%8)), ping())
					if err := p.Await(p.Context(), "disk"); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		trace = w.Trace()
	})
	return trace
}

func TestSeedDecidesTheRun(t *testing.T) {
	hash := func(trace []string) string {
		return fmt.Sprintf("%d %x", len(trace), sha256.Sum256([]byte(strings.Join(trace, "\n"))))
	}
	same, different := map[string]int{}, map[string]int{}
	for k := range uint64(100) {
		same[hash(pingPong(t, 7))]++
		if k < 10 {
			different[hash(pingPong(t, k))]++
		}
	}
	if len(same) != 1 {
		t.Errorf("100 runs of one seed: %d different traces, want 1", len(same))
	}
	if len(different) != 10 {
		t.Errorf("10 seeds: %d different traces, want 10", len(different))
	}
}

func TestRandomRepeatsWithTheSeed(t *testing.T) {
	draw := func(seed uint64, name string, lives int) (out string) {
		inWorld(t, seed, rpctest.Faults{}, func(t *testing.T, w *world) {
			for range lives {
				_, n := w.boot(name, rpc.Options{})
				out = n.Nonce(16)
			}
		})
		return out
	}
	if a, b := draw(1, "A", 1), draw(1, "A", 1); a != b || len(a) != 32 {
		t.Errorf("same seed, name and life: got %s and %s", a, b)
	}
	others := []string{draw(1, "A", 1), draw(2, "A", 1), draw(1, "B", 1), draw(1, "A", 2), draw(1, "A1", 1)}
	slices.Sort(others)
	if len(slices.Compact(others)) != 5 {
		t.Errorf("different seeds, names and lives: got %q", others)
	}
}

func TestDelayHasBounds(t *testing.T) {
	const longest = 100 * time.Millisecond
	inWorld(t, 1, rpctest.Faults{Delay: longest}, func(t *testing.T, w *world) {
		_, a := w.boot("A", rpc.Options{})
		w.boot("B", rpc.Options{})
		seen := map[time.Duration]bool{}
		for range 100 {
			start := time.Now()
			if _, err := a.Call(t.Context(), at("B"), ping()); err != nil {
				t.Fatal(err)
			}
			took := time.Since(start)
			if seen[took] = true; took < longest/10 || took > 2*longest {
				t.Errorf("there and back took %v, want %v to %v", took, longest/10, 2*longest)
			}
		}
		if len(seen) < 50 {
			t.Errorf("100 exchanges took %d different times", len(seen))
		}
	})
}

func TestLostMessageIsATimeoutAtTheDeadline(t *testing.T) {
	inWorld(t, 1, rpctest.Faults{Loss: 1}, func(t *testing.T, w *world) {
		_, a := w.boot("A", rpc.Options{})
		w.boot("B", rpc.Options{})
		start := time.Now()
		if got := outcome(a.Call(within(t, 3*time.Second), at("B"), ping())); got != "E001" ||
			time.Since(start) != 3*time.Second {
			t.Errorf("got %s after %v, want E001 after 3s", got, time.Since(start))
		}
		w.SetFaults(rpctest.Faults{})
		if got := outcome(a.Call(t.Context(), at("B"), ping())); got != "PONG" {
			t.Errorf("on a good network: got %s, want PONG", got)
		}
	})
}

func TestRepeatedMessageIsHandledTwiceAndAnsweredOnce(t *testing.T) {
	inWorld(t, 1, rpctest.Faults{Duplicate: 1}, func(t *testing.T, w *world) {
		replies := 0
		_, a := w.boot("A", rpc.Options{Observe: func(m rpc.Message) {
			if m.Reply && !m.Sent {
				replies++
			}
		}})
		p, n := w.boot("B", rpc.Options{})
		heard := 0
		n.Handle(protocol.TypeGameInvitation, func(ctx context.Context, from rpc.From, m protocol.Message) (
			protocol.Message, error) {
			heard++
			return joins(ctx, from, m)
		})
		if got := outcome(a.Call(t.Context(), at("B"), invitation())); got != "GAME_JOIN_ACK" {
			t.Errorf("got %s", got)
		}
		_ = p.Sleep(t.Context(), "until all has arrived", time.Second)
		if heard != 2 || replies != 1 {
			t.Errorf("handled %d times, answered %d times; want 2 and 1", heard, replies)
		}
	})
}

func TestCutWorksBothWaysUntilMended(t *testing.T) {
	inWorld(t, 1, rpctest.Faults{}, func(t *testing.T, w *world) {
		_, a := w.boot("A", rpc.Options{})
		_, b := w.boot("B", rpc.Options{})
		w.boot("C", rpc.Options{})
		w.Cut("B", "A", true)
		for _, c := range []struct {
			from *rpc.Node
			to   string
			want string
		}{{a, "B", "E001"}, {b, "A", "E001"}, {a, "C", "PONG"}, {b, "C", "PONG"}} {
			if got := outcome(c.from.Call(within(t, time.Second), at(c.to), ping())); got != c.want {
				t.Errorf("cut, %s to %s: got %s, want %s", c.from.Sender(), c.to, got, c.want)
			}
		}
		w.Cut("A", "B", false)
		if got := outcome(a.Call(within(t, time.Second), at("B"), ping())); got != "PONG" {
			t.Errorf("mended: got %s, want PONG", got)
		}
	})
}

func TestAnswerIsCutOffToo(t *testing.T) {
	inWorld(t, 1, rpctest.Faults{}, func(t *testing.T, w *world) {
		_, a := w.boot("A", rpc.Options{})
		_, b := w.boot("B", rpc.Options{})
		b.Handle(protocol.TypeGameInvitation, func(ctx context.Context, from rpc.From, m protocol.Message) (
			protocol.Message, error) {
			w.Cut("A", "B", true)
			return joins(ctx, from, m)
		})
		if got := outcome(a.Call(within(t, time.Second), at("B"), invitation())); got != "E001" {
			t.Errorf("got %s, want E001", got)
		}
	})
}

func TestProbe(t *testing.T) {
	inWorld(t, 1, rpctest.Faults{}, func(t *testing.T, w *world) {
		_, a := w.boot("A", rpc.Options{})
		b, _ := w.boot("B", rpc.Options{})
		if err := a.Alive(t.Context(), at("B").Endpoint); err != nil {
			t.Errorf("B is there: %v", err)
		}
		b.Crash()
		for _, gone := range []string{at("B").Endpoint, at("C").Endpoint, "://"} {
			if a.Alive(within(t, time.Second), gone) == nil {
				t.Errorf("%s: want an error", gone)
			}
		}
		if got := b.Addresses(t.Context(), at("A").Endpoint); !slices.Equal(got, []string{"A"}) {
			t.Errorf("addresses of A: got %q", got)
		}
		if got := b.Addresses(t.Context(), at("C").Endpoint); got != nil {
			t.Errorf("addresses of nobody: got %q", got)
		}
	})
}

func TestAtHappensInItsTurn(t *testing.T) {
	inWorld(t, 1, rpctest.Faults{}, func(t *testing.T, w *world) {
		start := time.Now()
		var order []string
		p, _ := w.boot("A", rpc.Options{})
		w.At(2*time.Second, "second", func() { order = append(order, fmt.Sprint("second ", time.Since(start))) })
		w.At(time.Second, "first", func() { order = append(order, fmt.Sprint("first ", time.Since(start))) })
		_ = p.Sleep(t.Context(), "until both are over", 3*time.Second)
		if got := strings.Join(order, ", "); got != "first 1s, second 2s" {
			t.Errorf("got %s", got)
		}
		want := []string{"1.000000 first #1", "2.000000 second #1", "3.000000 A sleeps: until both are over #1"}
		if got := w.Trace(); !slices.Equal(got, want) {
			t.Errorf("trace:\ngot  %q\nwant %q", got, want)
		}
	})
}

func TestTraceSaysWhatIsCalled(t *testing.T) {
	inWorld(t, 1, rpctest.Faults{}, func(t *testing.T, w *world) {
		p, a := w.boot("A", rpc.Options{})
		w.boot("B", rpc.Options{})
		news := &protocol.RoundCompleted{Envelope: protocol.Envelope{MessageType: protocol.TypeRoundCompleted, RoundID: 2}}
		for _, m := range []protocol.Message{
			ping(), news, &protocol.Tool{Envelope: protocol.Envelope{MessageType: protocol.TypePing}},
		} {
			_, _ = a.Call(t.Context(), at("B"), m)
		}
		status, body, err := p.Post(t.Context(), at("B").Endpoint, "notification",
			[]byte(`{"jsonrpc":"2.0","method":"ping"}`))
		if status != 202 || body != nil || err != nil {
			t.Errorf("notification: got %d %s %v, want 202 and no body", status, body, err)
		}
		var arrived []string
		for _, line := range w.Trace() {
			if _, what, ok := strings.Cut(line, "A > B "); ok && strings.HasSuffix(what, " arrives") {
				arrived = append(arrived, what)
			}
		}
		want := []string{"PING R1M1 #1 arrives", "ROUND_COMPLETED 2 #1 arrives", "PING #1 arrives", "notification #1 arrives"}
		if !slices.Equal(arrived, want) {
			t.Errorf("got  %q\nwant %q", arrived, want)
		}
	})
}

// A run in which nothing can happen any more must be found by synctest, not go on for ever.
func TestDeadlockIsSeen(t *testing.T) {
	saw := make(chan any, 1)
	go func() { // the panic of a bubble is its caller's
		defer func() { saw <- recover() }()
		inWorld(t, 1, rpctest.Faults{}, func(t *testing.T, w *world) { <-make(chan struct{}) })
	}()
	if got := fmt.Sprint(<-saw); !strings.Contains(got, "deadlock") {
		t.Errorf("got %s, want a deadlock", got)
	}
}
