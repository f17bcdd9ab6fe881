package dialect

import (
	"encoding/json"
	"slices"

	"agentleague/protocol"
)

// The position of a message inside of its carrier is independent of how the request is framed. The carrier is the
// params of JSON-RPC, the arguments of a tool call, or the HTTP body. The positions are
//
//	flat     the members of the message are members of the carrier
//	message  the whole message is in the member "message"; likewise data, payload, params and request
//	split    the envelope is flat, everything else is under data
//	beside   the message is in a top-level member data of the JSON-RPC request, which has no params
//
// The empty position is the framing's default: params.message for framings with one method for all messages, flat for
// the others.

// holders lists the members that may hold a whole message, the most common first.
var holders = []string{"message", "data", "payload", "params", "request"}

// nest returns the carrier of a message, with the message at position body.
func nest(body string, message json.RawMessage) json.RawMessage {
	switch {
	case body == "split":
		return underData(message)
	case slices.Contains(holders, body):
		return marshalOr(map[string]json.RawMessage{body: message}, message)
	}
	return message
}

// bodyOf returns the position of the message in a carrier, and the message. f has the members of the carrier.
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

// bodyIn converts a.body, the position of a message in requests with framing a.frame, to the position in requests with
// framing frame. Defaults differ between framings, so an empty position may become a named one, and the reverse.
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

// bodyInOne converts the position of a message in JSON-RPC params, see the list above, from calls with one method for
// each message type to calls with one method for all messages, where params.message is the default.
func bodyInOne(body string) string { return axes{frame: "call", body: body}.bodyIn("message") }

// typeIn returns the message_type of an object, spelled in snake or camel case; "" if it has none.
func typeIn(f fields) string {
	if named, ok := f.Text("message_type"); ok {
		return named
	}
	named, _ := f.Text(camels["message_type"])
	return named
}

// splits reports whether a message has its envelope at the top and the rest under data.
func splits(f fields) bool {
	spec, known := protocol.Lookup(protocol.Type(typeIn(f)))
	return wraps(f["data"]) && !(known && spec.Has("data"))
}

// isAlone reports whether an object has only envelope members besides the given member.
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

// copyTo adds a copy of an answer at position body, where the request had its message and where the caller may read it.
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
