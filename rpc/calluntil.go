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

// CallUntil repeats a call until the peer answers, and waits about every between tries (see [Node.Backoff]). It
// returns an error at once if a retry cannot succeed (see [Passing]), and if the answer is not authenticated by the
// agent's manager. When ctx ends, it returns the cause.
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

// callOnce makes one call with the timeout of the message's type.
func (k *caller) callOnce(ctx context.Context, to Peer, m protocol.Message) (protocol.Message, error) {
	spec, _ := protocol.Lookup(m.Head().MessageType)
	return k.Call(Within(ctx, time.Now().Add(k.deadline(spec))), to, m)
}

// Passing reports whether the error of a call is temporary, so that a retry can succeed without any change.
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

// overloaded are the HTTP statuses of a server or proxy that is temporarily unable to serve.
var overloaded = []int{http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable,
	http.StatusGatewayTimeout}

// Tell sends an answer as a callback to a peer that ignores the response to its call. The JSON-RPC method is the
// message type, as such peers require.
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
