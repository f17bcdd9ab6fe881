package dialect

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"agentleague/protocol"
)

// inWrappers puts a message into every shape in which agents answer.
func inWrappers(message string) map[string]string {
	quoted := string(marshalOr(message, nil))
	return map[string]string{
		"result":          `{"jsonrpc":"2.0","result":` + message + `,"id":1}`,
		"another id":      `{"jsonrpc":"2.0","result":` + message + `,"id":"counter-7"}`,
		"error null":      `{"jsonrpc":"2.0","result":` + message + `,"error":null,"id":1}`,
		"request-shaped":  `{"jsonrpc":"2.0","method":"GAME_JOIN_ACK","params":` + message + `,"id":1}`,
		"status and data": `{"status":"success","data":` + message + `}`,
		"bare":            message,
		"result.response": `{"jsonrpc":"2.0","result":{"status":"ok","response":` + message + `},"id":1}`,
		"result.message":  `{"jsonrpc":"2.0","result":{"message":` + message + `}}`,
		"result.data":     `{"jsonrpc":"2.0","result":{"success":true,"data":` + message + `}}`,
		"content":         `{"jsonrpc":"2.0","result":{"content":[{"type":"text","text":` + quoted + `}]},"id":1}`,
		"second content": `{"jsonrpc":"2.0","result":{"content":[{"type":"text","text":"Here you are:"},{"type":"text","text":` +
			quoted + `}]},"id":1}`,
		"structured content": `{"jsonrpc":"2.0","result":{"content":[],"structuredContent":` + message +
			`,"isError":false},"id":1}`,
		"content of its own":  `{"jsonrpc":"2.0","result":{"structuredContent":{"result":` + message + `}},"id":1}`,
		"text":                `{"jsonrpc":"2.0","result":` + quoted + `,"id":1}`,
		"an event":            "event: message\ndata: {\"jsonrpc\":\"2.0\",\"result\":" + message + ",\"id\":1}\n\n",
		"the last event":      "data: {}\n\nid: 7\ndata: {\"jsonrpc\":\"2.0\",\"result\":" + message + ",\"id\":1}\r\n\r\n",
		"call of a tool":      `{"method":"tools/call","params":{"name":"join","arguments":` + message + `}}`,
		"payload in envelope": `{"result":{"payload":` + message + `}}`,
	}
}

func TestAnswersAreFoundInEveryShape(t *testing.T) {
	for _, c := range []struct {
		want    protocol.Type
		message string
		is      func(protocol.Message) bool
	}{
		{
			protocol.TypeGameJoinAck, `{"message_type":"GAME_JOIN_ACK","match_id":"R1M1","player_id":"P01","accept":true}`,
			joinsIn,
		},
		{protocol.TypeGameJoinAck, `{"message_type":"GAME_JOIN_ACK","status":"ACK"}`, joinsIn},
		{protocol.TypeGameJoinAck, `{"message_type":"GAME_JOIN_ACK","status":"ACCEPTED"}`, joinsIn},
		{protocol.TypeGameJoinAck, `{"status":"READY"}`, joinsIn},
		{protocol.TypeGameJoinAck, `{"accepted":true}`, joinsIn},
		{protocol.TypeGameJoinAck, `{"accept":true}`, joinsIn},
		{protocol.TypeChooseParityResponse, `{"message_type":"CHOOSE_PARITY_RESPONSE","parity_choice":"even"}`, choosesEven},
		{protocol.TypeChooseParityResponse, `{"message_type":"PARITY_CHOICE_RESPONSE","choice":"even"}`, choosesEven},
		{protocol.TypeChooseParityResponse, `{"choice":"even"}`, choosesEven},
		{protocol.TypeChooseParityResponse, `{"move_data":{"choice":"even"}}`, choosesEven},
		{protocol.TypeLeagueRegisterResponse, `{"status":"REGISTERED","player_id":"P07","auth_token":"t"}`, admitted},
		{
			protocol.TypeLeagueRegisterResponse,
			`{"message_type":"LEAGUE_REGISTER_RESPONSE","status":"ACCEPTED","player_id":"P07"}`, admitted,
		},
		{protocol.TypeLeagueRegisterResponse, `{"id":"P07","token":"t"}`, admitted},
	} {
		for name, body := range inWrappers(c.message) {
			for _, status := range []int{200, 201, 400, 500} {
				if status >= 400 && c.want == protocol.TypeLeagueRegisterResponse {
					continue
				}
				m, _, err := Unframe(status, []byte(body), c.want, protocol.Reading{Strict: true, Now: arrival})
				if err != nil || m == nil || !c.is(m) {
					t.Errorf("%s, %d: %s: got %+v, %v", name, status, body, m, err)
				}
			}
		}
	}
}

