package mcpserver_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"agentleague/interop/foreign"
	"agentleague/interop/foreign/mcpserver"
)

func connect(t *testing.T, p *foreign.Player) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{
		Endpoint: p.Endpoint(), DisableStandaloneSSE: true,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

func TestPlaysWithClientsThatShakeHands(t *testing.T) {
	for _, reply := range []foreign.ReplyShape{foreign.ReplyContent, foreign.ReplyStructured} {
		persona := foreign.MCPKind()
		persona.Reply = reply
		p, err := mcpserver.NewPlayer(persona)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(p.Close)
		session := connect(t, p)
		match := map[string]any{"match_id": "R1M1", "auth_token": "tok_match"}
		for _, call := range [][2]string{
			{"handle_game_invitation", `"accept":true`}, {"choose_parity", `"parity_choice":"`},
			{"notify_match_result", `"status":"ok"`},
		} {
			got, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: call[0], Arguments: match})
			if err != nil {
				t.Fatal(err)
			}
			text := got.Content[0].(*mcp.TextContent).Text
			if reply == foreign.ReplyStructured {
				raw, _ := json.Marshal(got.StructuredContent)
				text = string(raw)
			}
			if got.IsError || !strings.Contains(text, call[1]) {
				t.Errorf("%s: got %s, want %s in it", call[0], text, call[1])
			}
		}
		if n := len(p.Guesses(foreign.Invitation, foreign.Choice, foreign.Result)); n != 0 || p.Completed() != 1 {
			t.Errorf("%d guesses, %d results; want 0, 1", n, p.Completed())
		}
	}
}

func TestStrictSchemasRefuseWhatTheyDoNotDeclare(t *testing.T) {
	persona := foreign.MCPKind()
	persona.StrictTop = true
	p, err := mcpserver.NewPlayer(persona)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	session := connect(t, p)
	for extra, want := range map[string]bool{"opponent_id": false, "fairness": true} {
		got, err := session.CallTool(t.Context(), &mcp.CallToolParams{
			Name: "handle_game_invitation", Arguments: map[string]any{"match_id": "R1M1", extra: "x"},
		})
		if refused := err != nil || got.IsError; refused != want {
			t.Errorf("%s: refused %v, want %v", extra, refused, want)
		}
	}
}

func TestPlainRequestsAreRefused(t *testing.T) {
	p, err := mcpserver.NewPlayer(foreign.MCPKind())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	resp, err := http.Post(p.Endpoint(), "application/json",
		strings.NewReader(`{"jsonrpc":"2.0","method":"handle_game_invitation","params":{"match_id":"R1M1"},"id":1}`))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if guesses := len(p.Guesses(foreign.Invitation)); resp.StatusCode < 400 || guesses != 1 {
		t.Errorf("status %d, %d guesses; want an error and 1", resp.StatusCode, guesses)
	}
}

func TestRandomServersAnswer(t *testing.T) {
	for seed := range uint64(200) {
		persona := foreign.Random(seed)
		if persona.Framing != foreign.FramingMCP {
			continue
		}
		persona.ListenLate = 0
		p, err := mcpserver.NewPlayer(persona)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(p.Close)
		session := connect(t, p)
		for _, kind := range []foreign.Kind{foreign.Invitation, foreign.Choice, foreign.Result} {
			got, err := session.CallTool(t.Context(), &mcp.CallToolParams{
				Name: persona.Names[kind], Arguments: map[string]any{"match_id": "R1M1"},
			})
			if err != nil || got.IsError {
				t.Errorf("seed %d: %s: %v %v", seed, kind, got, err)
			}
		}
	}
}
