package rpc

import (
	"context"
	"errors"
	"net/url"

	"agentleague/protocol"
)

// A Peer is an agent that can be called. Its dialect is opaque outside of this package.
type Peer struct {
	Endpoint string
	Dialect  string
	Token    string // shown in messages to it that have none yet
	Auth     Auth   // of a native agent's manager; nil: answers are read as they come
}

// Auth authenticates the exchanges of a native agent with its manager.
type Auth interface {
	// SignRequest makes a request authenticate its sender to the manager.
	SignRequest(m protocol.Message)
	// ReadAnswer reads the answer of type want to a request of that conversation. An answer that is not the manager's is
	// [protocol.ErrUnauthenticated]; [ErrNotAgreed] has it read as it comes.
	ReadAnswer(body []byte, want protocol.Type, conversation string) (protocol.Message, error)
}

// ErrNotAgreed means that an agent shares no token with the manager that answers: it may be a third-party manager,
// whose answers are unauthenticated.
var ErrNotAgreed = errors.New("no token was agreed on with this manager")

// A Caller sends a message to a peer and returns its answer.
type Caller interface {
	Call(ctx context.Context, to Peer, m protocol.Message) (protocol.Message, error)
}

// From is where a request came from.
type From struct {
	Addr    string // the address of its connection, without the port
	Path    string // the last part of the path that it was posted to
	Dialect string // the dialect that it was put in, as far as it shows
	Method  string // the method by which it was called; "": none
	Token   string // the Bearer token in the Authorization header: for a message without one
	Key     string // the join key in the path that it was posted to, such as /k/KEY/mcp

	counted bool // counted in the limit of its address
}

// A Handler answers one type of message. The answer is the node's from then on,
// which completes its envelope. An error that is no [protocol.Error] is answered
// as an internal one, and logged.
type Handler func(ctx context.Context, from From, m protocol.Message) (protocol.Message, error)

// shown fills in a message's missing token and sender from the request. Values in the message take precedence.
func (f From) shown(h *protocol.Envelope) {
	if f.Token == "" || h.AuthToken != "" {
		return
	}
	h.AuthToken = f.Token
	if h.Sender != "" {
		return
	}
	if h.Sender = protocol.TokenOwner(f.Token); h.Sender == "" {
		h.Sender = string(protocol.RoleAdmin)
	}
}

// A Challenge is the answer to the call of a tool that needs another token first.
type Challenge struct {
	Status int
	Header string // WWW-Authenticate; "": none
	Detail string // a sentence
}

// A Challenger decides whether the call of a tool for a message is refused, given the token in its arguments; nil: it
// is not. The handler of the message checks its token anyway.
type Challenger func(ctx context.Context, from From, t protocol.Type, token string) *Challenge

// placed returns an endpoint with another path, if one is given.
func placed(endpoint, path string) string {
	if path == "" {
		return endpoint
	}
	u, err := url.Parse(endpoint)
	if err != nil {
		return endpoint
	}
	u.Path, u.RawPath = path, ""
	return u.String()
}

// viaKey is the context key for the original address of a forwarded request.
type viaKey struct{}

// WithVia records that a request was sent to another address than this agent's, such as "http://10.0.0.1:8000", and
// was forwarded by another manager there. The handler of the request answers for that address too.
func WithVia(ctx context.Context, address string) context.Context {
	return context.WithValue(ctx, viaKey{}, address)
}

// Via is the address that a request was sent to, if it was passed on from there; "": it came directly.
func Via(ctx context.Context) string {
	address, _ := ctx.Value(viaKey{}).(string)
	return address
}
