package interop_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"agentleague/league"
	"agentleague/league/manager"
	"agentleague/protocol"
	"agentleague/protocol/conform"
	"agentleague/rpc"
)

// An object is a JSON object.
type object = map[string]any

// A wrongAgent is a player that breaks one rule, and otherwise follows the documents to the letter.
type wrongAgent struct {
	name     string
	register func(params object)              // changes its registration; nil: it is right
	answer   func(method string, body object) // changes an answer; nil: all are right
	status   int                              // HTTP status of its answers to choose_parity; 0: 200
	want     string                           // the broken rules, as "rule document section member"
	refused  string                           // the code with which its registration is refused; "": it is accepted
	loses    string                           // the code of its technical loss; "": it plays
}

// in changes the answers to one method.
func in(method string, change func(body, result object)) func(string, object) {
	return func(called string, body object) {
		if called == method {
			change(body, body["result"].(object))
		}
	}
}

// wrongAgents are one for each way to break a rule.
var wrongAgents = []wrongAgent{
	{name: "right"},
	{name: "registers without a version", register: func(p object) { delete(p["player_meta"].(object), "version") },
		want: "required-member assignment 4.2.1 player_meta.version", refused: "E003"},
	{name: "registers without games", register: func(p object) { delete(p["player_meta"].(object), "game_types") },
		want: "required-member assignment 4.2.1 player_meta.game_types", refused: "E003"},
	{name: "registers with one game as a text", register: func(p object) { p["player_meta"].(object)["game_types"] = "even_odd" },
		want: "member-type assignment 4.2.1 player_meta.game_types", refused: "E002"},
	{name: "registers in local time", register: func(p object) { p["timestamp"] = "2026-11-15T10:00:00+02:00" },
		want: "utc assignment 2.4.2 timestamp", refused: "E021"},
	{name: "registers under a name without a role", register: func(p object) { p["sender"] = "alpha" },
		want: "envelope-sender assignment 2.4.4 sender", refused: "E002"},
	{name: "registers outside of a conversation", register: func(p object) { delete(p, "conversation_id") },
		want: "envelope-conversation assignment 2.4.1 conversation_id", refused: "E003"},
	{name: "registers in another protocol", register: func(p object) { p["protocol"] = "league.v1" },
		want: "envelope-protocol assignment 2.4.1 protocol", refused: "E018"},
	{name: "joins without accept", answer: in("handle_game_invitation", func(_, r object) { delete(r, "accept") }),
		want: "required-member assignment 4.4.2 accept", loses: "E003"},
	{name: "joins with a word", answer: in("handle_game_invitation", func(_, r object) { r["accept"] = "yes" }),
		want: "member-type assignment 4.4.2 accept", loses: "E002"},
	{name: "joins without a token", answer: in("handle_game_invitation", func(_, r object) { delete(r, "auth_token") }),
		want: "auth-token assignment 2.4.5 auth_token", loses: "E011"},
	{name: "joins with a wrong token", answer: in("handle_game_invitation", func(_, r object) { r["auth_token"] = "tok_wrong" }),
		want: "auth-token assignment 2.4.5 auth_token", loses: "E012"},
	{name: "joins in local time", answer: in("handle_game_invitation", func(_, r object) { r["arrival_timestamp"] = "2026-11-15T10:00:00" }),
		want: "utc assignment 2.4.2 arrival_timestamp", loses: "E021"},
	{name: "joins as its opponent", answer: in("handle_game_invitation", func(_, r object) { r["sender"] = "player:P02" }),
		want: "envelope-sender assignment 2.4.4 sender", loses: "E002"},
	{name: "chooses with a capital", answer: in("choose_parity", func(_, r object) { r["parity_choice"] = "Even" }),
		want: "parity-choice assignment 4.5.2 parity_choice", loses: "E004"},
	{name: "chooses without its id", answer: in("choose_parity", func(_, r object) { delete(r, "player_id") }),
		want: "required-member assignment 4.5.2 player_id", loses: "E003"},
	{name: "chooses in another match", answer: in("choose_parity", func(_, r object) { r["match_id"] = "R9M9" }),
		want: "same-match API page Error Codes match_id", loses: "E006"},
	{name: "chooses for its opponent", answer: in("choose_parity", func(_, r object) { r["player_id"] = "P02" }),
		want: "same-player API page Error Codes player_id", loses: "E005"},
	{name: "chooses without JSON-RPC", answer: in("choose_parity", func(b, _ object) { delete(b, "jsonrpc") }),
		want: "json-rpc contracts document 1.1 jsonrpc", loses: "E002"},
	{name: "fails at its choice", status: http.StatusInternalServerError,
		answer: in("choose_parity", func(b, _ object) { clear(b) }), want: "stability assignment 6.3.3 ", loses: "E009"},
	{name: "chooses with a member of its own", answer: in("choose_parity", func(_, r object) { r["mood"] = "good" }),
		want: "unknown-member assignment 4.5.2 mood"},
	{name: "chooses in another conversation", answer: in("choose_parity", func(_, r object) { r["conversation_id"] = "mine" }),
		want: "same-conversation contracts document 4.2 conversation_id"},
	{name: "has no method for its result", answer: in("notify_match_result", func(b, _ object) {
		delete(b, "result")
		b["error"] = object{"code": -32601, "message": "Method not found"}
	}), want: "tools contracts document 4.3 "},
}

