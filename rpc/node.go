package rpc

import (
	"context"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"agentleague/protocol"
)

// A Peer is an agent that can be called. Its dialect is nobody's business but this package's.
type Peer struct {
	Endpoint string
	Dialect  string
	Token    string // shown in messages to it that have none yet
}

// A Caller sends a message to a peer and returns its answer.
type Caller interface {
	Call(ctx context.Context, to Peer, m protocol.Message) (protocol.Message, error)
}

// From is where a request came from.
type From struct {
	Addr    string // the address of its connection, without the port
	Path    string // the last part of the path that it was posted to
	Dialect string // the dialect that it was put in, as far as it shows
	Token   string // what the header Authorization has as Bearer: the token of a message without one
	Key     string // the join key in the path that it was posted to, such as /k/KEY/mcp

	counted bool // among what its address has asked
}

// A Handler answers one type of message. The answer is the node's from then on,
// which completes its envelope. An error that is no [protocol.Error] is answered
// as an internal one, and logged.
type Handler func(ctx context.Context, from From, m protocol.Message) (protocol.Message, error)

// A Network carries a node's calls and its waiting.
type Network interface {
	// Post sends body to url and returns the answer, whatever its status. The
	// label tells what the call is about.
	Post(ctx context.Context, url, label string, body []byte) (status int, answer []byte, err error)
	// Probe returns nil if anything at all answers there.
	Probe(ctx context.Context, url string) error
	// Sleep returns after d, or with an error when ctx ends before.
	Sleep(ctx context.Context, label string, d time.Duration) error
	// Addresses returns the addresses from which the agent at an endpoint can call.
	Addresses(ctx context.Context, endpoint string) []string
	// Random fills b with random bytes.
	Random(b []byte)
}

// Options are the parts of a node that have defaults.
type Options struct {
	Network    Network       // default: HTTP
	Logger     *slog.Logger  // default: silent
	Strict     bool          // refuse messages with an incomplete envelope
	MaxBody    int64         // bytes of a request or an answer; default 1 MiB
	MaxWaiting int           // answers waited for at once; default 65,536
	Observe    func(Message) // told of every message sent and received, by many goroutines
	Metrics    http.Handler  // answers GET /metrics; default: there is no such page
	Hosts      []string      // names by which it is reached besides localhost and its address; requests for others are refused

	Limits   Limits        // how much it takes of others in a second
	Guard    Guard         // whom the node may call; default: this machine
	TLS      *tls.Config   // how it looks at the certificates of those it calls by https; default: as the system does
	Resolver *net.Resolver // what it looks up names with; default: the system's

	// Served is told of every request before its answer goes out, Called of every
	// call when it has ended; both by many goroutines. The type is one of the
	// protocol's table, and empty for a request that asks for nothing which this
	// agent takes; the outcome is one of [Outcomes].
	Served, Called func(t protocol.Type, outcome string)
}

// A Message is one message as it passed, for a log. It is not to be changed.
type Message struct {
	Sent      bool
	Peer      string           // an endpoint that was called; the address of one that called
	Message   protocol.Message // nil: it could not be read, or did not come
	Reply     bool             // it answers a message from the other side
	Elapsed   time.Duration    // of a reply: since the message that it answers
	Err       error            // why it could not be read or did not come; what a reply refuses
	ErrorCode string           // of Err, if the protocol has one for it
	Warnings  []string         // what was absent or odd, and let pass
}

// A Node is one agent on the wire. Handlers are registered before it serves.
type Node struct {
	Options
	sender   atomic.Pointer[string]
	handlers map[protocol.Type]Handler
	open     map[protocol.Type]bool // what needs no token
	asked    *Limiter               // by address: what needs no token
	failed   *Limiter               // by address: what is refused
	nextID   atomic.Int64
	mu       sync.Mutex
	waiting  map[question][]*Expectation
	pending  int                     // expectations in waiting
	settled  []*Expectation          // the newest that were answered in another way
	dialects map[string]*peerDialect // by endpoint

	gateMu  sync.Mutex
	gateway *gateway // the MCP side; nil: nobody has asked for it
}

// NewNode returns a node that calls itself sender, such as "player:P01".
func NewNode(sender string, o Options) *Node {
	if o.MaxBody == 0 {
		o.MaxBody = 1 << 20
	}
	if o.MaxWaiting == 0 {
		o.MaxWaiting = 1 << 16
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Network == nil {
		o.Network = newHTTP(o)
	}
	o.Limits = o.Limits.withDefaults()
	n := &Node{
		Options: o, handlers: map[protocol.Type]Handler{}, open: map[protocol.Type]bool{},
		asked: NewLimiter(o.Limits.Open), failed: NewLimiter(o.Limits.Failed),
		waiting: map[question][]*Expectation{}, dialects: map[string]*peerDialect{},
	}
	n.SetSender(sender)
	n.HandleOpen(protocol.TypePing, n.pong)
	return n
}

// Handle makes h answer the messages of type t, and the calls of the MCP tool
// that is named after their method.
func (n *Node) Handle(t protocol.Type, h Handler) {
	n.gateMu.Lock()
	defer n.gateMu.Unlock()
	n.handlers[t] = h
	if n.gateway != nil {
		n.addTool(t)
	}
}

// HandleOpen makes h answer the messages of type t, which need no token. Each
// address may send so many of them in a second.
func (n *Node) HandleOpen(t protocol.Type, h Handler) {
	n.Handle(t, h)
	n.open[t] = true
}

// Sender returns what the node calls itself.
func (n *Node) Sender() string { return *n.sender.Load() }

// SetSender changes what the node calls itself, once it has been granted an id.
func (n *Node) SetSender(sender string) { n.sender.Store(&sender) }

// Sleep waits for d. The label says for what.
func (n *Node) Sleep(ctx context.Context, label string, d time.Duration) error {
	return n.Network.Sleep(ctx, label, d)
}

// Nonce returns a random text of 2·size hexadecimal digits.
func (n *Node) Nonce(size int) string {
	b := make([]byte, size)
	n.Network.Random(b)
	return hex.EncodeToString(b)
}

// Alive returns nil if an agent answers at that endpoint, in whatever way.
func (n *Node) Alive(ctx context.Context, endpoint string) error {
	return n.Network.Probe(ctx, endpoint)
}

func (n *Node) pong(context.Context, From, protocol.Message) (protocol.Message, error) {
	return &protocol.Pong{Envelope: protocol.Envelope{MessageType: protocol.TypePong}, Status: "ok", Agent: n.Sender()}, nil
}

// stamp fills in what every message of ours carries.
func (n *Node) stamp(m protocol.Message) {
	h := m.Head()
	h.Protocol, h.Sender, h.Timestamp = protocol.Version, n.Sender(), protocol.Stamp(time.Now())
}

func (n *Node) observe(m Message) {
	if n.Observe != nil {
		m.ErrorCode = errorCode(m)
		n.Observe(m)
	}
}

func errorCode(m Message) string {
	if m.Err == nil {
		return ""
	}
	var known *protocol.Error
	if errors.As(m.Err, &known) {
		return known.Kind.Code
	}
	if m.Sent {
		return protocol.Internal.Code
	}
	if kind, ok := refused(m.Err); ok {
		return kind.Code
	}
	return ""
}

// refused returns the kind of error that a peer answered with, if it named one.
func refused(err error) (*protocol.Kind, bool) {
	var theirs *protocol.Refusal
	if !errors.As(err, &theirs) {
		return nil, false
	}
	return protocol.KindNamed(theirs.Name)
}
