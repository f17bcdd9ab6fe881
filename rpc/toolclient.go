package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"agentleague/dialect"
	"agentleague/protocol"
)

// A toolClient holds the sessions with peers that are real MCP servers.
type toolClient struct {
	transport   http.RoundTripper
	most        int64                             // bytes of an answer
	credentials func(endpoint string) Credentials // for the server at an endpoint; nil: none

	mu       sync.Mutex
	sessions map[string]*toolSession
}

// A toolSession is a session with one MCP server. It stays open until a call fails.
type toolSession struct {
	*mcp.ClientSession
	at    string // where the server answers, which may be below the agent's endpoint
	trip  *toolTrip
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

// Introduce opens a new session with the MCP server at endpoint, and lists its current tools. It also returns the
// address at which the server was found.
func (c *toolClient) Introduce(ctx context.Context, endpoint string) ([]dialect.Tool, string, error) {
	c.mu.Lock()
	old := c.sessions[endpoint]
	c.mu.Unlock()
	if old != nil {
		c.drop(endpoint, old)
	}
	s, err := c.session(ctx, endpoint)
	if err != nil {
		return nil, "", err
	}
	return s.tools, s.at, nil
}

// CallTool calls a tool of the MCP server at endpoint. If the session turns out to be lost, the error wraps
// [ErrSessionLost].
func (c *toolClient) CallTool(ctx context.Context, endpoint, name string, arguments json.RawMessage) (json.RawMessage,
	error) {
	s, err := c.session(ctx, endpoint)
	if err != nil {
		return nil, err
	}
	result, err := s.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: arguments})
	lost, answer := ctx.Err() == nil && s.lost(err), new(jsonrpc.Error)
	outdated := s.ID() == "" && (err != nil || result.IsError) // a restart does not show where there is no session
	if lost || outdated || err != nil && !errors.As(err, &answer) {
		c.drop(endpoint, s)
	}
	if err == nil {
		result.Meta = nil // it describes the server and is no part of the answer
		return json.Marshal(result)
	}
	switch status := s.trip.gone.Load(); {
	case lost && status != 0:
		return nil, fmt.Errorf("%w%w", &protocol.Refusal{
			HTTPStatus: int(status), Message: fmt.Sprintf("it does not know the session that it opened (HTTP status %d)", status),
		}, silent{ErrSessionLost})
	case lost:
		return nil, fmt.Errorf("%w%w", io.ErrUnexpectedEOF, silent{ErrSessionLost})
	case errors.Is(err, mcp.ErrConnectionClosed): // in the midst of a session
		return nil, err
	}
	return nil, explained(err)
}

// ErrSessionLost means that an MCP server has ended its session before it answered a call, for example because it was
// restarted. The call may be repeated once in a new session, for which the tools have to be listed again.
var ErrSessionLost = errors.New("the session is lost")

// lost reports whether a failed call means that the server has no such session any more: it refuses the session's id, or
// has closed the connection.
func (s *toolSession) lost(err error) bool {
	if err == nil || dialing(err) || Permanent(err) != nil || s.trip.large.Load() {
		return false
	}
	return errors.Is(err, mcp.ErrSessionMissing) || errors.Is(err, mcp.ErrConnectionClosed) || s.trip.cut.Load() ||
		strings.Contains(err.Error(), "without response") // the SDK has no error value for a stream that ends early
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

// MaxTools is the maximum number of tools that an MCP server may offer.
const MaxTools = 1000

// list fetches the tools of a new session.
func (s *toolSession) list(ctx context.Context) error {
	for tool, err := range s.ClientSession.Tools(ctx, nil) {
		if err != nil {
			return err
		}
		if len(s.tools) == MaxTools {
			return fmt.Errorf("it offers more than %d tools", MaxTools)
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

// explained converts an error of the MCP SDK into a refusal, since the peer is no MCP server or refused the call. It
// returns the error of an unreachable peer unchanged.
func explained(err error) error {
	var offline net.Error
	var refusal *protocol.Refusal
	if Permanent(err) != nil || errors.As(err, &offline) || errors.Is(err, context.Canceled) ||
		errors.Is(err, context.DeadlineExceeded) || errors.As(err, &refusal) {
		return err
	}
	return &protocol.Refusal{Code: protocol.MethodNotFound, Message: err.Error()}
}
