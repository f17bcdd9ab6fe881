package rpc_test

import (
	"context"
	"testing"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/rpc/rpctest"
)

// The timeout of a call is that of the caller's context, else the node's own, else the protocol's.
func TestDeadlinesOfANodeCountBeforeTheProtocols(t *testing.T) {
	for name, c := range map[string]struct {
		own  map[protocol.Type]time.Duration
		ctx  time.Duration // 0: none
		want time.Duration
	}{
		"the protocol's": {nil, 0, 10 * time.Second},
		"its own":        {map[protocol.Type]time.Duration{protocol.TypePing: 3 * time.Second}, 0, 3 * time.Second},
		"of another":     {map[protocol.Type]time.Duration{protocol.TypeLeagueQuery: 3 * time.Second}, 0, 10 * time.Second},
		"the caller's":   {map[protocol.Type]time.Duration{protocol.TypePing: 3 * time.Second}, time.Second, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, 1, rpctest.Faults{}, func(t *testing.T, w *world) {
				_, a := w.boot("A", rpc.Options{Deadlines: c.own})
				_, b := w.boot("B", rpc.Options{})
				b.Handle(protocol.TypePing, func(context.Context, rpc.From, protocol.Message) (protocol.Message, error) {
					time.Sleep(time.Minute)
					return nil, nil
				})
				ctx := t.Context()
				if c.ctx > 0 {
					ctx = within(t, c.ctx)
				}
				start := time.Now()
				got := outcome(a.Call(ctx, at("B"), ping()))
				if took := time.Since(start); got != "E001" || took.Round(100*time.Millisecond) != c.want {
					t.Errorf("got %s after %v, want E001 after %v", got, took, c.want)
				}
				time.Sleep(2 * time.Minute) // until the silent one is over
			})
		})
	}
}
