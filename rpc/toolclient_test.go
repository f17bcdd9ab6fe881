package rpc_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"agentleague/dialect"
	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/rpc/rpctest"
)

// A toolPlayer is a player that is a real MCP server, with its own tools and schemas.
type toolPlayer struct {
	*httptest.Server
	mu       sync.Mutex
	handler  http.Handler
	sessions int
	calls    []string
	fail     error // the error of pick_parity
	options  *mcp.StreamableHTTPOptions
}

type invited struct {
	MatchID  string `json:"match_id"`
	Opponent string `json:"opponent"`
	Round    string `json:"round_id"`
}

type joined struct {
	Accept bool `json:"accept"`
}

type asked struct {
	MatchID string `json:"match_id"`
	Mood    int    `json:"mood"`
}

func newToolPlayer(t *testing.T) *toolPlayer { return newToolPlayerWith(t, nil) }

func newToolPlayerWith(t *testing.T, o *mcp.StreamableHTTPOptions) *toolPlayer {
	p := &toolPlayer{options: o}
	p.forget()
	p.Server = serveTools(t, p)
	return p
}

// forget makes the server drop its sessions.
func (p *toolPlayer) forget() {
	s := mcp.NewServer(&mcp.Implementation{Name: "tool player", Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "accept_invite"},
		func(_ context.Context, r *mcp.CallToolRequest, in invited) (*mcp.CallToolResult, joined, error) {
			p.note(r)
			return nil, joined{true}, nil
		})
	mcp.AddTool(s, &mcp.Tool{Name: "notify_match_result"},
		func(_ context.Context, r *mcp.CallToolRequest, in asked) (*mcp.CallToolResult, any, error) {
			p.note(r)
			return nil, nil, nil
		})
	mcp.AddTool(s, &mcp.Tool{Name: "pick_parity"},
		func(_ context.Context, r *mcp.CallToolRequest, in asked) (*mcp.CallToolResult, any, error) {
			p.note(r)
			p.mu.Lock()
			defer p.mu.Unlock()
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: `{"parity_choice":"odd"}`}}}, nil, p.fail
		})
	p.mu.Lock()
	defer p.mu.Unlock()
	p.handler = mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, p.options)
}

func (p *toolPlayer) note(r *mcp.CallToolRequest) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls = append(p.calls, r.Params.Name+" "+string(r.Params.Arguments))
}

func (p *toolPlayer) seen() (sessions int, calls []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.sessions, append([]string(nil), p.calls...)
}

func (p *toolPlayer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	p.mu.Lock()
	if strings.Contains(string(body), `"method":"initialize"`) {
		p.sessions++
	}
	h := p.handler
	p.mu.Unlock()
	h.ServeHTTP(w, r)
}

func TestRealMCPServerIsSpokenToByItsTools(t *testing.T) {
	p := newToolPlayer(t)
	n := rpc.NewNode("referee:REF01", rpc.Options{})
	to := rpc.Peer{Endpoint: p.URL + "/mcp"}
	invitation := message(protocol.TypeGameInvitation).(*protocol.GameInvitation)
	invitation.OpponentID = "P02"
	ctx, cancel := context.WithTimeout(t.Context(), rpctest.Patience)
	reply, err := n.Call(ctx, to, invitation)
	cancel() // the session is not the call's
	if ack, ok := reply.(*protocol.GameJoinAck); err != nil || !ok || !ack.Accepts() {
		t.Fatalf("invitation: got %v, %v", reply, err)
	}
	reply, err = n.Call(t.Context(), to, message(protocol.TypeChooseParityCall))
	if choice, ok := reply.(*protocol.ChooseParityResponse); err != nil || !ok || string(choice.ParityChoice) != `"odd"` {
		t.Fatalf("choice: got %v, %v", reply, err)
	}
	sessions, calls := p.seen()
	want := []string{
		`accept_invite {"match_id":"R1M1","opponent":"P02","round_id":"1"}`, `pick_parity {"match_id":"R1M1","mood":0}`,
	}
	if sessions != 1 || strings.Join(calls, "\n") != strings.Join(want, "\n") {
		t.Errorf("%d sessions, %q; want one and %q", sessions, calls, want)
	}
	if got := n.Dialect(to); got != "? CHOOSE_PARITY_CALL=mcp GAME_INVITATION=mcp" {
		t.Errorf("learned %q", got)
	}
}

