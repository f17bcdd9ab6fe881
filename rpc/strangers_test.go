package rpc_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
)

// A stranger is a third-party agent: it answers requests in its own way.
type stranger func(path string, body []byte) (status int, answer string, err error)

// A street is a network with third-party agents at separate hosts. Other calls, and all delays, use the underlying
// network.
type street struct {
	rpc.Network
	lag time.Duration // of an answer; zero is none

	mu        sync.Mutex
	strangers map[string]stranger
	heard     map[string][]string // by host: the bodies that were posted, in order
}

func newStreet(below rpc.Network, lag time.Duration) *street {
	return &street{Network: below, lag: lag, strangers: map[string]stranger{}, heard: map[string][]string{}}
}

// move lets a stranger live at a host.
func (s *street) move(host string, who stranger) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.strangers[host] = who
}

func (s *street) bodies(host string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.heard[host])
}

func (s *street) Post(ctx context.Context, to, label string, body []byte) (int, []byte, error) {
	u, err := url.Parse(to)
	if err != nil {
		return 0, nil, err
	}
	s.mu.Lock()
	who := s.strangers[u.Host]
	if who != nil {
		s.heard[u.Host] = append(s.heard[u.Host], u.Path+" "+string(body))
	}
	s.mu.Unlock()
	if who == nil {
		return s.Network.Post(ctx, to, label, body)
	}
	if s.lag > 0 {
		if err := s.Sleep(ctx, "on the way "+label, s.lag); err != nil {
			return 0, nil, err
		}
	}
	status, answer, err := who(u.Path, body)
	return status, []byte(answer), err
}

func (s *street) Addresses(_ context.Context, endpoint string) []string {
	u, _ := url.Parse(endpoint)
	return []string{u.Hostname()}
}

// timeless is a network without agents and delays.
type timeless struct{ rpc.Network }

func (timeless) Sleep(ctx context.Context, _ string, _ time.Duration) error {
	return cmp.Or(ctx.Err(), context.DeadlineExceeded)
}
func (timeless) Random(b []byte) { clear(b) }

// A manner is the one way in which a stranger can be spoken to.
type manner struct{ frame, name string }

// understands reports whether a body is put in that manner. It is written
// apart from the framers, so that both are right.
func (m manner) understands(body []byte) bool {
	var f map[string]json.RawMessage
	if json.Unmarshal(body, &f) != nil {
		return false
	}
	params := under(f, "params")
	_, called := f["method"]
	_, data := f["data"]
	switch m.frame {
	case "call", "type":
		return word(f, "method") == m.name && params["message_type"] != nil
	case "tool":
		return word(f, "method") == "tools/call" && word(params, "name") == m.name && under(params, "arguments") != nil
	case "message", "protocol":
		return word(f, "method") == map[string]string{
			"message": "handle_message", "protocol": "protocol/message",
		}[m.frame] && word(under(params, "message"), "message_type") == m.name
	case "data":
		return !called && word(f, "message_type") == m.name && data
	}
	return !called && word(f, "message_type") == m.name && !data
}

func word(f map[string]json.RawMessage, name string) (s string) {
	_ = json.Unmarshal(f[name], &s)
	return s
}

func under(f map[string]json.RawMessage, name string) (inner map[string]json.RawMessage) {
	_ = json.Unmarshal(f[name], &inner)
	return inner
}

// replies frames an answer as agents of that manner do.
func (m manner) replies(message string) string {
	switch m.frame {
	case "tool":
		text, _ := json.Marshal(message)
		return `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":` + string(text) + `}]}}`
	case "data":
		return `{"status":"success","data":` + message + `}`
	case "bare":
		return message
	}
	return `{"jsonrpc":"2.0","id":1,"error":null,"result":` + message + `}`
}

// A refusing is a way of an agent to refuse unknown messages.
type refusing struct {
	status int
	body   string
}

func (r refusing) String() string { return fmt.Sprintf("%d %s", r.status, r.body) }

// refusals are the ways that have been met.
var refusals = []refusing{
	{200, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}`},
	{200, `{"error":"Unknown method"}`},
	{200, `{"status":"error","message":"Unknown method: x"}`},
	{200, `{"jsonrpc":"2.0","id":1,"result":{"status":"error","message":"Unknown method: x"}}`},
	{200, `{"jsonrpc":"2.0","id":1,"result":{"error":"Unknown method"}}`},
	{200, `{"status":"error","code":400,"message":"unsupported message"}`},
	{400, ``}, {400, `{"error":"Bad Request"}`}, {400, `{"detail":"Invalid JSON-RPC request"}`},
	{401, ``}, {401, `{"error":"Unauthorized"}`},
	{404, ``}, {404, `{"detail":"Not Found"}`}, {
		404, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}`,
	},
	{405, ``}, {405, `{"detail":"Method Not Allowed"}`},
	{406, ``}, {409, ``}, {409, `{"error":"conflict"}`},
	{422, ``}, {422, `{"detail":[{"type":"missing","loc":["body","message_type"],"msg":"Field required"}]}`},
	{500, ``}, {500, `Internal Server Error`}, {500, `{"error":"KeyError: 'message_type'"}`},
	{504, ``}, {504, `{"error":"timeout"}`},
}

