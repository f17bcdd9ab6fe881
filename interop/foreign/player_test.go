package foreign_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"agentleague/interop/foreign"
	"agentleague/rpc/rpctest"
)

// A fakeManager is a manager, and a referee for callbacks, that stores the requests it receives and returns a given
// answer.
type fakeManager struct {
	*httptest.Server
	mu     sync.Mutex
	answer string
	taken  []string // path and body
}

func newFakeManager(t *testing.T, answer string) *fakeManager {
	d := &fakeManager{answer: answer}
	d.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		d.mu.Lock()
		defer d.mu.Unlock()
		d.taken = append(d.taken, r.URL.Path+" "+string(body))
		_, _ = io.WriteString(w, d.answer)
	}))
	t.Cleanup(d.Close)
	return d
}

func (d *fakeManager) last() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.taken) == 0 {
		return ""
	}
	return d.taken[len(d.taken)-1]
}

// admissions are the manager's answers, in the frame that each framing looks into.
var admissions = map[foreign.Framing]string{
	"A":   `{"jsonrpc":"2.0","result":{"status":"ACCEPTED","player_id":"P07","auth_token":"tok"},"id":1}`,
	"A'":  `{"jsonrpc":"2.0","result":{"status":"ACCEPTED","player_id":"P07","auth_token":"tok"},"id":1}`,
	"B":   `{"jsonrpc":"2.0","result":{"status":"REGISTERED","player_id":"P07","auth_token":"tok"},"id":1}`,
	"C":   `{"jsonrpc":"2.0","result":{"content":[{"type":"text","text":"{\"status\":\"ACCEPTED\",\"player_id\":\"P07\",\"auth_token\":\"tok\"}"}]},"id":1}`,
	"D":   `{"jsonrpc":"2.0","result":{"status":"ACCEPTED","player_id":"P07","auth_token":"tok"},"id":1}`,
	"P":   `{"jsonrpc":"2.0","result":{"content":[{"type":"text","text":"{\"status\":\"ACCEPTED\",\"player_id\":\"P07\",\"auth_token\":\"tok\"}"}]},"id":1}`,
	"E":   `{"message_type":"LEAGUE_REGISTER_RESPONSE","data":{"status":"ACCEPTED","player_id":"P07","auth_token":"tok"}}`,
	"F":   `{"message_type":"LEAGUE_REGISTER_RESPONSE","status":"ACCEPTED","player_id":"P07","auth_token":"tok"}`,
	"G":   `{"status":"ACCEPTED","player_id":"P07","auth_token":"tok"}`,
	"MCP": `{"jsonrpc":"2.0","result":{"status":"ACCEPTED","player_id":"P07","auth_token":"tok"},"id":1}`,
}

// generous is an answer to a registration that has the grant wherever a persona of a framing may look for it.
func generous(f foreign.Framing) string {
	grant := func() map[string]any {
		return map[string]any{
			"status": "ACCEPTED", "player_id": "P07", "auth_token": "tok", "playerId": "P07", "authToken": "tok",
		}
	}
	all := grant()
	for _, place := range []string{"message", "data", "payload", "params", "request"} {
		all[place] = grant()
	}
	switch f {
	case "C", "P":
		text, _ := json.Marshal(all)
		all = map[string]any{"content": []map[string]any{{"type": "text", "text": string(text)}}}
	case "E", "F", "G", "REST":
		raw, _ := json.Marshal(all)
		return string(raw)
	}
	raw, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "result": all, "id": 1})
	return string(raw)
}

