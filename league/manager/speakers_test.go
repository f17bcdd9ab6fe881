package manager_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"agentleague/dialect/notation"
	"agentleague/league/manager"
	"agentleague/rpc/rpctest"
)

// A speaker is a player that understands one framing, and one name for each message. It stays busy until it receives
// the result of its match.
type speaker struct {
	row     string
	find    func(body map[string]json.RawMessage) (name string) // "": not its framing
	reply   func(message string) string
	refuse  string
	status  int
	invite  string
	choose  string
	over    string
	busy    bool
	results int
}

func inner(f map[string]json.RawMessage, name string) (out map[string]json.RawMessage) {
	_ = json.Unmarshal(f[name], &out)
	return out
}

func text(f map[string]json.RawMessage, name string) (s string) {
	_ = json.Unmarshal(f[name], &s)
	return s
}

func result(m string) string { return `{"jsonrpc":"2.0","id":1,"result":` + m + `}` }

func bareType(f map[string]json.RawMessage) string {
	if f["method"] != nil || f["data"] != nil {
		return ""
	}
	return text(f, "message_type")
}

// speakers are one of each kind that has been met.
func speakers() []*speaker {
	method := func(f map[string]json.RawMessage) string { return text(f, "method") }
	return []*speaker{
		{row: "A", find: method, reply: result, status: 200, refuse: notFound, invite: "handle_game_invitation",
			choose: "choose_parity", over: "notify_match_result"},
		{row: "A'", find: method, reply: result, status: 200, refuse: `{"error":"Unknown method"}`,
			invite: "handle_game_invitation", choose: "parity_choose", over: "notify_match_result"},
		{row: "B", find: method, status: 404, refuse: notFound, invite: "GAME_INVITATION", choose: "CHOOSE_PARITY_CALL",
			over:  "GAME_OVER",
			reply: func(m string) string { return `{"jsonrpc":"2.0","method":"ANSWER","params":` + m + `,"id":1}` }},
		{row: "C", status: 200, refuse: notFound, invite: "receive_game_invitation", choose: "choose_parity",
			over: "receive_game_over",
			find: func(f map[string]json.RawMessage) string {
				if text(f, "method") != "tools/call" {
					return ""
				}
				return text(inner(f, "params"), "name")
			},
			reply: func(m string) string {
				quoted, _ := json.Marshal(m)
				return result(`{"content":[{"type":"text","text":` + string(quoted) + `}]}`)
			}},
		{row: "D", status: 200, refuse: `{"jsonrpc":"2.0","id":1,"result":{"status":"error","message":"Unknown method: x"}}`,
			invite: "GAME_INVITATION", choose: "CHOOSE_PARITY_CALL", over: "GAME_OVER",
			find: func(f map[string]json.RawMessage) string {
				if text(f, "method") != "handle_message" {
					return ""
				}
				return text(inner(inner(f, "params"), "message"), "message_type")
			},
			reply: func(m string) string { return result(`{"response":` + m + `}`) }},
		{row: "E", status: 422, refuse: `{"detail":[{"loc":["body","data"],"msg":"Field required"}]}`,
			invite: "GAME_INVITATION", choose: "CHOOSE_PARITY_CALL", over: "GAME_OVER",
			find: func(f map[string]json.RawMessage) string {
				if f["method"] != nil || inner(f, "data") == nil {
					return ""
				}
				return text(f, "message_type")
			},
			reply: func(m string) string { return `{"status":"success","data":` + m + `}` }},
		{row: "F", status: 400, refuse: ``, find: bareType, reply: func(m string) string {
			return m
		}, invite: "GAME_INVITATION", choose: "CHOOSE_PARITY_CALL", over: "GAME_OVER"},
	}
}

// answer plays by its own words.
func (s *speaker) answer(body []byte) (int, string) {
	var f map[string]json.RawMessage
	_ = json.Unmarshal(body, &f)
	switch s.find(f) {
	case s.invite:
		if s.busy {
			return 409, `{"error":"busy"}`
		}
		s.busy = true
		return 200, s.reply(`{"accept":true}`)
	case s.choose:
		return 200, s.reply(`{"message_type":"CHOOSE_PARITY_RESPONSE","parity_choice":"even"}`)
	case s.over:
		s.busy = false
		s.results++
		return 200, s.reply(`{"status":"ok"}`)
	}
	return s.status, s.refuse
}

// opening is a registration in a row.
func opening(row, url string) string {
	meta := fmt.Sprintf(`{"display_name":"Stranger","version":"1.0.0","game_types":["even_odd"],"contact_endpoint":%q}`,
		url)
	message := `{"protocol":"league.v2","message_type":"LEAGUE_REGISTER_REQUEST","sender":"player:P01","player_meta":` +
		meta + `}`
	switch row {
	case "B":
		return `{"jsonrpc":"2.0","method":"LEAGUE_REGISTER_REQUEST","params":` + message + `,"id":"x"}`
	case "C":
		return `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"register_player","arguments":{"player_meta":` +
			meta + `}},"id":1}`
	case "D":
		return `{"jsonrpc":"2.0","method":"handle_message","params":{"message":` + message + `},"id":1}`
	case "E":
		return `{"protocol":"league.v2","message_type":"LEAGUE_REGISTER_REQUEST","data":{"player_meta":` + meta + `}}`
	case "F":
		return message
	}
	return `{"jsonrpc":"2.0","method":"register_player","params":{"player_meta":` + meta + `},"id":1}`
}

// Every kind of foreign agent plays three whole matches against our agents, whether or not its registration shows its
// dialect, without a forfeit.
func TestStrangersPlayWholeLeagues(t *testing.T) {
	for _, registers := range []string{"its own", "A", "B", "F"} {
		for _, s := range speakers() {
			row := registers
			if row == "its own" {
				row = s.row
			}
			t.Run(s.row+" registers as "+row, func(t *testing.T) {
				inWorld(t, 1, rpctest.Faults{}, manager.Options{StartPlayers: 4, StartReferees: 2}, func(w *world) {
					w.foreign = map[string]*foreigner{}
					w.bootManager()
					p := w.settle("P01", 8101, nil)
					p.whole = s.answer
					if _, _, err := p.process.Post(p.process.Context(), managerURL, "register",
						[]byte(opening(row, p.url))); err != nil {
						t.Fatal(err)
					}
					for n := 2; n <= 4; n++ {
						w.bootPlayer(n)
					}
					w.bootReferee(1)
					w.bootReferee(2)
					if !w.finish(10 * time.Minute) {
						return
					}
					state := w.state()
					for _, row := range state.Standings() {
						if row.TechnicalLosses != 0 || row.Played != 3 {
							t.Errorf("%s played %d and forfeited %d, want 3 and none", row.PlayerID, row.Played, row.TechnicalLosses)
						}
					}
					if s.results != 3 || s.busy {
						t.Errorf("it heard %d results, want 3", s.results)
					}
					if got := notation.Name(state.Agents["P01"].Dialect); got != strings.TrimSuffix(row, "'") {
						t.Errorf("registered in row %q, want %q", got, row)
					}
				})
			})
		}
	}
}
