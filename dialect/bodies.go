package dialect

import (
	"encoding/json"
	"slices"

	"agentleague/protocol"
)

// The position of a message in its carrier is independent of the framing. The
// carrier is the params of JSON-RPC, the arguments of a tool, or the body. In it
// the message lies
//
//	flat     its members are those of the carrier
//	message  whole in that member; the same with data, payload, params and request
//	split    the envelope flat, everything else under data
//	beside   under data instead of params, at the top of the JSON-RPC request
//
// A frame's default position has no name: params.message for the frames with one
// method for all, flat for the others.

// holders are the members in which a whole message may lie, the most common first.
var holders = []string{"message", "data", "payload", "params", "request"}

// nest puts a message where it lies in its carrier.
func nest(body string, message json.RawMessage) json.RawMessage {
	switch {
	case body == "split":
		return underData(message)
	case slices.Contains(holders, body):
		return marshalOr(map[string]json.RawMessage{body: message}, message)
	}
	return message
}

// bodyOf returns where in a carrier the message lies, and the message.
func bodyOf(carrier json.RawMessage, f fields) (body string, message json.RawMessage) {
	if typeIn(f) != "" {
		if splits(f) {
			return "split", carrier
		}
		return "", carrier
	}
	for _, name := range holders {
		if wraps(f[name]) && (isAlone(f, name) || isTyped(f[name])) {
			return name, f[name]
		}
	}
	return "", carrier
}

// bodyIn returns the word for the position of the body in a frame: another frame's default position needs a word
// here, and vice versa.
func (a axes) bodyIn(frame string) string {
	body := a.body
	if body == "" && a.frame == "message" {
		body = "message"
	}
	switch {
	case frame == "message" && body == "message", frame != "message" && body == "flat":
		return ""
	case frame == "message" && body == "" && a.frame != "":
		return "flat"
	case (frame == "bare" || frame == "rest") && (body == "split" || body == "beside"):
		return "data"
	}
	return body
}

// bodyInOne returns the word for where a body lies under one method for all messages.
func bodyInOne(body string) string { return axes{frame: "call", body: body}.bodyIn("message") }

// typeIn returns the message type that an object names, in either spelling.
func typeIn(f fields) string {
	if named, ok := f.Text("message_type"); ok {
		return named
	}
	named, _ := f.Text(camels["message_type"])
	return named
}

// splits reports whether a message has its envelope outside and the rest under data.
func splits(f fields) bool {
	spec, known := protocol.Lookup(protocol.Type(typeIn(f)))
	return wraps(f["data"]) && !(known && spec.Has("data"))
}

// isAlone reports whether nothing but an envelope stands beside a member.
func isAlone(f fields, member string) bool {
	for name := range f {
		if name != member && !envelopeMembers[snakeOf(name)] {
			return false
		}
	}
	return true
}

// isTyped reports whether a message names its type.
func isTyped(message json.RawMessage) bool {
	f, _ := protocol.ParseFields(message)
	return typeIn(f) != ""
}

// copyTo copies an answer to the position at which the request had its message: the caller may read it there.
func copyTo(body string, answer json.RawMessage) json.RawMessage {
	if body == "split" || body == "beside" {
		body = "data"
	}
	f, ok := protocol.ParseFields(answer)
	if !ok || f.Has(body) || !slices.Contains(holders, body) {
		return answer
	}
	f[body] = answer
	return marshalOr(f, answer)
}
