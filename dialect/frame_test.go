package dialect

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"agentleague/dialect/notation"
	"agentleague/protocol"
)

func TestFrameIsAJSONRPCRequest(t *testing.T) {
	ping := &protocol.Tool{Envelope: protocol.Envelope{
		Protocol: protocol.Version, MessageType: protocol.TypePing, Sender: protocol.Manager,
		Timestamp: "2025-01-15T10:00:00Z", ConversationID: "conv-1",
	}}
	for _, row := range []string{"", protocol.Canonical} {
		body, err := Frame(row, notation.Form{}, ping, 7)
		if err != nil {
			t.Fatal(err)
		}
		want := `{"jsonrpc":"2.0","method":"ping","params":{"protocol":"league.v2","message_type":"PING","sender":"league_manager",` +
			`"timestamp":"2025-01-15T10:00:00Z","conversation_id":"conv-1"},"id":7}`
		if string(body) != want {
			t.Errorf("got %s, want %s", body, want)
		}
	}
}

func TestOnlyRequestsInKnownDialectsAreFramed(t *testing.T) {
	for name, frame := range map[string]func() ([]byte, error){
		"reply": func() ([]byte, error) {
			return Frame("", notation.Form{}, &protocol.Pong{Envelope: protocol.Envelope{MessageType: protocol.TypePong}}, 1)
		},
		"unknown": func() ([]byte, error) {
			return Frame("", notation.Form{}, &protocol.Tool{Envelope: protocol.Envelope{MessageType: "WAVE"}}, 1)
		},
		"dialect": func() ([]byte, error) {
			return Frame("", notation.Form{Frame: "klingon"}, &protocol.Tool{
				Envelope: protocol.Envelope{MessageType: protocol.TypePing},
			}, 1)
		},
		"broken": func() ([]byte, error) {
			return Frame("", notation.Form{}, &protocol.LeagueQueryResponse{Data: json.RawMessage("{")}, 1)
		},
	} {
		if body, err := frame(); err == nil {
			t.Errorf("%s: got %s, want an error", name, body)
		}
	}
}

func TestAnswerIsFoundWhereverItIs(t *testing.T) {
	for _, body := range []string{
		`{"jsonrpc":"2.0","result":{"message_type":"GAME_JOIN_ACK","accept":false},"id":1}`,
		`{"jsonrpc":"2.0","result":{"accept":false},"error":null,"id":1}`,
		`{"jsonrpc":"2.0","result":{"accepted":false},"id":"x"}`,
		`{"jsonrpc":"2.0","result":{"status":"DECLINED"},"id":9}`,
		`{"message_type":"GAME_JOIN_ACK","accept":false}`,
		`{"accept":false}`,
	} {
		m, _, err := Unframe(200, []byte(body), protocol.TypeGameJoinAck, protocol.Reading{Strict: true, Now: arrival})
		if ack, ok := m.(*protocol.GameJoinAck); err != nil || !ok || ack.Accepts() {
			t.Errorf("%s: got %v, %v; want a GAME_JOIN_ACK that declines", body, m, err)
		}
	}
}

func TestAnswerWithoutTheMessageIsNone(t *testing.T) {
	for _, body := range []string{
		``, `OK`, `null`, `[]`, `{}`, `{"jsonrpc":"2.0","result":null,"id":1}`,
		`{"jsonrpc":"2.0","result":{"status":"puzzled"},"id":1}`,
		`{"jsonrpc":"2.0","result":"joined","id":1}`,
		`{"jsonrpc":"2.0","result":{"message_type":"PONG","accept":true},"id":1}`,
		`{"jsonrpc":"2.0","result":{"accept":"certainly"},"id":1}`,
	} {
		m, _, err := Unframe(200, []byte(body), protocol.TypeGameJoinAck, protocol.Reading{})
		if ack, ok := m.(*protocol.GameJoinAck); err != nil || ok && ack.Accept != nil {
			t.Errorf("%s: got %v, %v; want no answer and no error", body, m, err)
		}
	}
}

func TestErrorAnswersAreRefusals(t *testing.T) {
	league := encoded(t, exampleOf(t, protocol.TypeLeagueError))
	for _, c := range []struct {
		status int
		body   string
		want   protocol.Refusal
	}{
		{200, `{"error":{"code":3001,"message":"AUTH_TOKEN_INVALID","data":{"context":{"detail":"no such token"}}},"id":1}`,
			protocol.Refusal{HTTPStatus: 200, Code: 3001, Name: "AUTH_TOKEN_INVALID", Message: "no such token"}},
		{
			200, `{"error":{"code":-32601,"message":"Method not found"},"result":null,"id":1}`,
			protocol.Refusal{HTTPStatus: 200, Code: -32601, Name: "", Message: "Method not found"},
		},
		{
			200, `{"error":{"code":12,"message":"failed","error_name":"INVALID_MOVE"},"id":1}`,
			protocol.Refusal{HTTPStatus: 200, Code: 12, Name: "INVALID_MOVE", Message: "failed"},
		},
		{200, `{"error":"busy"}`, protocol.Refusal{HTTPStatus: 200, Code: 0, Name: "", Message: `"busy"`}},
		{
			200, `{"result":` + string(league) + `,"id":1}`,
			protocol.Refusal{HTTPStatus: 200, Code: 0, Name: "AUTH_TOKEN_INVALID", Message: "unknown token for player:P01"},
		},
		{
			200, `{"message_type":"GAME_ERROR","error_code":"E001","error_description":"TIMEOUT_ERROR"}`,
			protocol.Refusal{HTTPStatus: 200, Code: 0, Name: "TIMEOUT_ERROR", Message: "TIMEOUT_ERROR"},
		},
		{
			404, `{"detail":"Not Found"}`,
			protocol.Refusal{HTTPStatus: 404, Code: 0, Name: "", Message: `{"detail":"Not Found"}`},
		},
		{
			500, `Internal Server Error`, protocol.Refusal{HTTPStatus: 500, Code: 0, Name: "", Message: "Internal Server Error"},
		},
		{422, ``, protocol.Refusal{HTTPStatus: 422, Code: 0, Name: "", Message: ""}},
	} {
		m, _, err := Unframe(c.status, []byte(c.body), protocol.TypeLeagueQueryResponse, protocol.Reading{})
		var got *protocol.Refusal
		if errors.As(err, &got) {
			got.Said = ""
		}
		if got == nil || *got != c.want || m != nil {
			t.Errorf("%d %s: got %v and %+v, want %+v", c.status, c.body, m, got, c.want)
		}
	}
}

func TestRefusalSaysWhoAndWhat(t *testing.T) {
	for r, want := range map[*protocol.Refusal]string{
		{Name: "RATE_LIMITED", Message: "slow down"}: "the agent answered RATE_LIMITED (it said: “slow down”)",
		{Message: "no"}: "the agent answered with an error (it said: “no”)",
	} {
		if got := r.Error(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	_, _, err := Unframe(500, []byte(strings.Repeat("x", 10_000)), protocol.TypePong, protocol.Reading{})
	if len(err.Error()) > 400 {
		t.Errorf("the error repeats %d bytes of the answer", len(err.Error()))
	}
}