// A server without sessions never requires one. It is detected by its error for an unknown tool.
func TestServerWithoutSessionsIsFoundByItsToolsToo(t *testing.T) {
	for _, o := range []*mcp.StreamableHTTPOptions{{Stateless: true}, {Stateless: true, JSONResponse: true}} {
		p := newToolPlayerWith(t, o)
		n := rpc.NewNode("referee:REF01", rpc.Options{})
		for _, hint := range []string{"", "A", "C"} {
			to := rpc.Peer{Endpoint: p.URL + "/mcp", Dialect: hint}
			if _, err := n.Call(t.Context(), to, message(protocol.TypeGameInvitation)); err != nil {
				t.Errorf("%+v, hint %q: %v", o, hint, err)
			}
		}
		// nothing is known, and a tool of the usual name takes other members
		strict := rpc.NewNode("referee:REF02", rpc.Options{})
		if _, err := strict.Call(t.Context(), rpc.Peer{
			Endpoint: p.URL + "/mcp", Dialect: "C",
		}, message(protocol.TypeGameOver)); err != nil {
			t.Errorf("a strict tool: %v", err)
		}
	}
}

func TestServerThatForgotItsSessionGetsANewOne(t *testing.T) {
	p := newToolPlayer(t)
	n := rpc.NewNode("referee:REF01", rpc.Options{})
	to := rpc.Peer{Endpoint: p.URL, Dialect: "M"}
	for k := range 3 {
		if _, err := n.Call(t.Context(), to, message(protocol.TypeChooseParityCall)); err != nil {
			t.Fatalf("call %d: %v", k, err)
		}
		p.forget()
	}
	if sessions, calls := p.seen(); sessions != 3 || len(calls) != 3 {
		t.Errorf("%d sessions and %d calls, want three each", sessions, len(calls))
	}
}

func TestToolThatFailsIsCalledOnce(t *testing.T) {
	p := newToolPlayer(t)
	p.fail = errors.New("I cannot decide")
	n := rpc.NewNode("referee:REF01", rpc.Options{})
	to := rpc.Peer{Endpoint: p.URL, Dialect: "M CHOOSE_PARITY_CALL=mcp"}
	_, err := n.Call(t.Context(), to, message(protocol.TypeChooseParityCall))
	var refusal *protocol.Refusal
	if !errors.As(err, &refusal) || !strings.Contains(refusal.Message, "I cannot decide") {
		t.Errorf("got %v", err)
	}
	if sessions, calls := p.seen(); sessions != 1 || len(calls) != 1 {
		t.Errorf("%d sessions, calls %q; want one each", sessions, calls)
	}
}

func TestMCPServerWithoutATool(t *testing.T) {
	p := newToolPlayer(t)
	n := rpc.NewNode("league_manager", rpc.Options{})
	to := rpc.Peer{Endpoint: p.URL, Dialect: "M LEAGUE_COMPLETED=mcp"}
	_, err := n.Call(t.Context(), to, message(protocol.TypeLeagueCompleted))
	var refusal *protocol.Refusal
	if !errors.As(err, &refusal) || dialect.BlameOf(refusal) != dialect.BlameForm {
		t.Errorf("got %v, want that there is no tool", err)
	}
	network := rpc.NewHTTP(1 << 20)
	if _, err := network.CallTool(t.Context(), p.URL, "no_such_tool", json.RawMessage(`{}`)); !errors.As(err, &refusal) {
		t.Errorf("unknown tool: got %v, want a refusal", err)
	}
	if sessions, _ := p.seen(); sessions != 2 {
		t.Errorf("%d sessions, want one each", sessions)
	}
}

