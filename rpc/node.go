package rpc

import (
	"context"
	"log/slog"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"agentleague/protocol"
)

// A Node is one agent on the wire. Handlers are registered before it serves. It is safe for concurrent use.
type Node struct {
	agent
	caller
	responder responder
	mcp       mcpSide
	public    publicHost
}

// NewNode returns a node with a sender name, such as "player:P01".
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
	n := &Node{agent: agent{Options: o}, public: publicHostOf(o.Public)}
	expected := newExpectations(o.MaxWaiting, o.Strict)
	n.caller.agent, n.caller.expected, n.caller.retries = &n.agent, expected, &processRetries
	if _, real := o.Network.(*HTTP); !real {
		n.caller.retries = &retryBudget{} // each simulated node is a process
	}
	n.responder.agent, n.responder.expected = &n.agent, expected
	n.mcp.responder = &n.responder
	n.SetSender(sender)
	n.HandleOpen(protocol.TypePing, n.pong)
	return n
}

// Handle makes h answer the messages of type t, and the calls of the MCP tool
// that is named after their method.
func (n *Node) Handle(t protocol.Type, h Handler) { n.mcp.handle(t, h) }

// HandleOpen makes h answer the messages of type t, which need no token. They are rate-limited by address.
func (n *Node) HandleOpen(t protocol.Type, h Handler) {
	n.Handle(t, h)
	n.responder.handlers.own.at(t).open = true
}

// HandleAll makes h answer every message of a repertoire, by type. Handlers set by [Node.Handle] take precedence. It
// must be called once, before the node answers requests.
func (n *Node) HandleAll(r *Repertoire, h Handler) {
	n.responder.handlers.shared, n.responder.handlers.all = r, h
}

// Answer answers the body of one request, strictly by JSON-RPC 2.0. It returns nil if no answer is due.
func (n *Node) Answer(ctx context.Context, from From, body []byte) []byte {
	return n.responder.answerBody(ctx, from, body)
}

// Under announces many calls under ctx, or under contexts of [Within] below it: together they need only one watch for
// its end.
func (n *Node) Under(ctx context.Context) {
	if h, ok := n.Network.(*HTTP); ok {
		h.Under(ctx)
	}
}

// Alive returns nil if an agent answers at that endpoint, with any response.
func (n *Node) Alive(ctx context.Context, endpoint string) error {
	return n.Network.Probe(ctx, endpoint)
}

// Expect accepts an answer that comes by a callback until the expectation is closed. The returned
// context ends with [ErrAnswered] when it has come; the first one counts.
func (n *Node) Expect(ctx context.Context, w Want) (context.Context, *Expectation, error) {
	return n.responder.expected.open(ctx, w, n.Network.Addresses(ctx, w.Peer.Endpoint))
}

// ComesFrom reports whether a request can come from the agent at an endpoint.
func (n *Node) ComesFrom(ctx context.Context, from From, endpoint string) bool {
	return comesFrom(from.Addr, n.Network.Addresses(ctx, endpoint))
}

// MCP returns the node as an MCP server. It has a tool for every message that the node handles; the owner of the node
// may add tools, resources and prompts. It is created by the first call.
func (n *Node) MCP() *mcp.Server { return n.mcp.gate().server }

// Complete makes h complete the arguments of the node's prompts and resource templates.
func (n *Node) Complete(h CompletionHandler) {
	g := n.mcp.gate()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.complete = h
}

// Subscribable makes known decide which resources can be subscribed to: those that exist. A subscription to any other
// is accepted and ignored.
//
// The returned function reports whether any client has ever subscribed to a resource. It is true before the first
// subscription takes effect, so that no notification is lost.
func (n *Node) Subscribable(known func(uri string) bool) (subscribed func() bool) {
	g := n.mcp.gate()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.known = known
	return g.subscribed.Load
}

// ListFor makes tools/list show each caller the tools that it may call. Without it every caller sees all tools.
func (n *Node) ListFor(audience func(context.Context, From) Audience) {
	n.mcp.gate().listFor(audience, &n.responder.handlers)
}

// pong answers a ping with the node's identity.
func (n *Node) pong(context.Context, From, protocol.Message) (protocol.Message, error) {
	return &protocol.Pong{Envelope: protocol.Envelope{MessageType: protocol.TypePong}, Status: "ok",
		Agent: n.Sender()}, nil
}
