package dialect

import (
	"encoding/json"

	"agentleague/dialect/notation"
	"agentleague/protocol"
)

// Survey lists encodings that distinguish a peer that acknowledges unknown names from one that acknowledges everything.
// The first kind has at least the names for the end of a match and for the question for a move, so these are searched
// in the framing acked and, if the acknowledgement is not a JSON-RPC response, also without JSON-RPC.
func Survey(d notation.Dialect, acked notation.Form, ack []byte, t protocol.Type) (forms []notation.Form) {
	peer := known{d, methodPrefixOf(d)}
	a := peer.axes()
	if a.frame == "" {
		a.frame = acked.Frame
	}
	row := rowOf(acked.Frame)
	forms = peer.names(row, protocol.TypeGameOver).all()
	if acked.Frame == "tool" {
		forms = append(forms, peer.names(rowOf("protocol"), protocol.TypeGameOver).all()...)
	}
	if s, _ := protocol.Lookup(t); !protocol.IsAck(s.Reply) {
		forms = append(forms, peer.names(row, t).common...)
	}
	forms = a.dressAll(forms)
	if isBare(ack) && acked.Frame != "bare" {
		forms = append(forms, peer.names(rowOf("bare"), protocol.TypeGameOver).all()...)
	}
	for i := range forms {
		forms[i].Path = acked.Path
	}
	return distinct(forms)
}

// isBare reports whether an answer is a JSON object but not a JSON-RPC response. A peer that answers a JSON-RPC request
// this way probably does not speak JSON-RPC.
func isBare(answer []byte) bool {
	var members fields
	return json.Unmarshal(answer, &members) == nil && members != nil && members["result"] == nil &&
		members["error"] == nil && members["jsonrpc"] == nil
}

// Knock returns a request with the name of an encoding but no message. The answer shows whether the peer knows the
// name; no agent can act on the request.
func Knock(form notation.Form, id int64) []byte {
	message := fields{}
	if !byName(form) && form.Frame != "type" {
		member := "message_type"
		if hasShape(form.Shape, string(camel)) {
			member = camels[member]
		}
		message.Put(member, form.Name)
	}
	write := framers[form.Frame]
	if write == nil {
		return Probe(form, id)
	}
	return write(form, marshalOr(message, json.RawMessage("{}")), id)
}
