package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"agentleague/dialect"
	"agentleague/protocol"
)

// A toolClient holds the sessions with peers that are real MCP servers.
type toolClient struct {
	http     *http.Client
	mu       sync.Mutex
	sessions map[string]*toolSession
}

// A toolSession is open from the first call to a server until one fails.
type toolSession struct {
	*mcp.ClientSession
	tools []dialect.Tool
}

// Tools lists what the MCP server at endpoint offers.
func (h *HTTP) Tools(ctx context.Context, endpoint string) ([]dialect.Tool, error) {
	s, err := h.tools.session(ctx, endpoint)
	if err != nil {
		return nil, err
	}
	return s.tools, nil
}

// CallTool calls a tool of the MCP server at endpoint. A server that has
// forgotten the session gets a new one, once.
func (h *HTTP) CallTool(ctx context.Context, endpoint, name string, arguments json.RawMessage) (json.RawMessage,
	error) {
	for again := true; ; again = false {
		s, err := h.tools.session(ctx, endpoint)
		if err != nil {
			return nil, err
		}
		result, err := s.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: arguments})
		if err == nil {
			return json.Marshal(result)
		}
		if answer := new(jsonrpc.Error); !errors.As(err, &answer) {
			h.tools.drop(endpoint, s)
		}
		switch {
		case again && errors.Is(err, mcp.ErrSessionMissing):
		case errors.Is(err, mcp.ErrConnectionClosed): // in the midst of a session
			return nil, err
		default:
			return nil, explained(err)
		}
	}
}

// session returns the session with a server, or opens one.
func (c *toolClient) session(ctx context.Context, endpoint string) (*toolSession, error) {
	c.mu.Lock()
	s := c.sessions[endpoint]
	c.mu.Unlock()
	if s != nil {
		return s, nil
	}
	if _, err := parseEndpoint(endpoint); err != nil {
		return nil, err
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "league", Version: protocol.Release}, nil)
	opened, err := client.Connect(ctx, &mcp.StreamableClientTransport{
		Endpoint: endpoint, HTTPClient: c.http, MaxRetries: -1, DisableStandaloneSSE: true,
	}, nil)
	if err != nil {
		return nil, explained(err)
	}
	s = &toolSession{ClientSession: opened}
	for tool, err := range opened.Tools(ctx, nil) {
		if err != nil {
			_ = opened.Close()
			return nil, explained(err)
		}
		if len(s.tools) == maxTools {
			_ = opened.Close()
			return nil, &protocol.Refusal{Code: protocol.MethodNotFound,
				Message: fmt.Sprintf("it offers more than %d tools", maxTools)}
		}
		schema, _ := json.Marshal(tool.InputSchema)
		s.tools = append(s.tools, dialect.Tool{Name: tool.Name, Schema: schema})
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if other := c.sessions[endpoint]; other != nil {
		_ = opened.Close()
		return other, nil
	}
	c.sessions[endpoint] = s
	return s, nil
}

// maxTools is how many tools a server may offer.
const maxTools = 1000

// drop ends a session that has failed. Whoever else is called does not wait for that.
func (c *toolClient) drop(endpoint string, s *toolSession) {
	c.mu.Lock()
	if c.sessions[endpoint] == s {
		delete(c.sessions, endpoint)
	}
	c.mu.Unlock()
	_ = s.Close()
}

// bounded lets no answer be read that is larger than most.
type bounded struct {
	http.RoundTripper
	most int64
}

func (b bounded) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := b.RoundTripper.RoundTrip(req)
	if err == nil {
		resp.Body = &boundedBody{ReadCloser: resp.Body, left: b.most, most: b.most}
	}
	return resp, err
}

type boundedBody struct {
	io.ReadCloser
	left, most int64
}

func (b *boundedBody) Read(p []byte) (int, error) {
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, tooLarge(b.most)
	}
	return n, err
}

// explained tells a peer that is no MCP server, or refuses a call, from one that cannot be reached.
func explained(err error) error {
	var offline net.Error
	if Permanent(err) != nil || errors.As(err, &offline) || errors.Is(err, context.Canceled) ||
		errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &protocol.Refusal{Code: protocol.MethodNotFound, Message: err.Error()}
}