func TestNoMCPServerAtAll(t *testing.T) {
	plain := httptest.NewServer(http.NotFoundHandler())
	network := rpc.NewHTTP(1 << 20)
	var refusal *protocol.Refusal
	if _, err := network.Tools(t.Context(), plain.URL); !errors.As(err, &refusal) {
		t.Errorf("no MCP: got %v, want a refusal", err)
	}
	if _, err := network.CallTool(t.Context(), plain.URL, "x", nil); !errors.As(err, &refusal) {
		t.Errorf("no MCP: got %v, want a refusal", err)
	}
	plain.Close()
	n := rpc.NewNode("referee:REF01", rpc.Options{})
	if got := outcome(n.Call(t.Context(), rpc.Peer{Endpoint: plain.URL, Dialect: "M"},
		message(protocol.TypeGameInvitation))); got != "E009" {
		t.Errorf("nobody there: got %s, want E009", got)
	}
}

func TestNetworkWithoutTools(t *testing.T) {
	onStreet(t, 0, func(t *testing.T, s *street, n *rpc.Node) {
		_, err := n.Call(t.Context(), rpc.Peer{Endpoint: "http://peer:1/mcp", Dialect: "M GAME_OVER=mcp"},
			message(protocol.TypeGameOver))
		var refusal *protocol.Refusal
		if !errors.As(err, &refusal) || !strings.Contains(err.Error(), "reaches no MCP servers") {
			t.Errorf("got %v", err)
		}
	})
}

// TestRequestsOfAServerAreRefusedAtOnce has tools that send a request to their client, in the stream of the call and
// outside of it, from a server that answers the stream only with its first message.
func TestRequestsOfAServerAreRefusedAtOnce(t *testing.T) {
	t.Parallel()
	s := mcp.NewServer(&mcp.Implementation{Name: "asks", Version: "1"}, nil)
	ask := func(of func(ctx context.Context) context.Context) mcp.ToolHandler {
		return func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			_, err := r.Session.CreateMessage(of(ctx), &mcp.CreateMessageParams{MaxTokens: 1})
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: err.Error()}}}, nil
		}
	}
	schema := json.RawMessage(`{"type":"object"}`)
	s.AddTool(&mcp.Tool{Name: "within", InputSchema: schema}, ask(func(ctx context.Context) context.Context { return ctx }))
	s.AddTool(&mcp.Tool{Name: "outside", InputSchema: schema}, ask(func(context.Context) context.Context { return t.Context() }))
	inner := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil)
	at := serveTools(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			w = &lateHeader{ResponseWriter: w}
		}
		inner.ServeHTTP(w, r)
	}))
	network := rpc.NewHTTP(1 << 20)
	for _, name := range []string{"within", "outside"} {
		ctx, cancel := context.WithTimeout(t.Context(), rpctest.Patience)
		result, err := network.CallTool(ctx, at.URL, name, json.RawMessage(`{}`))
		cancel()
		if err != nil || !strings.Contains(string(result), "sampling is not supported") {
			t.Errorf("%s: got %s, %v", name, result, err)
		}
	}
}

// A lateHeader is a response whose header is sent with the first part of its body.
type lateHeader struct {
	http.ResponseWriter
	begun bool
}

func (l *lateHeader) Write(b []byte) (int, error) { l.begun = true; return l.ResponseWriter.Write(b) }

func (l *lateHeader) Flush() {
	if l.begun {
		l.ResponseWriter.(http.Flusher).Flush()
	}
}

