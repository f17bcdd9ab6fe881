package rpc

import (
	"context"
	"errors"
	"net/url"

	"agentleague/protocol"
)

// A Peer is an agent to call. Its dialect is opaque outside of this package.
type Peer struct {
	Name     string // its sender, such as player:P01, to which broken rules are attributed; "": they are not
	Endpoint string
	Dialect  string
	Token    string // shown in messages to it that have none yet
	Auth     Auth   // of a native agent's manager; nil: answers are read as they come
}

// Auth authenticates the exchanges between a native agent and its manager.
type Auth interface {
	// SignRequest adds the proof of the sender to a request.
	SignRequest(m protocol.Message)
	// ReadAnswer verifies and decodes an answer of type want to a request of a conversation. It returns
	// [protocol.ErrUnauthenticated] if the answer is not the manager's. If it returns [ErrNotAgreed], the answer is
	// decoded without authentication.
	ReadAnswer(body []byte, want protocol.Type, conversation string) (protocol.Message, error)
}

// ErrNotAgreed means that an agent shares no token with the manager that answered: it may be a third-party manager,
// whose answers are not authenticated.
var ErrNotAgreed = errors.New("no token was agreed on with this manager")

// A messageCaller sends a message to a peer and returns its answer.
type messageCaller interface {
	Call(ctx context.Context, to Peer, m protocol.Message) (protocol.Message, error)
}

// From is the origin of a request: the caller's address and what authenticates the caller.
type From struct {
	Addr    string // the address of its connection, without the port
	Path    string // the last part of the path that it was posted to
	Dialect string // the dialect that it was put in, as far as it shows
	Method  string // the method by which it was called; "": none
	Token   string // the Bearer token in the Authorization header: for a message without one
	Key     string // the join key in the path that it was posted to, such as /k/KEY/mcp

	// Mailbox is the id of the mailbox whose key the request shows: as the Bearer token, or by the connection of a
	// mailbox. It identifies an agent with that mailbox as an address identifies others.
	Mailbox string

	counted bool // counted in the limit of its address
}

// A Handler answers one type of message. The node takes over the returned message and fills in its envelope. An error
// that is not a [protocol.Error] is logged and answered as an internal error.
type Handler func(ctx context.Context, from From, m protocol.Message) (protocol.Message, error)

// withMailbox sets the mailbox of a request whose Bearer token is the secret of one.
func (f From) withMailbox() From {
	f.Mailbox, _ = protocol.MailboxOfSecret(f.Token)
	return f
}

// shown fills in the token and sender of a message, if they are missing, from the HTTP request. Those of the message
// win.
func (f From) shown(h *protocol.Envelope) {
	if f.Token == "" || h.AuthToken != "" || f.Mailbox != "" {
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

// A Challenge is the HTTP answer to a tool call that lacks a valid token.
type Challenge struct {
	Status int
	Header string // WWW-Authenticate; "": none
	Detail string // a sentence
}

// A Challenger returns how to refuse a tool call for a message, or nil to let it run. token is the one in the call's
// arguments. The handler of the message checks the token in any case.
type Challenger func(ctx context.Context, from From, t protocol.Type, token string) *Challenge

// placed returns an endpoint with its path replaced. It returns the endpoint unchanged if path is "" or the endpoint is
// a manager's relay address.
func placed(endpoint, path string) string {
	if path == "" || protocol.IsRelayed(endpoint) {
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

// WithVia returns a context for a request that another manager has forwarded. address is the address to which the
// request was sent, such as "http://10.0.0.1:8000"; the handler of the request answers for that address too.
func WithVia(ctx context.Context, address string) context.Context {
	return context.WithValue(ctx, viaKey{}, address)
}

// Via returns the address that a forwarded request was originally sent to, or "" if it came directly.
func Via(ctx context.Context) string {
	address, _ := ctx.Value(viaKey{}).(string)
	return address
}