// In a league in grading mode each broken rule is reported with its document and section. It costs the match where the
// documents have an error for it that is not retried; nothing is reported of agents that break none, ours among them.
func TestEachWrongAgentIsReportedAndLosesWhereTheDocumentsSaySo(t *testing.T) {
	t.Parallel()
	for _, wrong := range wrongAgents {
		t.Run(wrong.name, func(t *testing.T) {
			t.Parallel()
			wrong.plays(t)
		})
	}
}

// plays registers the agent, and lets it play one match against ours.
func (a wrongAgent) plays(t *testing.T) {
	seen := &violations{}
	o := manager.Options{Options: rpc.Options{Strict: true, Observe: seen.observe}, StartPlayers: 2, StartReferees: 1}
	h := newTestLeague(t, o, 1)
	token := a.serve(t, h)
	if token != "" {
		h.seatOurs("Beta")
		h.await("the end of the league", completed)
	}
	h.close()
	if got, want := strings.Join(seen.rules(), "; "), a.want; got != want {
		t.Errorf("reported %q, want %q", got, want)
	}
	h.manager.Read(func(s *league.State) {
		for _, m := range s.Matches {
			if got := m.Outcome.Result.Forfeits["P01"]; got != a.loses || m.Outcome.Result.Forfeits["P02"] != "" {
				t.Errorf("the match ended with %+v, want the loss of P01 for %q", m.Outcome.Result, a.loses)
			}
		}
	})
}

// serve registers the agent and answers for it. It returns its token; "": it was refused as expected.
func (a wrongAgent) serve(t *testing.T, h *testLeague) (token string) {
	t.Helper()
	mine := object{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var call struct {
			ID     any
			Method string
			Params object
		}
		_ = json.Unmarshal(body, &call)
		answer := object{"jsonrpc": "2.0", "id": call.ID, "result": a.right(call.Method, call.Params, mine)}
		if a.answer != nil {
			a.answer(call.Method, answer)
		}
		if call.Method == "choose_parity" && a.status != 0 {
			w.WriteHeader(a.status)
		}
		_ = json.NewEncoder(w).Encode(answer)
	}))
	t.Cleanup(func() {
		h.close()
		server.Close()
	})
	params := object{}
	_ = json.Unmarshal([]byte(envelope("LEAGUE_REGISTER_REQUEST", "player:alpha", fmt.Sprintf(
		`"player_meta":{"display_name":"Alpha","version":"1.0.0","game_types":["even_odd"],"contact_endpoint":"%s/mcp"}`, server.URL))), &params)
	if a.register != nil {
		a.register(params)
	}
	text, _ := json.Marshal(params)
	said := h.post("register_player", string(text))
	var got struct {
		Result struct {
			PlayerID string `json:"player_id"`
			Token    string `json:"auth_token"`
		}
		Error struct {
			Code string `json:"error_code"`
		}
	}
	_ = json.Unmarshal([]byte(said), &got)
	if got.Error.Code != a.refused || (got.Result.Token == "") != (a.refused != "") {
		t.Fatalf("the registration was answered with %s, want the error %q", said, a.refused)
	}
	mine["player_id"], mine["auth_token"] = got.Result.PlayerID, got.Result.Token
	return got.Result.Token
}