// requests are the forms of requests by framing; NAME, TYPE and REST are placeholders.
var requests = map[foreign.Framing]string{
	"A":  `{"jsonrpc":"2.0","method":"NAME","params":{"protocol":"league.v2","message_type":"TYPE","conversation_id":"conv-1","auth_token":"tok_match","round_id":1,REST},"id":7}`,
	"A'": `{"jsonrpc":"2.0","method":"NAME","params":{"protocol":"league.v2","message_type":"TYPE","conversation_id":"conv-1","auth_token":"tok_match","round_id":1,REST},"id":7}`,
	"B":  `{"jsonrpc":"2.0","method":"NAME","params":{"protocol":"league.v2","message_type":"TYPE","conversation_id":"conv-1","auth_token":"tok_match","round_id":1,REST},"id":7}`,
	"C":  `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"NAME","arguments":{"message_type":"TYPE","conversation_id":"conv-1","auth_token":"tok_match","round_id":1,REST}},"id":7}`,
	"D":  `{"jsonrpc":"2.0","id":7,"method":"handle_message","params":{"message":{"protocol":"league.v2","message_type":"NAME","conversation_id":"conv-1","auth_token":"tok_match","round_id":1,REST}}}`,
	"P":  `{"jsonrpc":"2.0","id":7,"method":"protocol/message","params":{"message":{"protocol":"league.v2","message_type":"NAME","conversation_id":"conv-1","auth_token":"tok_match","round_id":1,REST}}}`,
	"E":  `{"protocol":"league.v2","message_type":"NAME","sender":"referee:REF01","conversation_id":"conv-1","auth_token":"tok_match","data":{"round_id":1,REST}}`,
	"F":  `{"protocol":"league.v2","message_type":"NAME","sender":"referee:REF01","conversation_id":"conv-1","auth_token":"tok_match","round_id":1,REST}`,
	"G":  `{"jsonrpc":"2.0","method":"NAME","params":{"message_type":"TYPE","conversation_id":"conv-1","auth_token":"tok_match","round_id":1,REST},"id":7}`,
}

// atItsPath is the request to a player with a path for each message.
const atItsPath = `{"message_type":"TYPE","conversation_id":"conv-1","auth_token":"tok_match","round_id":1,REST}`

// demanded are the members that a model demands besides those of a match.
var demanded = map[foreign.Model]map[foreign.Kind]string{
	foreign.ModelNested: {
		foreign.Invitation: `,"game_invitation":{"opponent_id":"P02"}`,
		foreign.Choice:     `,"parity_context":{"opponent_id":"P02"}`,
	},
	foreign.ModelTerse: {
		foreign.Invitation: `,"opponent_id":"player:P02","role_in_match":"A"`,
		foreign.Result:     `,"player_a_choice":"even","player_b_choice":"odd","random_number":3,"calculation":"3","round_duration_ms":1`,
	},
}

// say sends a message of a kind to a player in its own dialect.
func say(t *testing.T, p *foreign.Player, kind foreign.Kind, rest string) (status int, body string) {
	t.Helper()
	if p.Model == foreign.ModelTerse {
		rest = strings.ReplaceAll(rest, "R1M1", "M-10001")
	}
	rest += demanded[p.Model][kind]
	where := p.Endpoint()
	if p.Serves != "" {
		where = strings.TrimSuffix(where, p.Path) + p.Serves
	}
	request := requests[p.Framing]
	if p.Framing == foreign.FramingREST {
		request = atItsPath
		name := p.Names[kind]
		if p.Spelling == foreign.SpellKebab {
			name = strings.ReplaceAll(name, "_", "-")
		}
		where = strings.TrimSuffix(where, "/") + "/" + name
	}
	request = strings.NewReplacer("NAME", p.Names[kind], "TYPE", string(kind), "REST", rest).Replace(request)
	return send(t, where, string(p.Dressed([]byte(request))))
}

func send(t *testing.T, url, body string) (int, string) {
	t.Helper()
	resp, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, string(raw)
}

