package rpc_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"agentleague/dialect/notation"
	"agentleague/protocol"
	"agentleague/rpc"
)

// A pathAgent is an agent that answers at one path, and takes down which names it was called.
type pathAgent struct {
	*httptest.Server
	mu    sync.Mutex
	calls []string
}

func newPathAgent(t *testing.T, path string, answer func(method, messageType string) string) *pathAgent {
	s := &pathAgent{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var req struct {
			Method string
			Type   string `json:"message_type"`
			Params struct {
				Message struct {
					Type string `json:"message_type"`
				}
			}
		}
		body, _ := io.ReadAll(r.Body)
		_ = json.Unmarshal(body, &req)
		if r.URL.Path != path {
			if strings.TrimRight(r.URL.Path, "/") == path {
				http.Redirect(w, r, path, http.StatusTemporaryRedirect)
			} else {
				http.NotFound(w, r)
			}
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.calls = append(s.calls, req.Method+req.Type)
		_, _ = io.WriteString(w, answer(req.Method, req.Type+req.Params.Message.Type))
	}))
	t.Cleanup(s.Close)
	return s
}

const joinsIt = `{"jsonrpc":"2.0","result":{"message_type":"GAME_JOIN_ACK","accept":true},"id":1}`

func learned(t *testing.T, s *pathAgent, at, row string) notation.Form {
	t.Helper()
	n := rpc.NewNode("referee:REF01", rpc.Options{})
	to := rpc.Peer{Endpoint: s.URL + at, Dialect: row, Token: "tok"}
	reply, err := n.Call(t.Context(), to, invitation())
	if ack, ok := reply.(*protocol.GameJoinAck); err != nil || !ok || !ack.Accepts() {
		t.Fatalf("got %+v, %v after %v", reply, err, s.calls)
	}
	d, err := notation.Parse(n.Dialect(to))
	if err != nil {
		t.Fatal(err)
	}
	return d.Forms[protocol.TypeGameInvitation]
}

func TestNodAtEverythingIsNoJoin(t *testing.T) {
	s := newPathAgent(t, "/mcp", func(method, _ string) string {
		if method == "game_invitation" {
			return joinsIt
		}
		return `{"jsonrpc":"2.0","result":{"status":"ok"},"id":7}`
	})
	if got := learned(t, s, "/mcp", "A"); got.Name != "game_invitation" {
		t.Errorf("got %v, want the name that it knows", got)
	}
}

func TestNodOfWhoHasNoOtherWordIsAJoin(t *testing.T) {
	s := newPathAgent(t, "/mcp", func(string, string) string {
		return `{"jsonrpc":"2.0","result":{"status":"ok"},"id":7}`
	})
	if got := learned(t, s, "/mcp", "A"); got.Name != "handle_game_invitation" {
		t.Errorf("got %v, want the first that it nodded at", got)
	}
}

func TestAgentIsFoundWhereItListens(t *testing.T) {
	for _, c := range []struct{ registered, listens, want string }{
		{"", "/mcp", "/mcp"}, {"", "/MCP", "/MCP"}, {"/", "/MCP", "/MCP"}, {"/mcp/", "/mcp", "/mcp"}, {"/mcp", "/", "/"},
		{"/rpc", "/mcp", "/mcp"},
	} {
		s := newPathAgent(t, c.listens, func(string, string) string { return joinsIt })
		if got := learned(t, s, c.registered, "A"); got.Path != c.want {
			t.Errorf("registered at %q, listens at %s: got %v", c.registered, c.listens, got)
		}
	}
}

func TestTypeThatIsUnknownLeavesTheFrame(t *testing.T) {
	s := newPathAgent(t, "/mcp", func(method, messageType string) string {
		switch {
		case method != "protocol/message":
			return `{"jsonrpc":"2.0","error":{"code":-32601,"message":"Method not found"},"id":1}`
		case messageType == "GAME_INVITE":
			return `{"jsonrpc":"2.0","result":{"success":true,"accepted":true},"id":1}`
		}
		return `{"jsonrpc":"2.0","error":{"code":-32000,"message":"Unknown message type: ` + messageType + `"},"id":1}`
	})
	if got := learned(t, s, "/mcp", "C"); got.String() != "protocol:GAME_INVITE" {
		t.Errorf("got %v after %v", got, s.calls)
	}
}