func joinsIn(m protocol.Message) bool { a, ok := m.(*protocol.GameJoinAck); return ok && a.Accepts() }
func choosesEven(m protocol.Message) bool {
	a, ok := m.(*protocol.ChooseParityResponse)
	return ok && string(a.ParityChoice) == `"even"`
}
func admitted(m protocol.Message) bool {
	a, ok := m.(*protocol.LeagueRegisterResponse)
	return ok && a.Status == protocol.Accepted && a.PlayerID != nil && *a.PlayerID == "P07"
}

func TestErrorIsNeverTakenForAnAnswer(t *testing.T) {
	for _, message := range []string{
		`{"error":"no such player"}`, `{"status":"error","message":"busy"}`, `{"success":false,"reason":"no"}`,
		`{"isError":true,"content":[]}`,
		`{"error_code":"E005","error_description":"PLAYER_NOT_REGISTERED"}`,
		`{"message_type":"GAME_ERROR","error_code":"E007","accept":true}`,
		`{"message_type":"LEAGUE_ERROR","status":"ACCEPTED"}`, `{"status":"FAILED"}`,
		`{"message_type":"ERROR","error":"unknown"}`,
		`{"isError":true,"content":[{"type":"text","text":"{\"accept\":true}"}]}`,
	} {
		for name, body := range inWrappers(message) {
			for _, want := range []protocol.Type{
				protocol.TypeGameJoinAck, protocol.TypeChooseParityResponse, protocol.TypeGameOverAck,
				protocol.TypeStartMatchAck, protocol.TypeLeagueQueryResponse,
			} {
				m, _, err := Unframe(200, []byte(body), want, protocol.Reading{})
				var refusal *protocol.Refusal
				if m != nil || !errors.As(err, &refusal) {
					t.Errorf("%s: %s: got %+v, %v; want a refusal", name, body, m, err)
				}
			}
		}
	}
}

func TestAnswerTooDeepIsNone(t *testing.T) {
	deep := `{"accept":true}`
	for range 6 {
		deep = `{"result":` + deep + `}`
	}
	if m, _, err := Unframe(200, []byte(deep), protocol.TypeGameJoinAck, protocol.Reading{}); m != nil || err != nil {
		t.Errorf("got %v, %v", m, err)
	}
}

func TestDataOfAQueryStaysWhereItIs(t *testing.T) {
	body := `{"result":{"message_type":"LEAGUE_QUERY_RESPONSE","success":true,"data":{"message_type":"x","sender":"y"}}}`
	m, _, err := Unframe(200, []byte(body), protocol.TypeLeagueQueryResponse, protocol.Reading{Now: arrival})
	if err != nil || m.Head().Sender != "" || !strings.Contains(string(m.(*protocol.LeagueQueryResponse).Data),
		`"sender":"y"`) {
		t.Errorf("got %+v, %v", m, err)
	}
}

func TestWhatIsImpliedReply(t *testing.T) {
	for want, there := range map[protocol.Type]bool{
		protocol.TypeStartMatchAck: true, protocol.TypeMatchResultAck: true,
		protocol.TypeGameJoinAck: false, protocol.TypeGameOverAck: false,
	} {
		m := ImpliedReply(want)
		if (m != nil) != there || there && m.Head().MessageType != want {
			t.Errorf("%s: got %v", want, m)
		}
	}
}

func FuzzUnframe(f *testing.F) {
	for _, body := range inWrappers(`{"message_type":"GAME_JOIN_ACK","accept":true}`) {
		f.Add(200, []byte(body), string(protocol.TypeGameJoinAck))
	}
	f.Add(422, []byte(`{"detail":[]}`), string(protocol.TypeChooseParityResponse))
	f.Add(200, []byte("event: x\ndata: {\ndata:}"), string(protocol.TypePong))
	f.Add(200, []byte(`{"message_type":"GAME_OVER","data":null,"result":7}`), string(protocol.TypeGameOver))
	f.Fuzz(func(t *testing.T, status int, body []byte, want string) {
		m, _, err := Unframe(status, body, protocol.Type(want), protocol.Reading{Now: arrival})
		if err != nil {
			var refusal *protocol.Refusal
			if m != nil || !errors.As(err, &refusal) {
				t.Fatalf("got %v and %v", m, err)
			}
			BlameOf(refusal)
			return
		}
		if m != nil && m.Head().MessageType != protocol.Type(want) {
			t.Fatalf("got a %s, want a %s", m.Head().MessageType, want)
		}
		if m != nil {
			if raw, err := protocol.Encode(m); err != nil || !json.Valid(raw) {
				t.Fatalf("what was read is written as %s, %v", raw, err)
			}
		}
	})
}
