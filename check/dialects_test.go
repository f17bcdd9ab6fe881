package check_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"agentleague/check"
	"agentleague/protocol"
)

// A foreigner is a third-party player. It supports three messages, checks nothing, and understands only its own
// dialect.
type foreigner struct {
	frame string
	mu    sync.Mutex
	chose map[string]string
}

// reply returns the player's minimal reply to a message, in its dialect.
func (p *foreigner) reply(typ string, m object) object {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch typ {
	case "GAME_INVITATION":
		if p.frame == "G" {
			return object{"accepted": true}
		}
		return object{"message_type": "GAME_JOIN_ACK", "match_id": m["match_id"], "player_id": "P01", "accept": true}
	case "CHOOSE_PARITY_CALL":
		match := fmt.Sprint(m["match_id"])
		if p.chose[match] == "" {
			p.chose[match] = []string{"even", "odd"}[len(p.chose)%2]
		}
		if p.frame == "G" {
			return object{"choice": p.chose[match]}
		}
		return object{
			"message_type": "CHOOSE_PARITY_RESPONSE", "match_id": m["match_id"], "player_id": "P01",
			"parity_choice": p.chose[match],
		}
	case "GAME_OVER":
		return object{"status": "ok"}
	}
	return nil
}

// named maps messages to methods or tools, for each kind of foreigner.
var named = map[string]map[string]string{
	"A": {
		"handle_game_invitation": "GAME_INVITATION", "choose_parity": "CHOOSE_PARITY_CALL",
		"notify_match_result": "GAME_OVER",
	},
	"A'": {
		"handle_game_invitation": "GAME_INVITATION", "parity_choose": "CHOOSE_PARITY_CALL",
		"notify_match_result": "GAME_OVER",
	},
	"B": {"GAME_INVITATION": "GAME_INVITATION", "CHOOSE_PARITY_CALL": "CHOOSE_PARITY_CALL", "GAME_OVER": "GAME_OVER"},
	"C": {
		"receive_game_invitation": "GAME_INVITATION", "choose_parity": "CHOOSE_PARITY_CALL", "receive_game_over": "GAME_OVER",
	},
	"G": {"game_invitation": "GAME_INVITATION", "choose_parity": "CHOOSE_PARITY_CALL", "game_over": "GAME_OVER"},
}

func (p *foreigner) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var request object
	if r.Method != http.MethodPost {
		http.NotFound(w, r)
		return
	}
	if decode(body, &request) != nil {
		http.Error(w, `{"detail":"JSON decode error"}`, http.StatusUnprocessableEntity)
		return
	}
	switch p.frame {
	case "E":
		data, ok := request["data"].(object)
		p.bare(w, request, ok, func(out object) object { return object{"status": "success", "data": out} }, data)
	case "F":
		p.bare(w, request, request["jsonrpc"] == nil, func(out object) object { return out }, request)
	default:
		p.call(w, request)
	}
}

// bare answers a message without JSON-RPC around it.
func (p *foreigner) bare(w http.ResponseWriter, request object, ok bool, wrap func(object) object, m object) {
	typ, _ := request["message_type"].(string)
	out := p.reply(typ, m)
	if !ok || out == nil {
		http.Error(w, `{"detail":"unknown message"}`, http.StatusUnprocessableEntity)
		return
	}
	if typ != "GAME_OVER" {
		out["message_type"] = map[string]string{
			"GAME_INVITATION": "GAME_JOIN_ACK", "CHOOSE_PARITY_CALL": "CHOOSE_PARITY_RESPONSE",
		}[typ]
	}
	_ = json.NewEncoder(w).Encode(wrap(out))
}

// call answers a JSON-RPC request.
func (p *foreigner) call(w http.ResponseWriter, request object) {
	method, _ := request["method"].(string)
	m, _ := request["params"].(object)
	typ := named[p.frame][method]
	switch {
	case p.frame == "C" && method == "tools/call":
		tool, _ := m["name"].(string)
		typ = named["C"][tool]
		m, _ = m["arguments"].(object)
	case p.frame == "C":
		typ = ""
	case p.frame == "D" && method == "handle_message":
		m, _ = m["message"].(object)
		typ, _ = m["message_type"].(string)
	}
	out := p.reply(typ, m)
	if out == nil {
		_ = json.NewEncoder(w).Encode(object{
			"jsonrpc": "2.0", "id": request["id"], "error": object{"code": -32601, "message": "Method not found"},
		})
		return
	}
	if p.frame == "C" {
		text, _ := json.Marshal(out)
		out = object{"content": []object{{"type": "text", "text": string(text)}}}
	}
	_ = json.NewEncoder(w).Encode(object{"jsonrpc": "2.0", "id": request["id"], "result": out})
}

// TestPlayersOfEveryMakePass checks a player of each known dialect as it is.
func TestPlayersOfEveryMakePass(t *testing.T) {
	t.Parallel()
	for _, frame := range []string{"A", "A'", "B", "C", "D", "E", "F", "G"} {
		t.Run(frame, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(&foreigner{frame: frame, chose: map[string]string{}})
			t.Cleanup(server.Close)
			url := server.URL + "/mcp"
			if frame == "E" {
				url = server.URL
			}
			r, err := check.Run(t.Context(), url, check.Options{Role: protocol.RolePlayer, Patience: 3 * time.Second})
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range r.Steps {
				if s.Status == protocol.Fail {
					t.Errorf("%s %s %s: %s\n  sent %s\n  got  %s", s.Status, s.ID, s.Name, s.Detail, s.Sent, s.Received)
				}
				if s.Status == protocol.Warn && (s.Clause == "" || s.Fix == "") {
					t.Errorf("%s does not say where it is written, and what to do", s.ID)
				}
			}
			if r.Warned == 0 || r.Passed < 12 {
				t.Errorf("%d passed, %d warned: %s", r.Passed, r.Warned, r.Verdict)
			}
			if want := fmt.Sprintf("CHOOSE_PARITY_CALL=%s",
				map[string]string{"A": "call:choose_parity", "A'": "call:parity_choose", "B": "type:CHOOSE_PARITY_CALL",
					"C": "tool:choose_parity", "D": "message:", "E": "data:", "F": "bare:",
					"G": "call:choose_parity"}[frame]); !strings.Contains(r.Dialect, want) {
				t.Errorf("dialect %q, want %s in it", r.Dialect, want)
			}
		})
	}
}
