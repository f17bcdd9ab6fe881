package rpc

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"agentleague/dialect"
	"agentleague/protocol"
)

// An agent speaks league.v2 and MCP at one endpoint. What a request is shows in
// its method and its headers:
//
//	GET, DELETE, initialize, whatever has a session ──▶ sessions   (MCP up to 2025-11-25)
//	MCP-Protocol-Version: 2026-07-28 or newer        ──▶ stateless  (a request is all there is)
//	other methods of MCP, without any handshake      ──▶ bare       (one JSON answer)
//	everything else                                  ──▶ Answer     (league.v2, tools/call of its methods too)
//
// A message of one of our own agents is known before any of this is looked at,
// and never meets the MCP side.

// The headers of MCP, as net/http keeps them.
const (
	sessionHeader = "Mcp-Session-Id"
	versionHeader = "Mcp-Protocol-Version"
)

// modern is the first version of MCP without sessions.
const modern = "2026-07-28"

// A gateway is the MCP side of a node.
type gateway struct {
	server   *mcp.Server
	sessions *sessions
	stateful http.Handler
	modern   http.Handler
	bare     http.Handler

	mu       sync.Mutex
	complete CompletionHandler
	known    func(uri string) bool // which resources there are; nil: those of no owner, so none is ever told of
}

// A CompletionHandler completes an argument of a prompt or a resource template.
type CompletionHandler = func(context.Context, *mcp.CompleteRequest) (*mcp.CompleteResult, error)

// MCP returns the node as a server of MCP. It has a tool for every message that
// the node handles; whoever owns the node may add more tools, resources and
// prompts. It is made when it is first asked for.
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
		n.gateway = n.newGateway()
		for t := range n.handlers {
			n.addTool(t)
		}
	}
	return n.gateway
}

func (n *Node) newGateway() *gateway {
	g := &gateway{}
	role, _ := protocol.ParseSender(n.Sender())
	g.server = mcp.NewServer(&mcp.Implementation{Name: "league-" + string(role), Title: "League " + string(role), Version: build()}, &mcp.ServerOptions{
		Instructions: instructions[role],
		Capabilities: &mcp.ServerCapabilities{
			Logging: &mcp.LoggingCapabilities{}, //nolint:staticcheck // clients of older versions set a level
			Tools:   &mcp.ToolCapabilities{ListChanged: true},
			Prompts: &mcp.PromptCapabilities{ListChanged: true}, Resources: &mcp.ResourceCapabilities{ListChanged: true, Subscribe: true},
		},
		CompletionHandler:  g.completion,
		SubscribeHandler:   func(context.Context, *mcp.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
	})
	g.sessions = newSessions(g.server)
	g.server.AddReceivingMiddleware(g.boundSubscriptions)
	of := func(*http.Request) *mcp.Server { return g.server }
	// The names and origins of requests are looked at for both faces, by [HostCheck].
	o := mcp.StreamableHTTPOptions{MaxRequestBodyBytes: n.MaxBody, DisableLocalhostProtection: true}
	stateful := o
	stateful.EventStore = mcp.NewMemoryEventStore(nil)
	g.stateful = mcp.NewStreamableHTTPHandler(of, &stateful)
	o.Stateless, o.PropagateRequestCancellation = true, true
	g.modern = mcp.NewStreamableHTTPHandler(of, &o)
	o.JSONResponse = true
	g.bare = mcp.NewStreamableHTTPHandler(of, &o)
	return g
}

// completion completes an argument, or knows nothing of it.
func (g *gateway) completion(ctx context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	g.mu.Lock()
	h := g.complete
	g.mu.Unlock()
	if h == nil {
		return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{}}}, nil
	}
	return h(ctx, req)
}

// mcpMethods are what clients may ask for in any version of MCP.
var mcpMethods = []string{
	"initialize", "ping", "server/discover", "subscriptions/listen", "tools/list", "tools/call",
	"resources/list", "resources/read", "resources/templates/list", "resources/subscribe", "resources/unsubscribe",
	"prompts/list", "prompts/get", "completion/complete", "logging/setLevel",
}

// A side is who answers a request.
type side int

const (
	leagueSide side = iota
	sessionSide
	modernSide
	bareSide
)