// refuses returns an agent that understands one form and refuses every other.
func (m manner) refuses(r refusing, answer string) stranger {
	return func(_ string, body []byte) (int, string, error) {
		if m.understands(body) {
			return http.StatusOK, m.replies(answer), nil
		}
		return r.status, r.body, nil
	}
}

// spends reports whether a refusal makes us offer a form at another path, or
// to a session, before the next name.
func (r refusing) spends() bool {
	return (r.status == 404 || r.status == 405 || r.status == 406) && !r.coded()
}

// coded reports whether a refusal is in the words of JSON-RPC.
func (r refusing) coded() bool { return strings.Contains(r.body, "-32601") }

// names are the names of messages in known agents.
var names = map[protocol.Type]struct{ calls, types []string }{
	protocol.TypeGameInvitation: {
		[]string{"handle_game_invitation", "game_invitation", "receive_game_invitation"}, []string{"GAME_INVITATION"},
	},
	protocol.TypeChooseParityCall: {
		[]string{"choose_parity", "parity_choose", "receive_parity_call"}, []string{"CHOOSE_PARITY_CALL", "CHOOSE_PARITY"},
	},
	protocol.TypeGameOver: {
		[]string{"notify_match_result", "game_over", "notify_game_over", "receive_game_over"}, []string{"GAME_OVER"},
	},
	protocol.TypeRoundAnnouncement: {
		[]string{"notify_round", "announce_round", "round_announcement", "receive_round_announcement"},
		[]string{"ROUND_ANNOUNCEMENT"},
	},
	protocol.TypeLeagueStandingsUpdate: {
		[]string{"update_standings", "notify_standings", "league_standings_update", "standings_update"},
		[]string{"LEAGUE_STANDINGS_UPDATE"},
	},
	protocol.TypeMatchResultReport: {
		[]string{"report_match_result", "match_result_report"}, []string{"MATCH_RESULT_REPORT"},
	},
	protocol.TypeLeagueQuery: {
		[]string{"league_query", "query_league", "handle_league_query"}, []string{"LEAGUE_QUERY"},
	},
	protocol.TypeLeagueRegisterRequest: {
		[]string{"register_player", "league_register"}, []string{"LEAGUE_REGISTER_REQUEST"},
	},
}

// manners lists every framing of a message under every name.
func manners(t protocol.Type) (out []manner) {
	for _, frame := range []string{"call", "tool"} {
		for _, name := range names[t].calls {
			out = append(out, manner{frame, name})
		}
	}
	for _, frame := range []string{"type", "message", "data", "bare"} {
		for _, name := range names[t].types {
			out = append(out, manner{frame, name})
		}
	}
	return out
}

// said are short answers to the messages.
var said = map[protocol.Type]string{
	protocol.TypeGameInvitation:        `{"message_type":"GAME_JOIN_ACK","match_id":"R1M1","accept":true}`,
	protocol.TypeChooseParityCall:      `{"message_type":"CHOOSE_PARITY_RESPONSE","match_id":"R1M1","parity_choice":"even"}`,
	protocol.TypeMatchResultReport:     `{"message_type":"MATCH_RESULT_ACK","status":"ACCEPTED"}`,
	protocol.TypeLeagueQuery:           `{"message_type":"LEAGUE_QUERY_RESPONSE","success":true,"data":{}}`,
	protocol.TypeLeagueRegisterRequest: `{"message_type":"LEAGUE_REGISTER_RESPONSE","status":"ACCEPTED","player_id":"P01"}`,
}

// message returns a message of a type with an id of each kind.
func message(t protocol.Type) protocol.Message {
	s, _ := protocol.Lookup(t)
	m := s.New()
	h := m.Head()
	h.LeagueID, h.RoundID, h.MatchID, h.ConversationID = "league", 1, "R1M1", "conv-1"
	return m
}

var moving = regexp.MustCompile(`"id":\d+|"timestamp":"[^"]*"`)

// withoutID is a posted body but for the id and the time of the request.
func withoutID(body string) string { return moving.ReplaceAllString(body, "") }
