package rpc

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"agentleague/protocol"
)

// A gateway is the MCP server of a node.
type gateway struct {
	strict   bool                                                             // messages need a complete envelope
	answer   answerer                                                         // of the calls of its tools
	forward  func(ctx context.Context, from From, body []byte) ([]byte, bool) // see [Options.Forward]
	server   *mcp.Server
	sessions *sessions
	stateful http.Handler
	modern   http.Handler
	bare     http.Handler

	subscribed atomic.Bool // a client has subscribed to a resource

	mu       sync.Mutex
	complete completionHandler
	known    func(uri string) bool // the existing resources; nil: none
}

// A completionHandler completes an argument of a prompt or a resource template.
type completionHandler = func(context.Context, *mcp.CompleteRequest) (*mcp.CompleteResult, error)

// An answerer returns the answer to the body of a league.v2 request.
type answerer func(ctx context.Context, from From, body []byte) []byte

// newGateway returns the MCP server of an agent in a role, without tools.
func newGateway(role protocol.Role, o Options, answer answerer) *gateway {
	g := &gateway{strict: o.Strict, answer: answer, forward: o.Forward}
	g.server = mcp.NewServer(aboutRole(role), &mcp.ServerOptions{
		Instructions: instructions[role],
		Capabilities: &mcp.ServerCapabilities{
			Logging:   &mcp.LoggingCapabilities{}, //nolint:staticcheck // clients of older versions set a level
			Tools:     &mcp.ToolCapabilities{ListChanged: true},
			Prompts:   &mcp.PromptCapabilities{ListChanged: true},
			Resources: &mcp.ResourceCapabilities{ListChanged: true, Subscribe: true},
		},
		CompletionHandler:  g.completion,
		SubscribeHandler:   func(context.Context, *mcp.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
	})
	g.sessions = newSessions(g.server)
	g.server.AddReceivingMiddleware(g.boundSubscriptions)
	of := func(*http.Request) *mcp.Server { return g.server }
	// [HostCheck] checks the hosts and origins of requests for both protocols
	h := mcp.StreamableHTTPOptions{MaxRequestBodyBytes: o.MaxBody, DisableLocalhostProtection: true}
	stateful := h
	stateful.EventStore = mcp.NewMemoryEventStore(nil)
	g.stateful = mcp.NewStreamableHTTPHandler(of, &stateful)
	h.Stateless, h.PropagateRequestCancellation = true, true
	g.modern = mcp.NewStreamableHTTPHandler(of, &h)
	h.JSONResponse = true
	g.bare = mcp.NewStreamableHTTPHandler(of, &h)
	return g
}

// completion completes an argument with the node's handler; without a handler it returns no completions.
func (g *gateway) completion(ctx context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	g.mu.Lock()
	h := g.complete
	g.mu.Unlock()
	if h == nil {
		return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{}}}, nil
	}
	return h(ctx, req)
}

// answered returns the answer to a tool call: from another process if the call is forwarded, otherwise from this node.
func (g *gateway) answered(ctx context.Context, from From, body []byte) []byte {
	if g.forward != nil {
		if answer, ok := g.forward(ctx, from, body); ok {
			return answer
		}
	}
	return g.answer(ctx, from, body)
}

// nowhere is the URI that replaces those of all nonexistent resources in subscriptions. It is never updated.
const nowhere = "league://nothing"

// boundSubscriptions is middleware that limits the subscriptions of a session before the SDK stores them.
func (g *gateway) boundSubscriptions(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		switch p := req.GetParams().(type) {
		case *mcp.SubscribeParams:
			g.subscribed.Store(true)
			if !g.sessions.subscribe(req.GetSession().ID(), 1) {
				return nil, tooMuch("a session has at most %d subscriptions", maxSubscriptions)
			}
			p.URI = g.existing(p.URI)
		case *mcp.UnsubscribeParams:
			g.sessions.subscribe(req.GetSession().ID(), -1)
			p.URI = g.existing(p.URI)
		case *mcp.SubscriptionsListenParams:
			g.subscribed.Store(true)
			if p.Notifications != nil && len(p.Notifications.ResourceSubscriptions) > maxSubscriptions {
				return nil, tooMuch("a request has at most %d subscriptions", maxSubscriptions)
			}
		}
		return next(ctx, method, req)
	}
}

// existing returns the URI of an existing resource unchanged, and nowhere for any other.
func (g *gateway) existing(uri string) string {
	g.mu.Lock()
	known := g.known
	g.mu.Unlock()
	if known != nil && known(uri) {
		return uri
	}
	return nowhere
}

func tooMuch(form string, args ...any) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf(form, args...)}
}