// sideOf tells who answers a request with this body.
func (n *Node) sideOf(r *http.Request, body []byte) side {
	if version := r.Header.Get(versionHeader); version >= modern {
		return modernSide
	}
	session := r.Header.Get(sessionHeader) != ""
	if !session && !mentionsMCP(body) {
		return leagueSide
	}
	p := peek(body)
	isMCP := slices.Contains(mcpMethods, p.method) || strings.HasPrefix(p.method, "notifications/")
	switch {
	case session && (isMCP || p.answers || p.batch):
		return sessionSide
	case !isMCP:
		return leagueSide
	case p.method == "initialize" || p.method == "server/discover":
		if !strings.Contains(r.Header.Get("Accept"), "text/event-stream") { // it could not read a stream, and so has no use for a session
			return bareSide
		}
		return sessionSide
	case p.method == "ping", p.method == "tools/call" && n.takesAny(p.tool):
		return leagueSide
	}
	return bareSide
}

// familiar are parts of all methods of MCP but ping, which is also ours.
var familiar = [][]byte{
	[]byte("initialize"), []byte("tools/"), []byte("resources/"), []byte("prompts/"), []byte("notifications/"),
	[]byte("completion/"), []byte("logging/"), []byte("server/"), []byte("subscriptions/"),
}

// mentionsMCP reports whether a body can be a request of MCP. It spares most
// others that anybody looks into them twice.
func mentionsMCP(body []byte) bool {
	return bytes.IndexByte(body, '\\') >= 0 || // a method may be written with escapes
		slices.ContainsFunc(familiar, func(part []byte) bool { return bytes.Contains(body, part) })
}

// takesAny reports whether a tool is a message of this agent, by whatever name.
func (n *Node) takesAny(tool string) bool {
	return slices.ContainsFunc(dialect.TypesNamed(tool), n.takes) || dialect.IsCarrier(tool)
}

// A peeked request is what its body shows at a glance.
type peeked struct {
	method  string
	tool    string // of tools/call
	answers bool   // it answers a request of the server's own
	batch   bool
}

// peek looks into a body. Members are found by their exact names, since a
// struct would take "Method" too and see another request than who answers it.
func peek(body []byte) (p peeked) {
	body = bytes.TrimLeft(body, " \t\r\n")
	if len(body) > 0 && body[0] == '[' {
		return peeked{batch: true}
	}
	var m, params map[string]json.RawMessage
	if json.Unmarshal(body, &m) != nil || protocol.RepeatedKey(body) != "" {
		return p
	}
	if _, called := m["method"]; !called {
		p.answers = m["result"] != nil || m["error"] != nil
		return p
	}
	if json.Unmarshal(m["method"], &p.method) == nil && p.method == "tools/call" && json.Unmarshal(m["params"], &params) == nil {
		_ = json.Unmarshal(params["name"], &p.tool)
	}
	return p
}

// peerHeader carries the address of a caller through the SDK to the tools. What
// a caller writes there itself is overwritten.
const peerHeader = "League-Peer"

// serveMCP lets a side answer a request whose body is given.
func (n *Node) serveMCP(w http.ResponseWriter, r *http.Request, to side, from From, body []byte) {
	if !n.asked.Allow(neighbourhood(from.Addr)) {
		n.served("", protocol.RateLimited.Code)
		w.Header().Set("Retry-After", "1")
		http.Error(w, TooMany("requests").Detail, http.StatusTooManyRequests)
		return
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
		http.Error(w, "too many MCP requests are under way here; try again later", http.StatusServiceUnavailable)
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

// writeFor is how long a client may take to read what is written to it.
const writeFor = 30 * time.Second

// A stream is the answer to an MCP request. It may take as long as it likes, as
// long as whoever reads it does, and ends when the server does.
type stream struct {
	http.ResponseWriter
	control *http.ResponseController
	request *http.Request
}

func (s *stream) Write(b []byte) (int, error) {
	_ = s.control.SetWriteDeadline(time.Now().Add(writeFor))
	return s.ResponseWriter.Write(b)
}

// Unwrap lets the SDK flush.
func (s *stream) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// newStream lifts the limits that a request of league.v2 has. The second result
// puts them back.
func newStream(w http.ResponseWriter, r *http.Request) (*stream, func()) {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Time{}) // or the end of the time for reading would look like the client's leaving
	_ = control.SetWriteDeadline(time.Time{})
	ctx, cancel := context.WithCancel(r.Context())
	unhook := func() bool { return true }
	if serving, ok := ctx.Value(servingKey{}).(context.Context); ok {
		unhook = context.AfterFunc(serving, cancel)
	}
	return &stream{w, control, r.WithContext(ctx)}, func() {
		unhook()
		cancel()
		_ = control.SetWriteDeadline(time.Now().Add(writeFor))
	}
}
