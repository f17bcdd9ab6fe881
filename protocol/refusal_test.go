package protocol

import (
	"errors"
	"testing"
)

func TestWhatARefusalBlames(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
		want   Blame
		frame  bool // it knows the frame
	}{
		{200, `{"status":"unknown_message_type"}`, BlameForm, true},
		{200, `{"jsonrpc":"2.0","result":{"status":"unknown_message_type"},"id":1}`, BlameForm, true},
		{200, `{"status":"success","data":{"status":"ignored","reason":"unsupported_message_type"}}`, BlameForm, true},
		{200, `{"status":"error","message":"Unknown message type"}`, BlameForm, true},
		{200, `{"jsonrpc":"2.0","error":{"code":-32602,"message":"Unknown tool: x"},"id":1}`, BlameForm, false},
		{404, `{"jsonrpc":"2.0","error":{"code":-32601,"message":"Method not found: x"},"id":1}`, BlameForm, false},
		{307, ``, BlamePlace, false},
		{404, `{"detail":"Not Found"}`, BlamePlace, false},
		{400, `{"jsonrpc":"2.0","error":{"code":-32602,"message":"Invalid params","data":{"details":"1 validation error"}},"id":1}`, BlameMembers, false},
		{200, `{"jsonrpc":"2.0","result":{"error":"Rate limit exceeded","error_type":"RateLimitError"},"id":1}`, BlameNothing, false},
	} {
		_, _, err := Unframe(c.status, []byte(c.body), TypeGameJoinAck, Reading{})
		var got *Refusal
		if !errors.As(err, &got) {
			got = &Refusal{HTTPStatus: c.status}
		}
		if got.Blame() != c.want || got.KnowsFrame() != c.frame {
			t.Errorf("%d %s: got %v, %v; want %v, %v", c.status, c.body, got.Blame(), got.KnowsFrame(), c.want, c.frame)
		}
	}
}

func TestAnswersUnderTypesOfTheirOwn(t *testing.T) {
	for _, body := range []string{
		`{"message_type":"PARITY_CHOICE","choice":"odd"}`,
		`{"jsonrpc":"2.0","result":{"message_type":"MY_MOVE","parity_choice":"odd"},"id":1}`,
		`{"jsonrpc":"2.0","result":{"type":"RESPONSE_PARITY_CHOOSE","choice":"odd"},"id":1}`,
	} {
		m, _, err := Unframe(200, []byte(body), TypeChooseParityResponse, Reading{})
		if got, ok := m.(*ChooseParityResponse); err != nil || !ok || string(got.ParityChoice) != `"odd"` {
			t.Errorf("%s: got %+v, %v", body, m, err)
		}
	}
	if m, _, err := Unframe(200, []byte(`{"message_type":"GAME_JOIN_ACK","choice":"odd"}`), TypeChooseParityResponse, Reading{}); m != nil || err != nil {
		t.Errorf("a join was taken for a choice: %+v, %v", m, err)
	}
}
