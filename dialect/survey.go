package dialect

import (
	"encoding/json"

	"agentleague/protocol"
)

// Survey lists the forms by which a peer that nods at what nobody has is told
// from one that nods at everything. The first still has names of its own: every
// player has one for the end of a match, and one for a question that it is
// asked. They are looked for in the frame in which it nods and, if the nod is no answer of JSON-RPC, also without one.
func Survey(d protocol.Dialect, nodded protocol.Form, nod []byte, t protocol.Type) (forms []protocol.Form) {
	peer := known{d, habitOf(d)}
	a := peer.axes()
	if a.frame == "" {
		a.frame = nodded.Frame
	}
	row := rowOf(nodded.Frame)
	forms = peer.names(row, protocol.TypeGameOver).all()
	if nodded.Frame == "tool" {
		forms = append(forms, peer.names(rowOf("protocol"), protocol.TypeGameOver).all()...)
	}
	if s, _ := protocol.Lookup(t); !protocol.IsAck(s.Reply) {
		forms = append(forms, peer.names(row, t).common...)
	}
	forms = a.dressAll(forms)
	if isBare(nod) && nodded.Frame != "bare" {
		forms = append(forms, peer.names(rowOf("bare"), protocol.TypeGameOver).all()...)
	}
	for i := range forms {
		forms[i].Path = nodded.Path
	}
	return distinct(forms)
}

// isBare reports whether an answer is an object that is no response of JSON-RPC. Whoever gives it to a request of
// JSON-RPC probably speaks without.
func isBare(answer []byte) bool {
	var members fields
	return json.Unmarshal(answer, &members) == nil && members != nil && members["result"] == nil &&
		members["error"] == nil && members["jsonrpc"] == nil
}

// Knock is a request in a form that has no message in it: only a name. What a
// peer says to it shows whether it knows the name, and nobody can act on it.
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