func newPlayer(t *testing.T, persona foreign.Persona) *foreign.Player {
	t.Helper()
	p, err := foreign.NewPlayer(persona)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

func TestKindsAnswerTheirOwnDialect(t *testing.T) {
	t.Parallel()
	invite := `"match_id":"R1M1"`
	for _, c := range []struct{ name, registers, joins, chooses string }{
		{"A", `"method":"register_player"`, `"result":\{"accept":true`, `"result":\{.*"parity_choice":"(even|odd)"`},
		{"A'", `"method":"register_player"`, `"accept":true`, `"parity_choice":"(even|odd)"`},
		{"B", `"method":"LEAGUE_REGISTER_REQUEST"`, `"accept":true`, `"parity_choice":"(even|odd)"`},
		{"C", `"name":"register_player"`, `"content":\[\{"text":"\{\\"accept\\":true`,
			`"text":"\{.*\\"parity_choice\\":\\"(even|odd)`},
		{"D", `"params":\{"message":\{.*"player_meta"`, `"accept":true`, `"parity_choice":"(even|odd)"`},
		{"E", `^/register \{.*"data":\{"player_meta"`, `^\{"data":\{"accept":true.*"status":"success"\}$`,
			`"data":\{.*"parity_choice":"(even|odd)"`},
		{"F", `^/mcp \{"conversation_id".*"message_type":"LEAGUE_REGISTER_REQUEST"`, `^\{"accept":true`,
			`"parity_choice":"(even|odd)"`},
		{"G", `^/register \{"display_name":"G","endpoint":"http://localhost:[0-9]+/rpc","version":"1.0.0"\}$`,
			`"accepted":true`, `"result":\{"choice":"(even|odd)"\}`},
		{"request-shaped", `register_player`,
			`^\{"id":1001,"jsonrpc":"2.0","method":"GAME_JOIN_ACK","params":\{"accept":true`,
			`"method":"CHOOSE_PARITY_RESPONSE","params":\{.*"parity_choice"`},
		{"double-wrapped", `register_player`, `"result":\{"response":\{"accept":true`, `"response":\{.*"parity_choice"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newPlayer(t, named(t, c.name))
			manager := newFakeManager(t, admissions[p.Framing])
			if err := p.Register(t.Context(), manager.URL+"/mcp"); err != nil {
				t.Fatal(err)
			}
			_, joined := say(t, p, foreign.Invitation, invite)
			_, chosen := say(t, p, foreign.Choice, invite)
			status, _ := say(t, p, foreign.Result, invite)
			for _, got := range [][2]string{{manager.last(), c.registers}, {joined, c.joins}, {chosen, c.chooses}} {
				if !regexp.MustCompile(got[1]).MatchString(got[0]) {
					t.Errorf("got %s, want %s", got[0], got[1])
				}
			}
			if p.ID() != "P07" || status != 200 || p.Completed() != 1 ||
				len(p.Guesses(foreign.Invitation, foreign.Choice, foreign.Result)) != 0 {
				t.Errorf("id %s, status %d, completed %d, guesses %v", p.ID(), status, p.Completed(), p.Guesses(foreign.Invitation))
			}
		})
	}
}

func named(t *testing.T, name string) foreign.Persona {
	t.Helper()
	for _, p := range foreign.Kinds() {
		if p.Name == name {
			return p
		}
	}
	t.Fatalf("no kind %q", name)
	return foreign.Persona{}
}

func TestKindsRefuseTheDialectsOfOthers(t *testing.T) {
	t.Parallel()
	for _, persona := range foreign.Kinds() {
		t.Run(persona.Name, func(t *testing.T) {
			t.Parallel()
			p := newPlayer(t, persona)
			guesses := 0
			for framing, form := range requests {
				same := framing == p.Framing || strings.ContainsRune("AA'G", rune(framing[0])) &&
					strings.ContainsRune("AA'G", rune(p.Framing[0]))
				if same || p.Framing == "F" && framing == "E" {
					// a player with flat messages accepts these too, but does not find the match
					continue
				}
				body := strings.NewReplacer("NAME", typeOr(framing, "handle_game_invitation"), "TYPE", "GAME_INVITATION", "REST",
					`"match_id":"R1M1"`).Replace(form)
				status, answer := send(t, p.Endpoint(), body)
				guesses++
				if strings.Contains(answer, "accept") || status == 200 && p.Refuses != foreign.RefuseNod &&
					!strings.Contains(answer, "error") && !strings.Contains(answer, "unknown") {
					t.Errorf("takes framing %s: %d %s", framing, status, answer)
				}
			}
			if got := len(p.Guesses(foreign.Invitation)); got != guesses {
				t.Errorf("noted %d guesses, want %d", got, guesses)
			}
		})
	}
}

// typeOr is the name by which a framing calls an invitation.
func typeOr(f foreign.Framing, name string) string {
	if strings.Contains("BDEFP", string(f)) {
		return "GAME_INVITATION"
	}
	return name
}

func TestQuirks(t *testing.T) {
	t.Parallel()
	a := named(t, "A")
	t.Run("string ids are refused", func(t *testing.T) {
		p := a
		p.IDs = foreign.IDNumbers422
		if status, _ := send(t, newPlayer(t, p).Endpoint(),
			`{"jsonrpc":"2.0","method":"handle_game_invitation","params":{"match_id":"R1M1"},"id":"x"}`); status != 422 {
			t.Errorf("got %d, want 422", status)
		}
	})
	t.Run("extra members are refused", func(t *testing.T) {
		p := a
		p.StrictTop = true
		if status, _ := send(t, newPlayer(t, p).Endpoint(),
			`{"jsonrpc":"2.0","method":"handle_game_invitation","params":{"match_id":"R1M1"},"id":1,"more":1}`); status != 422 {
			t.Errorf("got %d, want 422", status)
		}
	})
	t.Run("busy until the result", func(t *testing.T) {
		p := newPlayer(t, a)
		say(t, p, foreign.Invitation, `"match_id":"R1M1"`)
		busy, _ := say(t, p, foreign.Invitation, `"match_id":"R2M1"`)
		say(t, p, foreign.Result, `"match_id":"R1M1"`)
		free, _ := say(t, p, foreign.Invitation, `"match_id":"R2M1"`)
		if busy != 409 || free != 200 {
			t.Errorf("got %d and %d, want 409 and 200", busy, free)
		}
	})
	t.Run("news of a manager without an id are refused", func(t *testing.T) {
		p := newPlayer(t, named(t, "long names"))
		for sender, want := range map[string]int{"league_manager": 400, "league_manager:LM01": 200} {
			if got, _ := say(t, p, foreign.Round, `"sender":"`+sender+`","matches":[]`); got != want {
				t.Errorf("%s: got %d, want %d", sender, got, want)
			}
		}
	})
	t.Run("an unknown method", func(t *testing.T) {
		for refusal, want := range map[foreign.Refusal]string{
			foreign.RefuseNotFound: `200 {"error":{"code":-32601,"message":"Method not found"},"id":1,"jsonrpc":"2.0"}`,
			foreign.RefuseWords:    `200 {"error":"Unknown method"}`,
			foreign.Refuse422:      `422 {"detail":[{"loc":["body"],"msg":"field required","type":"value_error.missing"}]}`,
			foreign.Refuse404:      `404 {"detail":"Not Found"}`,
			foreign.Refuse500:      `500 Internal Server Error`,
		} {
			p := a
			p.Refuses = refusal
			status, body := send(t, newPlayer(t, p).Endpoint(), `{"jsonrpc":"2.0","method":"nonsense","params":{},"id":1}`)
			if got := fmt.Sprint(status, " ", body); got != want {
				t.Errorf("%s: got %s, want %s", refusal, got, want)
			}
		}
	})
}

func TestCallbacksGoToTheAnnouncedReferee(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"callback", "callback by token"} {
		p := newPlayer(t, named(t, name))
		referee := newFakeManager(t, `{"jsonrpc":"2.0","result":{"status":"ACKNOWLEDGED"},"id":1}`)
		say(t, p, foreign.Round, `"matches":[{"match_id":"R1M1","referee_endpoint":"`+referee.URL+`/mcp"}]`)
		if _, body := say(t, p, foreign.Invitation, `"match_id":"R1M1"`); !strings.Contains(body, `"status":"joined"`) ||
			strings.Contains(body, "accept") {
			t.Errorf("%s: got %s", name, body)
		}
		rpctest.Eventually(t, "the callback", func() bool { return strings.Contains(referee.last(), `"message_type":"GAME_JOIN_ACK"`) })
		if got, proof := referee.last(), map[string]string{"callback": `"conversation_id":"conv-1"`, "callback by token": `"auth_token":"tok_match"`}[name]; !strings.Contains(got, proof) {
			t.Errorf("%s: got %s, want %s in it", name, got, proof)
		}
	}
}

func TestLateListenersRegisterFirst(t *testing.T) {
	t.Parallel()
	persona := named(t, "A")
	persona.ListenLate = 50 * time.Millisecond
	p := newPlayer(t, persona)
	if resp, err := http.Get(p.Endpoint()); err == nil {
		resp.Body.Close()
		t.Error("it listens before it has registered")
	}
	if err := p.Register(t.Context(), newFakeManager(t, admissions["A"]).URL+"/mcp"); err != nil {
		t.Fatal(err)
	}
	if status, _ := say(t, p, foreign.Invitation, `"match_id":"R1M1"`); status != 200 {
		t.Errorf("got %d, want 200", status)
	}
}
