package interop_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

const (
	plainGrant   = `{"status":"ACCEPTED","player_id":"P07","auth_token":"tok"}`
	resultGrant  = `{"jsonrpc":"2.0","result":` + plainGrant + `,"id":1}`
	contentGrant = `{"jsonrpc":"2.0","result":{"content":[{"type":"text","text":"{\"status\":\"ACCEPTED\",\"player_id\":\"P07\",\"auth_token\":\"tok\"}"}]},"id":1}`
)

// TestProgramsAnswerTheirOwnDialect calls each program in its own dialect.
func TestProgramsAnswerTheirOwnDialect(t *testing.T) {
	t.Parallel()
	const call = `{"jsonrpc":"2.0","method":"NAME","params":{"message_type":"TYPE","match_id":"R1M1","matches":[{"match_id":"R1M1","referee_endpoint":"REFEREE"}]},"id":7}`
	dialects := map[string]struct{ grant, call, round, invite, choose, joins, chooses string }{
		"A'": {
			resultGrant, call, "notify_round", "handle_game_invitation", "parity_choose", `"result": \{.*"accept": true`,
			`"parity_choice": "(even|odd)"`,
		},
		"callback": {
			resultGrant, call, "notify_round", "handle_game_invitation", "choose_parity", `"status": "joined"`,
			`"status": "joined"`,
		},
		"B": {
			resultGrant, call, "ROUND_ANNOUNCEMENT", "GAME_INVITATION", "CHOOSE_PARITY_CALL", `"status": "ACCEPTED"`,
			`"parity_choice": "(even|odd)"`,
		},
		"E": {
			plainGrant, `{"message_type":"NAME","data":{"match_id":"R1M1"}}`, "ROUND_ANNOUNCEMENT", "GAME_INVITATION",
			"CHOOSE_PARITY_CALL", `"data": \{.*"accept": true`, `"data": \{.*"parity_choice"`,
		},
		"F": {
			plainGrant, `{"message_type":"NAME","match_id":"R1M1"}`, "ROUND_ANNOUNCEMENT", "GAME_INVITATION",
			"CHOOSE_PARITY_CALL", `"accept": true`, `^\{"choice": "(even|odd)"\}$`,
		},
		"C": {
			contentGrant,
			`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"NAME","arguments":{"match_id":"R1M1"}},"id":7}`,
			"receive_round_announcement", "receive_game_invitation", "choose_parity", `"text":"\{.*\\"accept\\":true`,
			`\\"parity_choice\\":`,
		},
		"D": {
			resultGrant,
			`{"jsonrpc":"2.0","method":"handle_message","params":{"message":{"message_type":"NAME","match_id":"R1M1"}},"id":7}`,
			"ROUND_ANNOUNCEMENT", "GAME_INVITATION", "CHOOSE_PARITY_CALL", `"accepted":true`, `"move_data":\{"choice"`,
		},
		"double": {
			resultGrant, call, "notify_round", "handle_game_invitation", "choose_parity",
			`"result":\{"response":\{.*"accept":true`, `"response":\{.*"parity_choice"`,
		},
		"request": {
			resultGrant, call, "notify_round", "handle_game_invitation", "choose_parity",
			`"method":"GAME_JOIN_ACK","params":\{`, `"method":"CHOOSE_PARITY_RESPONSE"`,
		},
	}
	together(t, installed(t), 4, program.name, func(t *testing.T, p program) {
		d := dialects[p.kind]
		endpoint, back := make(chan string, 1), make(chan string, 4)
		manager := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			if at := regexp.MustCompile(`"contact_endpoint": ?"([^"]+)"`).FindSubmatch(body); at != nil {
				endpoint <- string(at[1])
			} else {
				back <- string(body)
			}
			_, _ = io.WriteString(w, d.grant)
		}))
		t.Cleanup(manager.Close)
		if id, err := p.start(t, manager.URL+"/mcp"); err != nil || id != "P07" {
			t.Fatalf("id %s, %v", id, err)
		}
		at := <-endpoint
		ask := func(name string) string {
			return tell(t, at, strings.NewReplacer("NAME", name, "REFEREE", manager.URL+"/mcp").Replace(d.call))
		}
		ask(d.round)
		if got := ask(d.invite); !regexp.MustCompile(d.joins).MatchString(got) {
			t.Errorf("%s: got %s, want %s", d.invite, got, d.joins)
		}
		if got := ask(d.choose); !regexp.MustCompile(d.chooses).MatchString(got) {
			t.Errorf("%s: got %s, want %s", d.choose, got, d.chooses)
		}
		if got := ask("nonsense"); strings.Contains(got, "result") {
			t.Errorf("nonsense: got %s, want a refusal", got)
		}
		if p.kind == "callback" {
			both := <-back + <-back // in any order
			if !strings.Contains(both, `"method": "GAME_JOIN_ACK"`) ||
				!strings.Contains(both, `"method": "CHOOSE_PARITY_RESPONSE"`) {
				t.Errorf("called back with %s", both)
			}
		}
	})
}

// tell posts a body and returns the body of the answer.
func tell(t *testing.T, url, body string) string {
	t.Helper()
	resp, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, _ := io.ReadAll(resp.Body)
	return string(raw)
}