// right returns the answer that the documents have for a call.
func (a wrongAgent) right(method string, params, mine object) object {
	types := map[string]string{
		"handle_game_invitation": "GAME_JOIN_ACK", "choose_parity": "CHOOSE_PARITY_RESPONSE", "notify_match_result": "GAME_OVER_ACK",
		"notify_round": "ROUND_ANNOUNCEMENT_ACK", "update_standings": "STANDINGS_UPDATE_ACK", "notify_game_error": "GAME_ERROR_ACK",
		"notify_round_completed": "ROUND_COMPLETED_ACK", "notify_league_completed": "LEAGUE_COMPLETED_ACK",
	}
	out := object{"protocol": "league.v2", "message_type": types[method], "timestamp": "2026-11-15T10:00:00Z", "sender": "player:P01",
		"player_id": "P01", "conversation_id": params["conversation_id"]}
	switch method {
	case "handle_game_invitation":
		out["auth_token"], out["match_id"] = mine["auth_token"], params["match_id"]
		out["arrival_timestamp"], out["accept"] = "2026-11-15T10:00:00Z", true
	case "choose_parity":
		out["auth_token"], out["match_id"], out["parity_choice"] = mine["auth_token"], params["match_id"], "even"
	default:
		out["status"] = "ACKNOWLEDGED"
		for _, name := range []string{"match_id", "round_id"} {
			if v, ok := params[name]; ok {
				out[name] = v
			}
		}
	}
	return out
}

// violations collects the broken rules that the nodes of a league observe.
type violations struct {
	mu    sync.Mutex
	found []conform.Violation
}

func (v *violations) observe(m rpc.Message) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.found = append(v.found, m.Violations...)
}

// rules lists the broken rules once each.
func (v *violations) rules() (out []string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, one := range v.found {
		out = append(out, fmt.Sprintf("%s %s %s %s", one.Rule, one.Document, one.Section, one.Member))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// A player that answers the question for even or odd with the general message for moves follows the documents.
func TestAMoveResponseIsRightInGradingMode(t *testing.T) {
	t.Parallel()
	wrongAgent{answer: in("choose_parity", func(_, r object) {
		r["message_type"], r["game_type"] = "GAME_MOVE_RESPONSE", "even_odd"
		r["move_data"] = object{"move_type": "choose_parity", "choice": "even"}
		delete(r, "parity_choice")
	})}.plays(t)
}

// A request with a token of nobody is counted as unverified.
func TestWhoseIsTheRequestThatBreaksARule(t *testing.T) {
	t.Parallel()
	var got []string
	var mu sync.Mutex
	o := manager.Options{Options: rpc.Options{Strict: true, Observe: func(m rpc.Message) {
		mu.Lock()
		defer mu.Unlock()
		for range m.Violations {
			got = append(got, fmt.Sprintf("%s %v", m.Agent, m.Verified))
		}
	}}, StartPlayers: 2, StartReferees: 1}
	h := newTestLeague(t, o, 0)
	token := wrongAgent{}.serve(t, h)
	for _, shown := range []string{token, "tok_other"} {
		h.post("league_query", envelope(string(protocol.TypeLeagueQuery), "player:P01", `"auth_token":"`+shown+`","query_type":7`))
	}
	h.close()
	if want := "[player:P01 true player:P01 false]"; fmt.Sprint(got) != want {
		t.Errorf("got %v, want %s", got, want)
	}
}
