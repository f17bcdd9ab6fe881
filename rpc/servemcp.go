package rpc

import (
	"bytes"
	"io"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"agentleague/protocol"
)

// MCP returns the node as an MCP server. It has a tool for every message that the node handles; the owner of the node
// may add tools, resources and prompts. It is created by the first call.
func (n *Node) MCP() *mcp.Server { return n.gate().server }

// Complete makes h complete the arguments of the node's prompts and resource templates.
func (n *Node) Complete(h CompletionHandler) {
	g := n.gate()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.complete = h
}

// gate returns the gateway, and makes it first if need be: of ten thousand
// players in one process hardly one is ever spoken to in MCP.
func (n *Node) gate() *gateway {
	n.gateMu.Lock()
	defer n.gateMu.Unlock()
	if n.gateway == nil {
		role, _ := protocol.ParseSender(n.Sender())
		n.gateway = newGateway(role, n.Options, n.Answer)
		for _, t := range n.handlers.types() {
			n.gateway.addTool(t)
		}
	}
	return n.gateway
}

// Subscribable makes known decide which resources can be subscribed to: those that exist. A subscription to any other
// is accepted and ignored.
//
// The returned function reports whether any client has ever subscribed to a resource. It is true before the first
// subscription takes effect, so that no notification is lost.
func (n *Node) Subscribable(known func(uri string) bool) (subscribed func() bool) {
	g := n.gate()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.known = known
	return g.subscribed.Load
}

// serveMCP lets a side answer a request with the given body.
func (n *Node) serveMCP(w http.ResponseWriter, r *http.Request, to side, from From, body []byte) {
	if !n.asked.Allow(n.Limits.Open, from.Addr) {
		n.served("", protocol.RateLimited.Code)
		w.Header().Set("Retry-After", "1")
		http.Error(w, TooMany("requests").Detail, http.StatusTooManyRequests)
		return
	}
	if n.Options.Furnish != nil {
		n.furnishing.Do(n.Options.Furnish)
	}
	g := n.gate()
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	r.Header.Set(peerHeader, from.Addr)
	if to == bareSide {
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set("Content-Type", "application/json")
	}
	stream, done, ok := g.sessions.enter(w, r)
	if !ok {
		w.Header().Set("Retry-After", "5")
		http.Error(w, "too many MCP requests are running here; try again later", http.StatusServiceUnavailable)
		return
	}
	defer done()
	switch to {
	case modernSide:
		g.modern.ServeHTTP(stream, stream.request)
	case bareSide:
		g.bare.ServeHTTP(stream, stream.request)
	default:
		g.stateful.ServeHTTP(stream, stream.request)
	}
}

// serveStream answers GET and DELETE of a session.
func (n *Node) serveStream(w http.ResponseWriter, r *http.Request, from From) {
	n.serveMCP(w, r, sessionSide, from, nil)
}
