package rpc_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/rpc/rpctest"
)

// A world is a simulated network with its processes.
type world struct {
	*rpctest.Network
	procs []*rpctest.Process
}

// inWorld runs f on a simulated network in virtual time, and ends the remaining goroutines.
func inWorld(t *testing.T, seed uint64, faults rpctest.Faults, f func(t *testing.T, w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		w := &world{Network: rpctest.NewNetwork(seed, synctest.Wait, faults)}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			w.Drive(ctx)
		}()
		defer func() {
			for _, p := range w.procs {
				p.Crash()
			}
			stop()
			<-ended
		}()
		f(t, w)
	})
}

// boot starts an agent on the machine that is called like it.
func (w *world) boot(name string, o rpc.Options) (*rpctest.Process, *rpc.Node) {
	p := w.Boot(name, at(name).Endpoint)
	w.procs = append(w.procs, p)
	o.Network = p
	n := rpc.NewNode("player:"+name, o)
	p.Serve(n)
	return p, n
}

func at(name string) rpc.Peer {
	return rpc.Peer{Endpoint: "http://" + name + "/mcp", Dialect: protocol.Canonical}
}

// within returns a context that ends after d.
func within(t *testing.T, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}
