package rpc_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/rpc/rpctest"
)

func TestCallUntilRepeatsUntilTheMomentHasPassed(t *testing.T) {
	for _, c := range []struct {
		name    string
		trouble rpc.Handler // the first two answers
		want    string
		calls   int
	}{
		{"rate limit", refuses(protocol.Errorf(protocol.RateLimited, "slowly")), "PONG", 3},
		{"internal error", refuses(errors.New("broken")), "PONG", 3},
		{"silence", func(ctx context.Context, _ rpc.From, _ protocol.Message) (protocol.Message, error) {
			time.Sleep(11 * time.Second)
			return nil, nil
		}, "PONG", 3},
		{"wrong token", refuses(protocol.Errorf(protocol.AuthTokenInvalid, "who?")),
			"refusal 200 6001 AUTH_TOKEN_INVALID", 1},
		{"closed", refuses(protocol.Errorf(protocol.RegistrationClosed, "too late")),
			"refusal 200 2001 REGISTRATION_CLOSED", 1},
		{"odd answer", acknowledges(protocol.TypeAnswerAck), "E002", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			inWorld(t, 1, rpctest.Faults{}, func(t *testing.T, w *world) {
				_, a := w.boot("A", rpc.Options{})
				_, b := w.boot("B", rpc.Options{})
				calls := 0
				b.Handle(protocol.TypePing, func(ctx context.Context, from rpc.From, m protocol.Message) (protocol.Message, error) {
					if calls++; calls <= 2 {
						return c.trouble(ctx, from, m)
					}
					return &protocol.Pong{Envelope: protocol.Envelope{MessageType: protocol.TypePong}, Status: "ok"}, nil
				})
				if got := outcome(a.CallUntil(t.Context(), at("B"), 2*time.Second, ping())); got != c.want || calls != c.calls {
					t.Errorf("got %s after %d calls, want %s after %d", got, calls, c.want, c.calls)
				}
				time.Sleep(11 * time.Second) // until the silent ones are over
			})
		})
	}
}

func TestCallUntilWaitsForWhoIsNotThereYet(t *testing.T) {
	inWorld(t, 1, rpctest.Faults{}, func(t *testing.T, w *world) {
		_, a := w.boot("A", rpc.Options{})
		w.At(7*time.Second, "boot B", func() { w.boot("B", rpc.Options{}) })
		start := time.Now()
		got := outcome(a.CallUntil(t.Context(), at("B"), 2*time.Second, ping()))
		if took := time.Since(start); got != "PONG" || took < 7*time.Second || took > 9500*time.Millisecond {
			t.Errorf("got %s after %v, want PONG at the first try after 7s", got, took)
		}
	})
}

func TestPausesBetweenTriesAreJittered(t *testing.T) {
	inWorld(t, 1, rpctest.Faults{}, func(t *testing.T, w *world) {
		_, a := w.boot("A", rpc.Options{})
		_, b := w.boot("B", rpc.Options{})
		var tries []time.Time
		b.Handle(protocol.TypePing, func(context.Context, rpc.From, protocol.Message) (protocol.Message, error) {
			tries = append(tries, time.Now())
			return nil, errors.New("broken")
		})
		_, _ = a.CallUntil(within(t, time.Minute), at("B"), 2*time.Second, ping())
		pauses := map[time.Duration]bool{}
		for i := range tries[1:] {
			pause := tries[i+1].Sub(tries[i])
			pauses[pause.Round(10*time.Millisecond)] = true
			if pause < 1500*time.Millisecond || pause > 2600*time.Millisecond {
				t.Errorf("try %d after %v, want it about 2s after the one before", i+1, pause)
			}
		}
		if len(pauses) < len(tries)/2 {
			t.Errorf("%d different pauses between %d tries", len(pauses), len(tries))
		}
	})
}

func TestCallUntilRepeatsWhatAProxyRefusesForNow(t *testing.T) {
	for status, want := range map[int]string{
		429: "PONG", 502: "PONG", 503: "PONG", 504: "PONG", 500: "refusal 500 0", 404: "refusal 404 0",
	} {
		calls := 0
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if calls++; calls == 1 {
				http.Error(w, "not now", status)
				return
			}
			_, _ = w.Write([]byte(`{"jsonrpc":"2.0","result":{"message_type":"PONG"},"id":1}`))
		}))
		n := rpc.NewNode("referee:REF01", rpc.Options{})
		if got := outcome(n.CallUntil(t.Context(), rpc.Peer{Endpoint: s.URL, Dialect: protocol.Canonical}, time.Millisecond,
			ping())); got != want {
			t.Errorf("%d: got %s, want %s", status, got, want)
		}
		s.Close()
	}
}

func TestCallUntilEndsWithItsContextAndItsCause(t *testing.T) {
	enough := errors.New("enough")
	for name, faults := range map[string]rpctest.Faults{"in a call": {Loss: 1}, "between calls": {}} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, 1, faults, func(t *testing.T, w *world) {
				_, a := w.boot("A", rpc.Options{})
				ctx, stop := context.WithCancelCause(t.Context())
				w.At(25*time.Second, "enough", func() { stop(enough) })
				start := time.Now()
				if _, err := a.CallUntil(ctx, at("B"), 2*time.Second, ping()); err != enough ||
					time.Since(start) != 25*time.Second {
					t.Errorf("got %v after %v, want the cause after 25s", err, time.Since(start))
				}
				late, cancel := context.WithTimeoutCause(t.Context(), 15*time.Second, enough)
				defer cancel()
				start = time.Now()
				if _, err := a.CallUntil(late, at("B"), 2*time.Second, ping()); err != enough ||
					time.Since(start) != 15*time.Second {
					t.Errorf("deadline: got %v after %v, want the cause after 15s", err, time.Since(start))
				}
			})
		})
	}
}
