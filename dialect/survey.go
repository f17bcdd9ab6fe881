package dialect

import (
	"encoding/json"

	"agentleague/protocol"
)

// Survey lists the forms that separate a peer that acknowledges unknown names from one that acknowledges everything.
// The first still has its known names: every player has one for the end of a match, and one for the question for a
// move. They are searched in the frame of the acknowledgement and, if that is no answer of JSON-RPC, also without
// one.
func Survey(d protocol.Dialect, acked protocol.Form, ack []byte, t protocol.Type) (forms []protocol.Form) {
	peer := known{d, habitOf(d)}
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

// isBare reports whether an answer is an object that is no response of JSON-RPC. A peer that answers a JSON-RPC
// request so probably does not speak it.
func isBare(answer []byte) bool {
	var members fields
	return json.Unmarshal(answer, &members) == nil && members != nil && members["result"] == nil &&
		members["error"] == nil && members["jsonrpc"] == nil
}

// Knock is a request in a form with a name and no message. The peer's answer shows whether it knows the name, and no
// agent can act on it.
func Knock(form protocol.Form, id int64) []byte {
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
