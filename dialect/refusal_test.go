package dialect

import (
	"errors"
	"slices"
	"testing"

	"agentleague/dialect/notation"
	"agentleague/protocol"
)

func TestBlame(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
		want   Blame
	}{
		{200, `{"jsonrpc":"2.0","error":{"code":-32601,"message":"Method not found"},"id":1}`, BlameForm},
		{404, `{"jsonrpc":"2.0","error":{"code":-32601,"message":"no"},"id":1}`, BlameForm},
		{200, `{"error":"Unknown method"}`, BlameForm},
		{200, `{"status":"error","message":"Unknown method: choose_parity"}`, BlameForm},
		{200, `{"result":{"status":"error","message":"Unsupported message type"}}`, BlameForm},
		{500, `{"error":{"code":-32603,"message":"Tool not found: x"}}`, BlameForm},
		{200, `{"error":{"code":-32600,"message":"bad"}}`, BlameForm},
		{200, `{"error":{"code":-32700,"message":"bad"}}`, BlameForm},
		{
			404, ``, BlamePlace}, {404, `{"detail":"Not Found"}`, BlamePlace}, {405, `{"detail":"Method Not Allowed"}`,
			BlamePlace,
		},
		{404, `{"error":{"code":7,"message":"?"}}`, BlameForm},
		{422, `{"detail":[{"type":"missing","loc":["body","method"],"msg":"Field required"}]}`, BlameMembers},
		{400, ``, BlameMembers}, {400, `Bad Request`, BlameMembers},
		{200, `{"error":{"code":-32602,"message":"Invalid params"}}`, BlameMembers},
		{200, `{"error":{"code":1,"message":"MISSING_REQUIRED_FIELD"}}`, BlameMembers},
		{200, `{"error":{"code":1,"message":"INVALID_MESSAGE"}}`, BlameMembers},
		{406, ``, BlameSession}, {415, ``, BlameSession},
		{400, `Missing session ID`, BlameSession},
		{
			400, `{"jsonrpc":"2.0","error":{"code":-32022,"message":"Unsupported protocol version","data":{"supported":["2026-07-28"]}}}`,
			BlameSession,
		},
		{
			406, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"Not Acceptable: Client must accept text/event-stream"}}`,
			BlameSession,
		},
		{
			400, `{"jsonrpc":"2.0","error":{"code":-32602,"message":"Received request before initialization was complete"}}`,
			BlameSession,
		},
		{
			500, ``, BlameUnknown}, {500, `{"error":"KeyError"}`, BlameUnknown}, {401, ``, BlameUnknown}, {409,
			`{"error":"conflict"}`, BlameUnknown,
		},
		{
			504, ``, BlameUnknown}, {200, `{"error":{"code":-32603,"message":"Internal error"}}`, BlameUnknown}, {200,
			`{"status":"failed"}`, BlameUnknown,
		},
		{429, ``, BlameMoment}, {502, ``, BlameMoment}, {503, `overloaded`, BlameMoment},
		{503, `{"error":"Unknown method"}`, BlameForm},
		{200, `{"error":{"code":4001,"message":"AUTH_TOKEN_INVALID"}}`, BlameNothing},
		{401, `{"error":{"error_name":"AUTH_TOKEN_MISSING"}}`, BlameNothing},
		{200, `{"message_type":"GAME_ERROR","error_code":"E007","error_description":"OUT_OF_TURN"}`, BlameNothing},
		{200, `{"result":{"message_type":"LEAGUE_ERROR","error_name":"RATE_LIMITED"}}`, BlameNothing},
	} {
		_, _, err := Unframe(c.status, []byte(c.body), protocol.TypeGameJoinAck, protocol.Reading{})
		var r *protocol.Refusal
		if !errors.As(err, &r) {
			t.Errorf("%d %s: got %v, want a refusal", c.status, c.body, err)
			continue
		}
		if got := BlameOf(r); got != c.want {
			t.Errorf("%d %s: got blame %d, want %d", c.status, c.body, got, c.want)
		}
	}
}

func TestWhatARefusalBlames(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
		want   Blame
		frame  bool // it supports the frame
	}{
		{200, `{"status":"unknown_message_type"}`, BlameForm, true},
		{200, `{"jsonrpc":"2.0","result":{"status":"unknown_message_type"},"id":1}`, BlameForm, true},
		{200, `{"status":"success","data":{"status":"ignored","reason":"unsupported_message_type"}}`, BlameForm, true},
		{200, `{"status":"error","message":"Unknown message type"}`, BlameForm, true},
		{200, `{"jsonrpc":"2.0","error":{"code":-32602,"message":"Unknown tool: x"},"id":1}`, BlameForm, false},
		{404, `{"jsonrpc":"2.0","error":{"code":-32601,"message":"Method not found: x"},"id":1}`, BlameForm, false},
		{307, ``, BlamePlace, false},
		{404, `{"detail":"Not Found"}`, BlamePlace, false},
		{
			400,
			`{"jsonrpc":"2.0","error":{"code":-32602,"message":"Invalid params","data":{"details":"1 validation error"}},"id":1}`,
			BlameMembers, false,
		},
		{
			200, `{"jsonrpc":"2.0","result":{"error":"Rate limit exceeded","error_type":"RateLimitError"},"id":1}`, BlameNothing,
			false,
		},
	} {
		_, _, err := Unframe(c.status, []byte(c.body), protocol.TypeGameJoinAck, protocol.Reading{})
		var got *protocol.Refusal
		if !errors.As(err, &got) {
			got = &protocol.Refusal{HTTPStatus: c.status}
		}
		if BlameOf(got) != c.want || understandsFrame(got) != c.frame {
			t.Errorf("%d %s: got %v, %v; want %v, %v", c.status, c.body, BlameOf(got), understandsFrame(got), c.want, c.frame)
		}
	}
}

func TestAnswersUnderTypesOfTheirOwn(t *testing.T) {
	for _, body := range []string{
		`{"message_type":"PARITY_CHOICE","choice":"odd"}`,
		`{"jsonrpc":"2.0","result":{"message_type":"MY_MOVE","parity_choice":"odd"},"id":1}`,
		`{"jsonrpc":"2.0","result":{"type":"RESPONSE_PARITY_CHOOSE","choice":"odd"},"id":1}`,
	} {
		m, _, err := Unframe(200, []byte(body), protocol.TypeChooseParityResponse, protocol.Reading{})
		if got, ok := m.(*protocol.ChooseParityResponse); err != nil || !ok || string(got.ParityChoice) != `"odd"` {
			t.Errorf("%s: got %+v, %v", body, m, err)
		}
	}
	if m, _, err := Unframe(200, []byte(`{"message_type":"GAME_JOIN_ACK","choice":"odd"}`),
		protocol.TypeChooseParityResponse, protocol.Reading{}); m != nil || err != nil {
		t.Errorf("a join was taken for a choice: %+v, %v", m, err)
	}
}

// The address of a manager was written by a person.
func TestManagerIsSearchedAtOtherPaths(t *testing.T) {
	s := NewSearch(notation.Dialect{}, "http://localhost:9000/mcp", protocol.TypeLeagueRegisterRequest, nil)
	var paths []string
	for form, more := s.Next(); more; form, more = s.Next() {
		paths = append(paths, form.Path)
		s.Refused(form, &protocol.Refusal{HTTPStatus: 404, Message: `{"detail":"Not Found"}`})
	}
	if !slices.Equal(paths[:2], []string{"", "/"}) || !slices.Contains(paths, "/MCP") {
		t.Errorf("the forms are offered at %q, want / next, and /MCP before the end", paths)
	}
}
