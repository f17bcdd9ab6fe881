package rpc_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"agentleague/protocol"
	"agentleague/rpc"
)

func TestServerWithATelltaleToolNeedsNoInvitation(t *testing.T) {
	t.Parallel()
	s := newToolServer(map[string]string{"make_move": `{"parity_choice":"even"}`, "ping": "pong"})
	at := serveTools(t, mcp.NewStreamableHTTPHandler(s.of, nil))
	n := rpc.NewNode("referee:REF01", rpc.Options{})
	to := rpc.Peer{Endpoint: at.URL + "/mcp"}
	plays(t, n, to)
	for range 2 {
		if _, err := n.Call(t.Context(), to, message(protocol.TypeGameOver)); err == nil {
			t.Error("a GAME_OVER was taken for which there is no tool")
		}
	}
	if got := s.called(); len(got) != 1 || got[0] != `make_move {"matchId":"R1M1"}` {
		t.Errorf("called %q, want the move alone", got)
	}
	if got := n.Dialect(to); got != "? CHOOSE_PARITY_CALL=mcp GAME_INVITATION=mcp GAME_OVER=-" {
		t.Errorf("learned %q", got)
	}
}

func TestToolNamedByHandImpliesThatItsServerTakesPart(t *testing.T) {
	t.Parallel()
	s := newToolServer(map[string]string{"alpha": `{"choice":"odd"}`, "beta": "rain"})
	at := serveTools(t, mcp.NewStreamableHTTPHandler(s.of, nil))
	plays(t, rpc.NewNode("referee:REF01", rpc.Options{}),
		rpc.Peer{Endpoint: at.URL + "/mcp", Dialect: "M CHOOSE_PARITY_CALL=mcp:alpha"})
	if got := s.called(); len(got) != 1 || got[0] != `alpha {"matchId":"R1M1"}` {
		t.Errorf("called %q", got)
	}
}

// TestAfterTheHandshakeItIsMCP: no other form is offered to a server with tools for playing, and its answers are shown.
// Others may play with messages.
func TestAfterTheHandshakeItIsMCP(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		tools map[string]string
		want  string
		unfit bool
	}{
		{map[string]string{"choose_parity": "!I cannot decide"}, "the tool choose_parity said: I cannot decide", false},
		{map[string]string{"choose_parity": `{"mood":"grim"}`},
			`answered "grim", which holds neither even nor odd`, false},
		{map[string]string{"choose_parity": `{"ok":true}`},
			`the tool choose_parity answered "{\"ok\":true}", which is no CHOOSE_PARITY_RESPONSE`, false},
		{map[string]string{"get_weather": "rain", "convert": "x"}, "no tool for CHOOSE_PARITY_CALL; its tools: convert, get_weather", true},
	} {
		s := newToolServer(c.tools)
		var forms atomic.Int64
		inner := mcp.NewStreamableHTTPHandler(s.of, nil)
		at := serveTools(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, isMCP := peeked(r)
			if !isMCP && len(body) > 0 {
				forms.Add(1)
			}
			inner.ServeHTTP(w, r)
		}))
		n := rpc.NewNode("referee:REF01", rpc.Options{})
		_, err := n.Call(t.Context(), rpc.Peer{Endpoint: at.URL + "/mcp"}, message(protocol.TypeChooseParityCall))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: got %v, want %q", c.tools, err, c.want)
		}
		if forms.Load() != 1 && !c.unfit {
			t.Errorf("%v: %d forms that are not MCP's, want the first alone", c.tools, forms.Load())
		}
	}
}

// peeked reads a request and reports whether it is one of MCP. It can be read again.
func peeked(r *http.Request) (body string, isMCP bool) {
	raw, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(raw))
	for _, method := range []string{"initialize", "notifications/", "tools/", "server/discover"} {
		if bytes.Contains(raw, []byte(`"method":"`+method)) {
			return string(raw), true
		}
	}
	return string(raw), false
}

// pythonic answers as the servers of Python do that keep no sessions: all that is not MCP's is a request with wrong
// parameters.
func pythonic(s *toolServer) http.Handler {
	inner := mcp.NewStreamableHTTPHandler(s.of, &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, isMCP := peeked(r); isMCP {
			inner.ServeHTTP(w, r)
			return
		}
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid request parameters","data":""}}`)
	})
}

func TestServersWithoutSessionsOfPythonAreKnownByTheirWords(t *testing.T) {
	t.Parallel()
	s := newToolServer(joinsAndPlays)
	at := serveTools(t, pythonic(s))
	n := rpc.NewNode("referee:REF01", rpc.Options{})
	to := rpc.Peer{Endpoint: at.URL + "/mcp", Dialect: "A"}
	plays(t, n, to)
	if got := n.Dialect(to); got != "A CHOOSE_PARITY_CALL=mcp GAME_INVITATION=mcp" {
		t.Errorf("learned %q", got)
	}
}

func TestMeetingSaysWhatIsCalledForWhat(t *testing.T) {
	t.Parallel()
	odd := newToolServer(map[string]string{"join_match": "ok", "go": `{"choice":"odd"}`, "weather": "rain"})
	at := serveTools(t, mcp.NewStreamableHTTPHandler(odd.of, nil))
	ours := rpc.NewNode("player:P01", rpc.Options{})
	plain := serveTools(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) }))
	n := rpc.NewNode("league_manager", rpc.Options{})
	for _, c := range []struct {
		endpoint string
		named    map[string]string
		want     string
	}{
		{at.URL + "/mcp", nil, "it is not clear which tool takes CHOOSE_PARITY_CALL; its tools: go, join_match, weather"},
		{at.URL + "/mcp", map[string]string{"choose_parity": "go"},
			"M CHOOSE_PARITY_CALL=mcp:go GAME_INVITATION→join_match CHOOSE_PARITY_CALL→go"},
		{at.URL + "/mcp", map[string]string{"choose_parity": "run"}, "it has no tool run; its tools: go, join_match, weather"},
		{at.URL + "/mcp", map[string]string{"fly": "go"}, `"fly" is no message; use choose_parity, game_move, game_invitation or game_over`},
		{serveTools(t, ours).URL + "/mcp", nil, "none"},
		{plain.URL + "/mcp", nil, "none"},
		{plain.URL + "/mcp", map[string]string{"move": "go"}, "tools are named, and no MCP server answers at " + plain.URL + "/mcp"},
	} {
		met, err := n.Meet(t.Context(), c.endpoint, message(protocol.TypeChooseParityCall), c.named)
		got := "none"
		switch {
		case err != nil:
			got = err.Error()
		case met != nil:
			got = met.Dialect
			for _, call := range met.Calls {
				if call.Tool != "" {
					got += " " + string(call.Message) + "→" + call.Tool
				}
			}
		}
		if got != c.want {
			t.Errorf("%v:\ngot  %s\nwant %s", c.named, got, c.want)
		}
		if wants := strings.Contains(c.want, "its tools"); errors.Is(err, rpc.ErrNoTool) != wants {
			t.Errorf("%v: %v is about a tool: %v", c.named, err, !wants)
		}
	}
}
