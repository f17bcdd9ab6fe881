package rpc_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"agentleague/protocol"
	"agentleague/rpc"
)

// A toolServer is an MCP server with tools of any names. Each returns a given answer, or fails with the text after "!".
type toolServer struct {
	*mcp.Server
	mu    sync.Mutex
	calls []string
}

func newToolServer(answers map[string]string) *toolServer {
	s := &toolServer{Server: mcp.NewServer(&mcp.Implementation{Name: "tools", Version: "1"}, nil)}
	for name, answer := range answers {
		said, fails := strings.CutPrefix(answer, "!")
		s.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(
			`{"type":"object","properties":{"matchId":{"type":"string"}},"required":["matchId"],"additionalProperties":false}`)},
			func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				s.mu.Lock()
				defer s.mu.Unlock()
				s.calls = append(s.calls, r.Params.Name+" "+string(r.Params.Arguments))
				return &mcp.CallToolResult{IsError: fails, Content: []mcp.Content{&mcp.TextContent{Text: said}}}, nil
			})
	}
	return s
}

func (s *toolServer) called() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

func (s *toolServer) of(*http.Request) *mcp.Server { return s.Server }

// joinsAndPlays are the tools of a player with descriptive names.
var joinsAndPlays = map[string]string{"joinMatch": `{"accept":true}`, "play": `{"choice":"odd"}`}

// serveTools starts a server whose sessions end with the test.
func serveTools(t *testing.T, h http.Handler) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return s
}

// plays has a server invited and asked for a choice.
func plays(t *testing.T, n *rpc.Node, to rpc.Peer) {
	t.Helper()
	for _, typ := range []protocol.Type{protocol.TypeGameInvitation, protocol.TypeChooseParityCall} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		reply, err := n.Call(ctx, to, message(typ))
		cancel()
		if reply == nil || err != nil {
			t.Fatalf("%s to %s: got %v, %v", typ, to.Endpoint, reply, err)
		}
	}
}

// TestMCPServersAreFoundWhereverTheyAre has servers behind every door that they have.
func TestMCPServersAreFoundWhereverTheyAre(t *testing.T) {
	t.Parallel()
	stateful := func(s *toolServer) http.Handler { return mcp.NewStreamableHTTPHandler(s.of, nil) }
	under := func(path string, h http.Handler) http.Handler {
		mux := http.NewServeMux()
		mux.Handle(path, h)
		return mux
	}
	for name, c := range map[string]struct {
		handler  func(s *toolServer) http.Handler
		endpoint string
	}{
		"at its endpoint":       {func(s *toolServer) http.Handler { return under("/mcp", stateful(s)) }, "/mcp"},
		"behind a redirect":     {func(s *toolServer) http.Handler { return under("/mcp/", stateful(s)) }, "/mcp"},
		"mounted at the top":    {func(s *toolServer) http.Handler { return under("/{$}", stateful(s)) }, "/mcp"},
		"below what was given":  {func(s *toolServer) http.Handler { return under("/mcp", stateful(s)) }, "/"},
		"at the top, said so":   {func(s *toolServer) http.Handler { return under("/{$}", stateful(s)) }, ""},
		"with the old stream":   {func(s *toolServer) http.Handler { return under("/sse", mcp.NewSSEHandler(s.of, nil)) }, "/sse"},
		"with it, not said so":  {func(s *toolServer) http.Handler { return under("/sse", mcp.NewSSEHandler(s.of, nil)) }, "/mcp"},
		"with it, at its place": {func(s *toolServer) http.Handler { return under("/bot", mcp.NewSSEHandler(s.of, nil)) }, "/bot"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newToolServer(joinsAndPlays)
			at := serveTools(t, c.handler(s))
			plays(t, rpc.NewNode("referee:REF01", rpc.Options{}), rpc.Peer{Endpoint: at.URL + c.endpoint, Dialect: "M"})
			if got, want := s.called(), []string{`joinMatch {"matchId":"R1M1"}`, `play {"matchId":"R1M1"}`}; !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

func TestTokenIsShownToItsServerAlone(t *testing.T) {
	t.Parallel()
	s := newToolServer(joinsAndPlays)
	inner := mcp.NewStreamableHTTPHandler(s.of, nil)
	at := serveTools(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer secret-token" {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		inner.ServeHTTP(w, r)
	}))
	var shown sync.Map
	other := serveTools(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		shown.Store(r.Header.Get("Authorization"), true)
		http.NotFound(w, r)
	}))
	token := "secret-token"
	n := rpc.NewNode("referee:REF01", rpc.Options{Credentials: func(endpoint string) (c rpc.Credentials) {
		if endpoint == at.URL+"/mcp" && token != "" {
			_ = c.AddBearer(token)
		}
		return c
	}})
	plays(t, n, rpc.Peer{Endpoint: at.URL + "/mcp", Dialect: "M"})
	if _, err := n.Call(t.Context(), rpc.Peer{Endpoint: other.URL + "/mcp", Dialect: "M"},
		message(protocol.TypeGameOver)); err == nil {
		t.Error("somebody else took a GAME_OVER")
	}
	shown.Range(func(k, _ any) bool {
		if k != "" {
			t.Errorf("another server was shown %q", k)
		}
		return true
	})
	for want, given := range map[string]string{"it does not accept the credentials": "wrong", "it asks for credentials": ""} {
		token = given
		_, err := n.Meet(t.Context(), at.URL+"/mcp", message(protocol.TypeChooseParityCall), nil)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "wrong") {
			t.Errorf("token %q: got %v, want %q", given, err, want)
		}
	}
}

// TestStreamMayNotLeadElsewhere has a server of the old transport name another one as the place to post to.
func TestStreamMayNotLeadElsewhere(t *testing.T) {
	t.Parallel()
	var posts sync.Map
	victim := serveTools(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { posts.Store(r.URL.Path, true) }))
	evil := serveTools(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "event: endpoint\ndata: "+victim.URL+"/steal\n\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	network := rpc.NewHTTP(1 << 20)
	if _, err := network.Tools(t.Context(), evil.URL+"/sse"); err == nil {
		t.Error("it was followed")
	}
	posts.Range(func(k, _ any) bool { t.Errorf("posted to %v of another server", k); return true })
}
