package protocol

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Unframe looks in an answer for a message of type want, wherever agents put
// it. It returns nil and no error for an answer without one: the message may
// still come by a call of the peer's own. A [*Refusal] is the peer's error. The
// HTTP status counts only where the body says nothing: some agents answer
// rightly with a wrong one.
func Unframe(status int, body []byte, want Type, r Reading) (Message, []string, error) {
	if m, ok := quickResult(body, want); ok {
		return m, nil, nil
	}
	r.Reply, r.Type = true, want
	body = streamed(body)
	var f fields
	if json.Unmarshal(body, &f) != nil {
		return nil, nil, wordless(status, body)
	}
	if f.has("error") && !f.has("result") {
		return nil, nil, refusal(status, f["error"])
	}
	for _, raw := range places(body) {
		if isError(raw) || knowsNoSuch(raw) {
			return nil, nil, refusal(status, raw)
		}
		if m, warnings, ok := heldIn(raw, want, r); ok {
			return m, warnings, nil
		}
		if complains(raw) { // whatever the status of what wraps it
			return nil, nil, refusal(status, raw)
		}
	}
	return nil, nil, wordless(status, body)
}

// heldIn decodes raw if it is a message of type want.
func heldIn(raw json.RawMessage, want Type, r Reading) (Message, []string, bool) {
	if !holds(raw, want) {
		return nil, nil, false
	}
	m, warnings, err := Decode(raw, r)
	return m, warnings, err == nil && m.Head().MessageType == want
}

// wrappers are the members in which answers lie, in the order in which they
// are looked into.
var wrappers = []string{"result", "response", "params", "message", "arguments", "structuredContent", "data", "payload"}

// maxDepth is how deep an answer is looked for.
const maxDepth = 4

// places lists the objects in an answer that can be the message: what is
// wrapped before what wraps it, since a wrapper may have a status of its own.
func places(body json.RawMessage) []json.RawMessage { return placesIn(body, 0) }

func placesIn(raw json.RawMessage, depth int) (found []json.RawMessage) {
	raw = spoken(raw)
	var f fields
	if depth > maxDepth || json.Unmarshal(raw, &f) != nil || f == nil {
		return nil
	}
	if _, typed := f.text("message_type"); typed {
		return []json.RawMessage{lifted(raw, f)}
	}
	if string(f["isError"]) == "true" { // what lies in it is no answer
		return []json.RawMessage{raw}
	}
	for _, name := range wrappers {
		if v, ok := f[name]; ok {
			found = append(found, placesIn(v, depth+1)...)
		}
	}
	for _, text := range contentTexts(f["content"]) {
		found = append(found, placesIn(text, depth+1)...)
	}
	return append(found, raw)
}

// spoken returns the JSON in raw if that is a text that holds JSON.
func spoken(raw json.RawMessage) json.RawMessage {
	var text string
	if len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &text) == nil && json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return raw
}

// contentTexts returns the texts of MCP content blocks.
func contentTexts(raw json.RawMessage) (texts []json.RawMessage) {
	var blocks []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(raw, &blocks) != nil {
		return nil
	}
	for _, b := range blocks {
		if json.Valid([]byte(b.Text)) {
			texts = append(texts, json.RawMessage(b.Text))
		}
	}
	return texts
}

// lifted brings the members under data up beside the envelope, unless data is
// a member of the message itself.
func lifted(raw json.RawMessage, f fields) json.RawMessage {
	inner := f.object("data")
	if inner == nil {
		inner = f.object("payload")
	}
	if inner == nil {
		return raw
	}
	named, _ := f.text("message_type")
	if spec, known := Lookup(Type(named)); known && membersOf(spec.body)["data"] != nil {
		return raw
	}
	for name, v := range inner {
		if !f.has(name) {
			f[name] = v
		}
	}
	return mustMarshal(f, raw)
}

// isError reports whether raw is an error message: the assignment shows one as a result.
func isError(raw json.RawMessage) bool {
	var f fields
	_ = json.Unmarshal(raw, &f)
	named, _ := f.text("message_type")
	return Type(named) == TypeLeagueError || Type(named) == TypeGameError
}

// complains reports whether raw, which is no message, says that something went wrong.
func complains(raw json.RawMessage) bool {
	var f fields
	_ = json.Unmarshal(raw, &f)
	status, _ := f.text("status")
	status = strings.ToLower(status)
	switch status {
	case "error", "failed", "failure", "fail", "ignored":
		return true
	}
	return strings.Contains(status, "unknown") || strings.Contains(status, "unsupported") || f.has("error") || string(f["isError"]) == "true" || string(f["success"]) == "false" || f.has("error_code")
}

