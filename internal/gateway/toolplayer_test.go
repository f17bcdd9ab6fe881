package gateway_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"agentleague/internal/gateway"
	"agentleague/rpc"
)

// An MCP server with one tool answers the question for a move. News, for which it has no tool, is acknowledged, so that the
// manager does not send it again.
func TestToolPlayerAcknowledgesNewsWithoutATool(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			ID     json.RawMessage
			Method string
		}
		if json.NewDecoder(r.Body).Decode(&q) != nil || q.ID == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		results := map[string]string{
			"initialize": `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}`,
			"tools/list": `{"tools":[{"name":"choose_parity","inputSchema":{"type":"object"}}]}`,
			"tools/call": `{"content":[{"type":"text","text":"even"}]}`,
		}
		w.Header().Set("Content-Type", "application/json")
		answer := `"result":` + results[q.Method]
		if results[q.Method] == "" {
			answer = `"error":{"code":-32601,"message":"Method not found"}`
		}
		_, _ = w.Write([]byte(`{"jsonrpc":"2.0","id":` + string(q.ID) + `,` + answer + `}`))
	}))
	t.Cleanup(server.Close)
	p := gateway.NewToolPlayer(rpc.Options{}, server.URL+"/mcp", "M")
	for name, c := range map[string]struct{ body, want string }{
		"a question": {`{"jsonrpc":"2.0","id":1,"method":"choose_parity","params":{"protocol":"league.v2","message_type":"CHOOSE_PARITY_CALL",` +
			`"sender":"referee:REF01","timestamp":"2026-01-01T00:00:00Z","conversation_id":"c","match_id":"R1M1","player_id":"P01","game_type":"even_odd"}}`, `"even"`},
		"news": {`{"jsonrpc":"2.0","id":2,"method":"notify_round","params":{"protocol":"league.v2","message_type":"ROUND_ANNOUNCEMENT",` +
			`"sender":"league_manager","timestamp":"2026-01-01T00:00:00Z","conversation_id":"c","league_id":"l","round_id":1,"matches":[]}}`, `"status":"ACKNOWLEDGED"`},
	} {
		for range 2 { // the second time it is known that there is no tool
			if a := p.Deliver(t.Context(), []byte(c.body)); !strings.Contains(string(a.Body), c.want) || strings.Contains(string(a.Body), `"error"`) {
				t.Errorf("%s: got %s, %q", name, a.Body, a.Error)
			}
		}
	}
}
