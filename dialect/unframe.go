package dialect

import (
	"bytes"
	"encoding/json"
	"slices"

	"agentleague/protocol"
)

// Unframe finds a message of type want in an answer, at any known position. It returns nil and no error for an answer
// without a message, which may still arrive by callback. A peer's error is a [*protocol.Refusal]. The HTTP status
// counts only if the body is inconclusive, because some agents send good answers with a wrong status. The message
// shares memory with body, which must not be changed afterwards.
func Unframe(status int, body []byte, want protocol.Type, r protocol.Reading) (protocol.Message, []string, error) {
	if m, ok := protocol.KeepResult(body, want); ok {
		return m, nil, nil
	}
	r.Reply, r.Type = true, want
	body = streamed(body)
	f, ok := protocol.ParseFields(body)
	if !ok {
		return nil, nil, byStatus(status, body)
	}
	if f.Has("error") && !f.Has("result") {
		return nil, nil, refusal(status, f["error"])
	}
	for _, p := range places(body) {
		if p.isError() || p.reportsUnknown() {
			return nil, nil, refusal(status, p.text)
		}
		if m, warnings, ok := p.read(want, r); ok {
			return m, warnings, nil
		}
		if p.complains() { // even if its wrapper reports success
			return nil, nil, refusal(status, p.text)
		}
	}
	return nil, nil, byStatus(status, body)
}

// byStatus returns a refusal for an answer without a message if its HTTP status is an error, and nil otherwise.
func byStatus(status int, body []byte) error {
	if status >= 400 {
		return refusal(status, body)
	}
	return nil
}

// wrappers lists the members that may contain an answer, in search order.
var wrappers = []string{"result", "response", "params", "message", "arguments", "structuredContent", "data", "payload"}

// A place is an object in an answer that may be the message.
type place struct {
	text   json.RawMessage
	fields fields
}

// places lists the candidate objects in an answer. Inner objects come before their wrapper, whose status may describe
// the transport only.
func places(body json.RawMessage) []place { return placesIn(body, 0) }

// placesIn lists the candidate objects in a value and in its known wrappers. It stops at maxDepth, because the peer
// controls the depth.
func placesIn(raw json.RawMessage, depth int) (found []place) {
	raw = jsonInText(raw)
	f, ok := protocol.ParseFields(raw)
	if depth > maxDepth || !ok {
		return nil
	}
	raw, f, _ = inSnake(raw, f)
	if _, typed := f.Text("message_type"); typed {
		return []place{{lifted(raw, f), f}}
	}
	if string(f["isError"]) == "true" { // its content is no answer
		return []place{{raw, f}}
	}
	for _, name := range wrappers {
		if v, ok := f[name]; ok {
			found = append(found, placesIn(v, depth+1)...)
		}
	}
	for _, text := range contentTexts(f["content"]) {
		found = append(found, placesIn(text, depth+1)...)
	}
	return append(found, place{raw, f})
}

// jsonInText returns the JSON inside a JSON string, and any other value unchanged.
func jsonInText(raw json.RawMessage) json.RawMessage {
	var text string
	if len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &text) == nil && json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return raw
}

// contentTexts returns those texts of MCP content blocks that are valid JSON.
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

// lifted copies the members under data or payload to the top level of f and returns the resulting object. A message
// type that has its own member data stays unchanged.
func lifted(raw json.RawMessage, f fields) json.RawMessage {
	inner := f.Object("data")
	if inner == nil {
		inner = f.Object("payload")
	}
	if inner == nil {
		return raw
	}
	named, _ := f.Text("message_type")
	if spec, known := protocol.Lookup(protocol.Type(named)); known && spec.Has("data") {
		return raw
	}
	for name, v := range inner {
		if !f.Has(name) {
			f[name] = v
		}
	}
	return marshalOr(f, raw)
}

// streamed returns the data of the last server-sent event that is JSON. A body that is not an event stream is returned
// unchanged.
func streamed(body []byte) []byte {
	trimmed := bytes.TrimLeft(body, " \t\r\n")
	begins := func(field string) bool { return bytes.HasPrefix(trimmed, []byte(field)) }
	if !slices.ContainsFunc([]string{"event:", "data:", "id:"}, begins) {
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