// knowsNoSuch reports whether raw says, whatever it calls itself, that there is no such message or method.
func knowsNoSuch(raw json.RawMessage) bool {
	var f fields
	_ = json.Unmarshal(raw, &f)
	return complains(raw) && !(rejects(f) && f.has("error_name")) && saysAny(strings.ToLower(string(raw)), unknownWords...)
}

// rejects reports whether an answer is the refusal of a registration, which has an error in it and is none.
func rejects(f fields) bool {
	status, _ := f.text("status")
	return strings.EqualFold(status, Rejected) || strings.EqualFold(status, "denied")
}

// holds reports whether raw can be a message of type want: it says so, or it
// says nothing of its type that is known and has what such a message is about.
func holds(raw json.RawMessage, want Type) bool {
	var f fields
	if json.Unmarshal(raw, &f) != nil || f == nil {
		return false
	}
	if named, ok := f.text("message_type"); ok && len(TypesNamed(named)) > 0 {
		return Type(named) == want || hasType(TypesNamed(named), want)
	}
	if essence[want] == "status" && complains(raw) && !rejects(f) {
		return false
	}
	understand(want, f)
	return f.has(essence[want])
}

func hasType(types []Type, t Type) bool {
	for _, other := range types {
		if other == t {
			return true
		}
	}
	return false
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
	TypeAssignments:             "matches",
	TypeLeagueQueryResponse:     "data",
}

// IsAck reports whether any answer at all acknowledges a message whose reply is t.
func IsAck(t Type) bool {
	s, ok := Lookup(t)
	return ok && s.body == ackType && t != TypeStartMatchAck
}

// TakenAsRead returns the answer of type t that an agent without one of its own
// means when it answers with no error, or nil if there is none.
func TakenAsRead(t Type) Message {
	switch t {
	case TypeStartMatchAck:
		return &StartMatchAck{Envelope: Envelope{MessageType: t}, Status: Accepted}
	case TypeMatchResultAck:
		return &MatchResultAck{Envelope: Envelope{MessageType: t}, Status: Accepted}
	}
	return nil
}

// SaysNothing reports whether an answer neither says yes in any way nor tells
// what it is about. Some agents answer so to what they do not know.
func SaysNothing(answer []byte) bool {
	for _, raw := range places(streamed(answer)) {
		var f fields
		_ = json.Unmarshal(raw, &f)
		for _, member := range []string{"status", "match_id", "success", "accepted", "accept", "ok", "started", "state", "winner"} {
			if f.has(member) {
				return false
			}
		}
	}
	return true
}

// ResultInAnswer returns the result of a match that is told in the answer to
// its order, by a referee that plays first and makes no report; nil if there is none.
func ResultInAnswer(answer []byte, order *StartMatch) *MatchResultReport {
	for _, raw := range places(streamed(answer)) {
		var f fields
		_ = json.Unmarshal(raw, &f)
		if _, told := f["winner"]; !told || f.has("message_type") {
			continue
		}
		m, _, err := Decode(raw, Reading{Type: TypeMatchResultReport, Reply: true})
		if r, ok := m.(*MatchResultReport); ok && err == nil {
			r.MatchID, r.RoundID, r.LeagueID, r.Attempt = order.MatchID, order.RoundID, order.LeagueID, order.Attempt
			return r
		}
	}
	return nil
}

// wordless judges an answer without a message by its status.
func wordless(status int, body []byte) error {
	if status >= 400 {
		return refusal(status, body)
	}
	return nil
}

// streamed returns the last event's data of an answer that came as a stream of
// server-sent events, and any other as it is.
func streamed(body []byte) []byte {
	trimmed := bytes.TrimLeft(body, " \t\r\n")
	if !bytes.HasPrefix(trimmed, []byte("event:")) && !bytes.HasPrefix(trimmed, []byte("data:")) && !bytes.HasPrefix(trimmed, []byte("id:")) {
		return body
	}
	var last []byte
	for line := range bytes.Lines(trimmed) {
		if data, ok := bytes.CutPrefix(line, []byte("data:")); ok && json.Valid(data) {
			last = bytes.TrimSpace(data)
		}
	}
	return last
}
