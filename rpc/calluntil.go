package rpc

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"agentleague/dialect"
	"agentleague/protocol"
)

// CallUntil calls a peer until it answers with a message, with a permanent refusal, or without the authentication of
// the agent's manager. It waits for about every between two tries (see [Node.Backoff]). When ctx ends, the error is its
// cause.
func (k *caller) CallUntil(ctx context.Context, to Peer, every time.Duration, m protocol.Message) (protocol.Message,
	error) {
	for {
		reply, err := k.callOnce(ctx, to, m)
		if err == nil || !Passing(err) {
			return reply, err
		}
		if k.Retries != nil {
			k.Retries(m.Head().MessageType, err)
		}
		if err := k.Backoff(ctx, to.Endpoint, label(m)+" again", every); err != nil {
			return nil, cmp.Or(context.Cause(ctx), err) // a sleep checks the deadline itself, and may be first to see it
		}
	}
}

// callOnce makes one call, which may take as long as its kind may.
func (k *caller) callOnce(ctx context.Context, to Peer, m protocol.Message) (protocol.Message, error) {
	spec, _ := protocol.Lookup(m.Head().MessageType)
	return k.Call(Within(ctx, time.Now().Add(k.deadline(spec))), to, m)
}

// Passing reports whether a retry can succeed without any change by a person.
func Passing(err error) bool {
	if errors.As(err, new(*permanentError)) || errors.Is(err, protocol.ErrUnauthenticated) {
		return false
	}
	if kind, named := refused(err); named {
		return kind.Retryable || kind == protocol.Internal
	}
	var r *protocol.Refusal
	if errors.As(err, &r) {
		return slices.Contains(overloaded, r.HTTPStatus)
	}
	return protocol.Is(err, protocol.Timeout) || protocol.Is(err, protocol.Connection)
}

// overloaded are the statuses of a server, or of a proxy before it, that cannot serve at the moment.
var overloaded = []int{http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable,
	http.StatusGatewayTimeout}

// Tell sends an answer by a callback, to a peer that expects it in no other way. The method is the message type, as
// those peers require.
func (k *caller) Tell(ctx context.Context, endpoint string, answer protocol.Message) error {
	k.stamp(answer)
	message, err := protocol.Encode(answer)
	if err != nil {
		return err
	}
	k.observe(Message{Sent: true, Peer: endpoint, Message: answer})
	status, body, err := k.Network.Post(ctx, endpoint, label(answer),
		dialect.AnswerAsCall(answer.Head().MessageType, message, k.nextID.Add(1)))
	if err != nil {
		return err
	}
	_, _, err = dialect.Unframe(status, body, protocol.TypeAnswerAck, protocol.Reading{})
	return err
}