// TestLostSessionIsReopenedOncePerCall has a server that refuses the ids of its sessions in the ways that servers do, closes
// the connection before an answer, or ends the stream of an answer early.
func TestLostSessionIsReopenedOncePerCall(t *testing.T) {
	t.Parallel()
	const problem = `{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"Session not found"}}`
	refuses := func(status int, body string) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
	}
	for name, c := range map[string]struct {
		fails func(http.ResponseWriter)
		times int
		want  string // "": an answer
	}{
		"404":                       {refuses(404, ""), 1, ""},
		"404 with a JSON-RPC error": {refuses(404, problem), 1, ""},
		"400 with a JSON-RPC error": {refuses(400, problem), 1, ""},
		"closed connection":         {func(http.ResponseWriter) { panic(http.ErrAbortHandler) }, 1, ""},
		"stream without response": {func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "text/event-stream")
			w.WriteHeader(200)
		}, 1, ""},
		"always 404": {refuses(404, problem), 1000, "it does not know the session that it opened (HTTP status 404)"},
		"500":        {refuses(500, "Internal Server Error"), 1, "Internal Server Error"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newToolServer(joinsAndPlays)
			inner := mcp.NewStreamableHTTPHandler(s.of, nil)
			var mu sync.Mutex
			left, sessions := 0, 0
			at := serveTools(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				r.Body = io.NopCloser(bytes.NewReader(body))
				mu.Lock()
				fails := left > 0 && strings.Contains(string(body), `"tools/call"`)
				if fails {
					left--
				}
				if strings.Contains(string(body), `"method":"initialize"`) {
					sessions++
				}
				mu.Unlock()
				if fails {
					c.fails(w)
					return
				}
				inner.ServeHTTP(w, r)
			}))
			n, to := rpc.NewNode("referee:REF01", rpc.Options{}), rpc.Peer{Endpoint: at.URL, Dialect: "M"}
			for round := range 2 {
				mu.Lock()
				left = c.times * round
				mu.Unlock()
				ctx, cancel := context.WithTimeout(t.Context(), rpctest.Patience)
				reply, err := n.Call(ctx, to, message(protocol.TypeChooseParityCall))
				cancel()
				switch {
				case round == 0 || c.want == "":
					if reply == nil || err != nil {
						t.Errorf("got %v, %v", reply, err)
					}
				case err == nil || !strings.Contains(err.Error(), c.want):
					t.Errorf("got %v, want %s", err, c.want)
				}
			}
			mu.Lock()
			defer mu.Unlock()
			want := 2
			if name == "500" {
				want = 1
			}
			if sessions != want {
				t.Errorf("%d sessions, want %d", sessions, want)
			}
		})
	}
}

// TestToolsAreListedAgainAfterARestart has a server whose tools have other names after it was edited, with and without
// sessions. Without them the restart does not show, and one call fails.
func TestToolsAreListedAgainAfterARestart(t *testing.T) {
	t.Parallel()
	for _, stateless := range []bool{false, true} {
		var mu sync.Mutex
		handler := func(answers map[string]string) http.Handler {
			return mcp.NewStreamableHTTPHandler(newToolServer(answers).of, &mcp.StreamableHTTPOptions{Stateless: stateless})
		}
		current := handler(map[string]string{"play": "even"})
		at := serveTools(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			h := current
			mu.Unlock()
			h.ServeHTTP(w, r)
		}))
		n, to := rpc.NewNode("referee:REF01", rpc.Options{}), rpc.Peer{Endpoint: at.URL, Dialect: "M"}
		call := func() error {
			ctx, cancel := context.WithTimeout(t.Context(), rpctest.Patience)
			defer cancel()
			_, err := n.Call(ctx, to, message(protocol.TypeChooseParityCall))
			return err
		}
		if err := call(); err != nil {
			t.Fatal(err)
		}
		mu.Lock()
		current = handler(map[string]string{"choose_parity": "odd"})
		mu.Unlock()
		first, second := call(), call()
		if (first != nil) != stateless || second != nil {
			t.Errorf("stateless %v: got %v, then %v", stateless, first, second)
		}
	}
}
