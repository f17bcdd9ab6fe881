package rpc

import (
	"context"
	"encoding/hex"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"agentleague/protocol"
)

// A Node is one agent on the wire. Handlers are registered before it serves.
type Node struct {
	Options
	sender   atomic.Pointer[string]
	handlers handlers
	asked    addressLimiter // messages without a token
	failed   addressLimiter // refused requests
	nextID   atomic.Int64   // of a JSON-RPC request
	expected *expectations  // answers that may come by a call
	dialects *dialects      // how the peers want to be spoken to

	outside, outsidePort string // the host of its public address, and the port that may be left out

	gateMu  sync.Mutex
	gateway *gateway // the MCP server; nil: not needed yet

	furnishing sync.Once // of Options.Furnish

	warned warned
}

// NewNode returns a node that calls itself sender, such as "player:P01".
func NewNode(sender string, o Options) *Node {
	if o.MaxBody == 0 {
		o.MaxBody = defaultMaxBody
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
		Options: o, expected: newExpectations(o.MaxWaiting, o.Strict), dialects: newDialects(),
	}
	n.outside, n.outsidePort = publicHost(o.Public)
	n.SetSender(sender)
	n.HandleOpen(protocol.TypePing, n.pong)
	return n
}

// Handle makes h answer the messages of type t, and the calls of the MCP tool
// that is named after their method.
func (n *Node) Handle(t protocol.Type, h Handler) {
	n.gateMu.Lock()
	defer n.gateMu.Unlock()
	n.handlers.put(t, h)
	if n.gateway != nil {
		n.gateway.addTool(t)
	}
}

// HandleOpen makes h answer the messages of type t, which need no token. They are rate-limited by address.
func (n *Node) HandleOpen(t protocol.Type, h Handler) {
	n.Handle(t, h)
	n.handlers.own.at(t).open = true
}

// HandleAll makes h answer every message of a repertoire, by type. Handlers set by [Node.Handle] take precedence. It
// must be called once, before the node answers requests.
func (n *Node) HandleAll(r *Repertoire, h Handler) { n.handlers.shared, n.handlers.all = r, h }

// Sender returns the node's sender name.
func (n *Node) Sender() string { return *n.sender.Load() }

// SetSender changes the node's sender name, once it has been granted an id.
func (n *Node) SetSender(sender string) { n.sender.Store(&sender) }

// Under announces many calls under ctx, or under contexts of [Within] below it: together they need only one watch for
// its end.
func (n *Node) Under(ctx context.Context) {
	if h, ok := n.Network.(*HTTP); ok {
		h.Under(ctx)
	}
}

// Sleep waits for d. The label describes the purpose.
func (n *Node) Sleep(ctx context.Context, label string, d time.Duration) error {
	return n.Network.Sleep(ctx, label, d)
}

// Nonce returns a random text of 2·size hexadecimal digits.
func (n *Node) Nonce(size int) string {
	b := make([]byte, size)
	n.Network.Random(b)
	return hex.EncodeToString(b)
}

// Alive returns nil if an agent answers at that endpoint, with any response.
func (n *Node) Alive(ctx context.Context, endpoint string) error {
	return n.Network.Probe(ctx, endpoint)
}

// Expect opens the door to an answer that comes by a call. The returned
// context ends with [ErrAnswered] when it has come; the first one counts.
func (n *Node) Expect(ctx context.Context, w Want) (context.Context, *Expectation, error) {
	return n.expected.open(ctx, w, n.Network.Addresses(ctx, w.Peer.Endpoint))
}

// ComesFrom reports whether a request can come from the agent at an endpoint.
func (n *Node) ComesFrom(ctx context.Context, from From, endpoint string) bool {
	return comesFrom(from.Addr, n.Network.Addresses(ctx, endpoint))
}

// pong answers a ping with the node's identity.
func (n *Node) pong(context.Context, From, protocol.Message) (protocol.Message, error) {
	return &protocol.Pong{Envelope: protocol.Envelope{MessageType: protocol.TypePong}, Status: "ok",
		Agent: n.Sender()}, nil
}

// stamp fills in the common members of our messages.
func (n *Node) stamp(m protocol.Message) {
	h := m.Head()
	h.Protocol, h.Sender, h.Timestamp = protocol.Version, n.Sender(), protocol.Stamp(time.Now())
}

// observe passes a message to the observer. It comes after the answer was made and cannot change it.
func (n *Node) observe(m Message) {
	if n.Observe != nil {
		m.ErrorCode = errorCode(m)
		n.Observe(m)
	}
}
