package rpctest_test

import (
	"context"
	"errors"
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

// envelope returns the head of a message of type t.
func envelope(t protocol.Type) protocol.Envelope {
	return protocol.Envelope{MessageType: t, ConversationID: "conv-test", MatchID: "R1M1"}
}

func ping() *protocol.Tool { return &protocol.Tool{Envelope: envelope(protocol.TypePing)} }

func invitation() *protocol.GameInvitation {
	return &protocol.GameInvitation{Envelope: envelope(protocol.TypeGameInvitation), PlayerID: "P01"}
}

// joins is the handler of a player that accepts every invitation.
func joins(context.Context, rpc.From, protocol.Message) (protocol.Message, error) {
	yes := true
	return &protocol.GameJoinAck{
		Envelope: protocol.Envelope{MessageType: protocol.TypeGameJoinAck}, PlayerID: "P01", Accept: &yes,
	}, nil
}

// outcome describes how a call ended: the type of the answer, or the code of the error.
func outcome(reply protocol.Message, err error) string {
	var failure *protocol.Error
	switch {
	case errors.As(err, &failure):
		return failure.Kind.Code
	case err != nil:
		return err.Error()
	}
	return string(reply.Head().MessageType)
}
