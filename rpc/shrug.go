package rpc

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	"agentleague/protocol"
)

// Some peers nod at whatever they do not know. Their nod says nothing about a
// message, so they are asked once for something that nobody has: an answer
// that is the same as to that is a shrug.

// doubtful reports whether an answer is no more than a nod.
func doubtful(status int, answer []byte, reply protocol.Message) bool {
	if status/100 != 2 || len(bytes.TrimSpace(answer)) == 0 {
		return false
	}
	_, joins := reply.(*protocol.GameJoinAck)
	return reply == nil || joins && !bytes.Contains(answer, []byte("accept"))
}

// shrugs reports whether an answer to a form is what the peer says to anything.
func (n *Node) shrugs(ctx context.Context, t *tongue, to Peer, s *search, form protocol.Form, answer []byte) bool {
	if form.Frame == "mcp" { // there it is known which tools it has
		return false
	}
	place := spot(form)
	gist := gistOf(answer)
	nod, known := t.nod(place, gist)
	if !known {
		if !s.asks(form) {
			return false
		}
		code, said, err := n.Network.Post(ctx, placed(to.Endpoint, form.Path), "nothing", protocol.Nonsense(form.Frame, n.nextID.Add(1)))
		if err != nil {
			return false
		}
		if code/100 == 2 {
			nod = gistOf(said)
		}
		t.keepNod(place, nod)
	}
	return nod != nil && bytes.Equal(nod, gist)
}

// gistOf returns what an answer says, whenever it is said: nil if that is an error.
func gistOf(answer []byte) []byte {
	if !json.Valid(answer) {
		return bytes.TrimSpace(answer)
	}
	return bareOf(answer)
}

// fleeting are the members of an answer that differ from one to the next.
var fleeting = []string{"id", "timestamp", "request_id", "conversation_id"}

// bareOf returns an answer without what differs from one to the next, or nil
// if it is no object or has an error.
func bareOf(answer []byte) []byte {
	var f map[string]json.RawMessage
	if json.Unmarshal(answer, &f) != nil || f == nil {
		return nil
	}
	if e, ok := f["error"]; ok && string(e) != "null" {
		return nil
	}
	for name, v := range f {
		if slices.Contains(fleeting, name) {
			delete(f, name)
		} else if inner := bareOf(v); inner != nil {
			f[name] = inner
		}
	}
	out, _ := json.Marshal(f)
	return out
}
