package rpc

import (
	"context"
	"log/slog"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"agentleague/protocol"
)

// A Node is one agent on the network. Register its handlers before it serves. It is safe for concurrent use.
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
	expected := newExpectations(o.MaxWaiting, n.IsStrict)
	n.caller.agent, n.caller.expected, n.caller.retries = &n.agent, expected, &processRetries
	if realNetwork(o.Network) == nil {
		n.caller.retries = &retryBudget{} // each simulated node is a process
	}
	n.responder.agent, n.responder.expected = &n.agent, expected
	n.mcp.responder = &n.responder
	n.SetSender(sender)
	n.HandleOpen(protocol.TypePing, n.pong)
	return n
}

// Handle registers h for messages of type t, and for calls of the MCP tool with the name of their method.
func (n *Node) Handle(t protocol.Type, h Handler) { n.mcp.handle(t, h) }

// HandleOpen registers h for messages of type t, without requiring a token. They are rate-limited by address.
func (n *Node) HandleOpen(t protocol.Type, h Handler) {
	n.Handle(t, h)
	n.responder.handlers.own.at(t).open = true
}

// HandleAll registers h for all messages of a repertoire. Handlers set by [Node.Handle] take precedence. Call it at
// most once, before the node answers requests.
func (n *Node) HandleAll(r *Repertoire, h Handler) {
	n.responder.handlers.shared, n.responder.handlers.all = r, h
}

// Answer returns the answer to the body of one JSON-RPC 2.0 request, or nil if no answer is due.
func (n *Node) Answer(ctx context.Context, from From, body []byte) []byte {
	return n.responder.answerBody(ctx, from, body)
}

// Under prepares for many calls under ctx, or under contexts of [Within] derived from it: they share one registration
// for the end of ctx, which makes each call cheaper.
func (n *Node) Under(ctx context.Context) {
	if h := realNetwork(n.Network); h != nil {
		h.Under(ctx)
	}
}

// Alive returns nil if any server answers at an endpoint.
func (n *Node) Alive(ctx context.Context, endpoint string) error {
	return n.Network.Probe(ctx, endpoint)
}

// Expect opens an expectation, which accepts an answer by callback until it is closed. The returned
// context ends with the cause [ErrAnswered] when the first answer arrives.
func (n *Node) Expect(ctx context.Context, w Want) (context.Context, *Expectation, error) {
	return n.responder.expected.open(ctx, w, n.Network.Addresses(ctx, w.Peer.Endpoint))
}

// ComesFrom reports whether a request may come from the agent at an endpoint, by the caller's address or mailbox.
func (n *Node) ComesFrom(ctx context.Context, from From, endpoint string) bool {
	if id, ok := protocol.MailboxID(endpoint); ok {
		return from.Mailbox == id
	}
	return comesFrom(from.Addr, n.Network.Addresses(ctx, endpoint))
}

// MCP returns the node's MCP server, which is created by the first call. It has a tool for each message that the node
// handles; the owner of the node may add tools, resources and prompts.
func (n *Node) MCP() *mcp.Server { return n.mcp.gate().server }

// Complete registers h for completing the arguments of the node's prompts and resource templates.
func (n *Node) Complete(h completionHandler) {
	g := n.mcp.gate()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.complete = h
}

// Subscribable sets the function that reports whether a resource exists and can be subscribed to. A subscription to any
// other resource is accepted and ignored.
//
// The returned function reports whether any client has ever subscribed to a resource. It returns true before the first
// subscription takes effect, so that no notification is lost.
func (n *Node) Subscribable(known func(uri string) bool) (subscribed func() bool) {
	g := n.mcp.gate()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.known = known
	return g.subscribed.Load
}

// ListFor makes tools/list return only the tools that the caller may call, by its audience. Without it, every caller
// sees all tools.
func (n *Node) ListFor(audience func(context.Context, From) Audience) {
	n.mcp.gate().listFor(audience, &n.responder.handlers)
}

// pong answers a ping with the node's identity.
func (n *Node) pong(context.Context, From, protocol.Message) (protocol.Message, error) {
	return &protocol.Pong{Envelope: protocol.Envelope{MessageType: protocol.TypePong}, Status: "ok",
		Agent: n.Sender()}, nil
}
