// Package bridge lets an MCP server that speaks over standard input and output play in a league. It runs the program, and
// offers its tools over HTTP at an address of this machine:
//
//	referee ─ HTTP ─▶ Bridge ─ standard input and output ─▶ the program
//
// Only the process in which a person typed the command starts the program. A program that has ended is started again with
// the next call, once per call.
package bridge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"agentleague/dialect"
	"agentleague/protocol"
	"agentleague/rpc"
)

// Options describe a program and its bridge.
type Options struct {
	Command []string  // the program and its arguments
	Env     []string  // names of variables that the program gets although they look like keys
	Log     io.Writer // receives the standard error of the program and messages about it, line by line; required
	Port    int       // of the bridge; 0: a free one

	// Chosen returns the names of the tools that may be called, out of those that the program offers. All others are
	// listed, and calls of them are refused.
	Chosen func([]dialect.Tool) []string
}

// ForGame returns the [Options].Chosen for a game: the tools for the messages that a player receives. asks is the type
// of the question for a move; byHand names the tools that are not found automatically.
func ForGame(asks protocol.Type, byHand map[protocol.Type]string) func([]dialect.Tool) []string {
	return func(tools []dialect.Tool) (names []string) {
		for _, use := range dialect.ToolUses(tools, asks, byHand) {
			if use.Tool != "" {
				names = append(names, use.Tool)
			}
		}
		return names
	}
}

// A Bridge is a running program that is reached at an endpoint. It is safe for concurrent use.
type Bridge struct {
	Endpoint string

	opts    Options
	server  *http.Server
	served  chan error
	starts  chan struct{} // holds one value while the program is started or ended
	current *program      // guarded by starts
	closed  bool          // guarded by starts
}

// Start starts the program and its bridge. It fails if the program does not answer as an MCP server.
func Start(ctx context.Context, o Options) (*Bridge, error) {
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(o.Port)))
	if err != nil {
		return nil, err
	}
	b := &Bridge{
		Endpoint: "http://" + listener.Addr().String() + "/mcp", opts: o, starts: make(chan struct{}, 1), served: make(chan error, 1),
	}
	if _, err := b.running(ctx); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	b.server = &http.Server{Handler: b.handler(), ReadHeaderTimeout: headerTimeout}
	go func() { b.served <- b.server.Serve(listener) }()
	return b, nil
}

const headerTimeout = 10 * time.Second

// Close ends the bridge and the program, with all that the program has started. It may be called once.
func (b *Bridge) Close() error {
	_ = b.server.Close()
	<-b.served
	b.starts <- struct{}{}
	defer func() { <-b.starts }()
	b.closed = true
	if b.current != nil {
		b.current.end()
	}
	return nil
}

// running returns the program, which it starts if necessary. The start goes on if ctx ends, so that a program that
// starts slowly is there for a later call.
func (b *Bridge) running(ctx context.Context) (*program, error) {
	select {
	case b.starts <- struct{}{}:
	case <-ctx.Done():
		return nil, fmt.Errorf("the program is still starting: %w", ctx.Err())
	}
	defer func() { <-b.starts }()
	switch {
	case b.closed:
		return nil, errors.New("the bridge is closed")
	case b.current != nil && !b.current.ended():
		return b.current, nil
	case b.current != nil:
		b.current.end()
		fmt.Fprintf(b.opts.Log, "The program has ended (%v); it is started again.\n", b.current.status())
		b.current = nil
	}
	p, err := start(b.opts)
	if err == nil {
		b.current = p
	}
	return p, err
}

// call calls a tool. A program that ended before it answered is started again once.
func (b *Bridge) call(ctx context.Context, params *mcp.CallToolParamsRaw) (*mcp.CallToolResult, error) {
	for again := true; ; again = false {
		p, err := b.running(ctx)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(p.chosen, params.Name) {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams,
				Message: fmt.Sprintf("the tool %s is not one of those that were chosen for the game", params.Name)}
		}
		result, err := p.session.CallTool(ctx, &mcp.CallToolParams{Name: params.Name, Arguments: params.Arguments})
		if err == nil || !again || ctx.Err() != nil || !p.endedSoon() {
			return result, err
		}
	}
}

// maxBody limits a request to the bridge in bytes.
const maxBody = 1 << 20

// handler serves the tools. A request of a web page, or to another name than this machine's, is refused: a browser on this
// machine could send it for a foreign page.
func (b *Bridge) handler() http.Handler {
	server := mcp.NewServer(rpc.ServerInfo("league-bridge", "Bridge", "The tools of a program on this machine."),
		&mcp.ServerOptions{Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}}})
	server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			switch call, isCall := req.(*mcp.CallToolRequest); {
			case isCall:
				return b.call(ctx, call.Params)
			case method == "tools/list":
				p, err := b.running(ctx)
				if err != nil {
					return nil, err
				}
				return &mcp.ListToolsResult{Tools: p.tools}, nil
			}
			return next(ctx, method, req)
		}
	})
	serve := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
	mux := http.NewServeMux()
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Origin") != "" {
			http.Error(w, "requests of web pages are refused", http.StatusForbidden)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		serve.ServeHTTP(w, r)
	})
	return mux
}
