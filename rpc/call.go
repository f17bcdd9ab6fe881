package rpc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"agentleague/protocol"
)

// Call sends m to a peer and returns its answer. The error is a [protocol.Error] of kind Timeout or Connection for an
// unreachable peer, of kind EndpointNotAllowed for a forbidden one, and a [protocol.Refusal] if the peer answered
// with an error.
//
// The deadline for the answer is that of ctx, or else the one in Options.Deadlines or of the protocol.
//
// A message whose reply is an acknowledgement is acknowledged by any answer; the returned message is nil if the
// answer was not a message. For other messages an answer without a message is an error, unless a callback is expected
// (see [Node.Expect]): then Call waits until the deadline.
//
// Call fills in the envelope of m, so m must not be sent to several peers concurrently.
func (k *caller) Call(ctx context.Context, to Peer, m protocol.Message) (protocol.Message, error) {
	c, ok := call{caller: k, to: to, m: m}, false
	if c.spec, ok = protocol.Lookup(m.Head().MessageType); !ok {
		return nil, fmt.Errorf("call %s: no such message", m.Head().MessageType)
	}
	start := time.Now()
	if _, ok := ctx.Deadline(); !ok {
		ctx = Within(ctx, start.Add(k.deadline(c.spec)))
	}
	k.retries.called(to.Endpoint)
	k.stamp(m)
	if h := m.Head(); h.AuthToken == "" {
		h.AuthToken = to.Token
	}
	if to.Auth != nil {
		if h := m.Head(); h.ConversationID == "" { // an answer must not fit another request
			h.ConversationID = "conv-" + k.Nonce(8)
		}
		to.Auth.SignRequest(m)
	}
	k.observe(Message{Sent: true, Peer: to.Endpoint, Message: m})
	reply, warnings, err := c.converse(ctx)
	k.called(ctx, c.spec.Type, err)
	c.gradeFailure(err)
	if reply != nil || len(c.broken) > 0 || err != nil && !errors.Is(err, ErrAnswered) { // that answer has been observed as it came
		k.observe(Message{Peer: to.Endpoint, Message: reply, Reply: true, Elapsed: time.Since(start), Err: err,
			Warnings: warnings, Type: cmp.Or(c.spec.Reply, c.spec.Type), Violations: c.broken, Agent: to.Name, Verified: true})
	}
	return reply, err
}
