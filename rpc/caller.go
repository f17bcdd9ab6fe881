package rpc

import (
	"context"
	"sync/atomic"
	"time"

	"agentleague/protocol"
	"agentleague/protocol/conform"
)

// A caller calls the peers of a node, each in its dialect.
type caller struct {
	*agent
	nextID   atomic.Int64  // of a JSON-RPC request
	expected *expectations // answers that may come by a callback
	dialects dialects      // of the peers
	warned   warned
	retries  *retryBudget // of the process
}

// Backoff waits before a retry to an endpoint: about d, randomized so that callers do not retry at the same moment, and
// longer while the retry budget of the host is used up. label describes the purpose. Backoff returns an error if ctx
// ends first.
func (k *caller) Backoff(ctx context.Context, endpoint, label string, d time.Duration) error {
	var random [1]byte
	k.Network.Random(random[:])
	jittered := d*3/4 + d/2*time.Duration(random[0])/256
	wait, giveBack := k.retries.take(endpoint)
	err := k.Sleep(ctx, label, max(jittered, wait))
	if err != nil {
		giveBack()
	}
	return err
}

// A call is one message on its way to one peer.
type call struct {
	caller *caller
	to     Peer
	spec   protocol.Spec // of the message
	m      protocol.Message

	broken    []conform.Violation // by the newest answer, in strict mode
	objection *protocol.Error     // the error in the newest unreadable answer; nil: none

	// For a peer that is a third-party MCP server:
	met      bool   // the handshake succeeded, so that it is one
	toolless bool   // it has no tool for the message
	tool     string // the called tool
	unfit    error  // its tools are for something else, so that other forms are offered; nil: they are not
}

// peer returns the state of the peer's dialect.
func (c *call) peer() *peerDialect { return c.caller.dialects.of(c.to) }
