package protocol

import (
	"encoding/json"
	"strings"
)

// Canonical names the dialect that our own agents speak: JSON-RPC 2.0, the
// method of the message table, the whole message in params.
const Canonical = "league.v2"

// Frame puts a message into the body of a request, in the dialect of the peer
// that it goes to. An unnamed dialect is the canonical one.
func Frame(dialect string, m Message, id int64) ([]byte, error) {
	params, err := Encode(m)
	if err != nil {
		return nil, err
	}
	if dialect != "" && dialect != Canonical {
		return nil, Errorf(Internal, "no dialect is called %q", dialect)
	}
	spec, ok := Lookup(m.Head().MessageType)
	if !ok || spec.Method == "" {
		return nil, Errorf(Internal, "%s is not a request", m.Head().MessageType)
	}
	return request(spec.Method, params, id), nil
}

// A Refusal is an error that a peer gave as its answer.
type Refusal struct {
	HTTPStatus int
	Code       int
	Name       string // of the protocol's error table, when the answer names one
	Message    string
}

func (r *Refusal) Error() string {
	if r.Name != "" {
		return "the agent answered " + r.Name + ": " + r.Message
	}
	return "the agent answered with an error: " + r.Message
}

// Unframe looks in an answer for a message of type want. It returns nil and no
// error for an answer without one: the message may still come by a call of the
// peer's own. A [*Refusal] is the peer's error. The HTTP status counts only
// where the body says nothing: some agents answer rightly with a wrong one.
func Unframe(status int, body []byte, want Type, r Reading) (Message, []string, error) {
	if m, ok := quickResult(body, want); ok {
		return m, nil, nil
	}
	var f fields
	if json.Unmarshal(body, &f) != nil {
		return nil, nil, wordless(status, body)
	}
	if f.has("error") && !f.has("result") {
		return nil, nil, refusal(status, f["error"])
	}
	r.Reply, r.Type = true, want
	for _, place := range []string{"result", ""} {
		raw := json.RawMessage(body)
		if place != "" {
			raw = f[place]
		}
		if isError(raw) {
			return nil, nil, refusal(status, raw)
		}
		if !holds(raw, want) {
			continue
		}
		m, warnings, err := Decode(raw, r)
		if err == nil && m.Head().MessageType == want {
			return m, warnings, nil
		}
	}
	return nil, nil, wordless(status, body)
}

// isError reports whether raw is an error message: the assignment shows one as a result.
func isError(raw json.RawMessage) bool {
	var f fields
	_ = json.Unmarshal(raw, &f)
	named, _ := f.text("message_type")
	return Type(named) == TypeLeagueError || Type(named) == TypeGameError
}

// holds reports whether raw can be a message of type want: it says so, or it
// says nothing of its type and has what such a message is about.
func holds(raw json.RawMessage, want Type) bool {
	var f fields
	if json.Unmarshal(raw, &f) != nil || f == nil {
		return false
	}
	if named, ok := f.text("message_type"); ok {
		return Type(named) == want
	}
	understand(want, f)
	return f.has(essence[want])
}

// essence is the member by which an answer without a message_type is known.
var essence = map[Type]string{
	TypeGameJoinAck:             "accept",
	TypeChooseParityResponse:    "parity_choice",
	TypeGameMoveResponse:        "move_data.choice",
	TypeLeagueRegisterResponse:  "status",
	TypeRefereeRegisterResponse: "status",
	TypeStartMatchAck:           "status",
	TypeMatchResultAck:          "status",
	TypePong:                    "status",
}

// IsAck reports whether any answer at all acknowledges a message whose reply is t.
func IsAck(t Type) bool {
	s, ok := Lookup(t)
	return ok && s.body == ackType && t != TypeStartMatchAck
}

// wordless judges an answer without a message by its status.
func wordless(status int, body []byte) error {
	if status >= 400 {
		return refusal(status, body)
	}
	return nil
}

// refusal reads what can be read of a peer's error.
func refusal(status int, raw json.RawMessage) *Refusal {
	out := &Refusal{HTTPStatus: status, Message: clip(strings.TrimSpace(string(raw)), 200)}
	var f fields
	if json.Unmarshal(raw, &f) != nil || f == nil {
		return out
	}
	_ = json.Unmarshal(f["code"], &out.Code)
	for _, member := range []string{"error_name", "error_description", "error_message", "message"} {
		text, said := f.text(member)
		if k, known := KindNamed(text); known && out.Name == "" {
			out.Name = k.Name
		}
		if said {
			out.Message = clip(text, 200)
		}
	}
	for _, path := range []string{"context.detail", "data.context.detail"} {
		var detail string
		if json.Unmarshal(f.get(path), &detail) == nil && detail != "" {
			out.Message = clip(detail, 200)
		}
	}
	return out
}
