package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
	transport http.RoundTripper
	most      int64                        // bytes of an answer
	bearer    func(endpoint string) string // the token that a server wants to see; nil: none does

	mu       sync.Mutex
	sessions map[string]*toolSession
}

// A toolSession is a session with one MCP server. It stays open until a call fails.
type toolSession struct {
	*mcp.ClientSession
	tools []dialect.Tool
	end   func() // releases further resources of the session
}

// Tools lists the tools of the MCP server at endpoint.
func (c *toolClient) Tools(ctx context.Context, endpoint string) ([]dialect.Tool, error) {
	s, err := c.session(ctx, endpoint)
	if err != nil {
		return nil, err
	}
	return s.tools, nil
}

// Introduce opens a new session with the MCP server at endpoint, and lists its current tools.
func (c *toolClient) Introduce(ctx context.Context, endpoint string) ([]dialect.Tool, error) {
	c.mu.Lock()
	old := c.sessions[endpoint]
	c.mu.Unlock()
	if old != nil {
		c.drop(endpoint, old)
	}
	return c.Tools(ctx, endpoint)
}

// CallTool calls a tool of the MCP server at endpoint. If the server does not know the
// session any more, the call is retried once with a new session.
func (c *toolClient) CallTool(ctx context.Context, endpoint, name string, arguments json.RawMessage) (json.RawMessage,
	error) {
	for again := true; ; again = false {
		s, err := c.session(ctx, endpoint)
		if err != nil {
			return nil, err
		}
		result, err := s.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: arguments})
		if err == nil {
			return json.Marshal(result)
		}
		if answer := new(jsonrpc.Error); !errors.As(err, &answer) {
			c.drop(endpoint, s)
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

// session returns the open session with a server, or opens one.
func (c *toolClient) session(ctx context.Context, endpoint string) (*toolSession, error) {
	c.mu.Lock()
	s := c.sessions[endpoint]
	c.mu.Unlock()
	if s != nil {
		return s, nil
	}
	s, err := c.open(ctx, endpoint)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if other := c.sessions[endpoint]; other != nil {
		s.close()
		return other, nil
	}
	c.sessions[endpoint] = s
	return s, nil
}

// maxTools is how many tools a server may offer.
const maxTools = 1000

// list fetches the tools of a new session.
func (s *toolSession) list(ctx context.Context) error {
	for tool, err := range s.ClientSession.Tools(ctx, nil) {
		if err != nil {
			return err
		}
		if len(s.tools) == maxTools {
			return fmt.Errorf("it offers more than %d tools", maxTools)
		}
		schema, _ := json.Marshal(tool.InputSchema)
		s.tools = append(s.tools, dialect.Tool{Name: tool.Name, Schema: schema, Description: tool.Description})
	}
	return nil
}

// close ends the session and its goroutines.
func (s *toolSession) close() {
	_ = s.Close()
	s.end()
}

// drop removes and closes a failed session. It closes without the lock, so that calls to other peers do not wait.
func (c *toolClient) drop(endpoint string, s *toolSession) {
	c.mu.Lock()
	if c.sessions[endpoint] == s {
		delete(c.sessions, endpoint)
	}
	c.mu.Unlock()
	s.close()
}

// explained returns the error of an unreachable peer unchanged. It converts any other error of the SDK into a refusal:
// the peer is no MCP server or refused the call.
func explained(err error) error {
	var offline net.Error
	var refusal *protocol.Refusal
	if Permanent(err) != nil || errors.As(err, &offline) || errors.Is(err, context.Canceled) ||
		errors.Is(err, context.DeadlineExceeded) || errors.As(err, &refusal) {
		return err
	}
	return &protocol.Refusal{Code: protocol.MethodNotFound, Message: err.Error()}
}
