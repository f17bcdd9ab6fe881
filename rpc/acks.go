package rpc

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	"agentleague/dialect"
	"agentleague/protocol"
)

// Some peers acknowledge every unknown message. Their acknowledgement does not show that they understood, so they
// receive one request with an unknown name: if the answer is the same, the message was not understood.

// doubtful reports whether an answer is no more than an acknowledgement.
func doubtful(status int, answer []byte, reply protocol.Message) bool {
	if status/100 != 2 || len(bytes.TrimSpace(answer)) == 0 || dialect.Broken(answer) {
		return false
	}
	_, joins := reply.(*protocol.GameJoinAck)
	return reply == nil || joins && !bytes.Contains(answer, []byte("accept"))
}

// acksAnything reports whether an answer to a form is the peer's answer to anything. If the peer answered the message
// with an error where it acknowledges unknown methods, every acknowledgement counts as such.
func (c *call) acksAnything(ctx context.Context, p *peerDialect, s *dialect.Search, form protocol.Form,
	answer []byte) bool {
	if form.Frame == "mcp" || form.Apart() { // the tools are known there, or the path belongs to the message
		return false
	}
	if p.refusedAmongAcks(c.spec.Type) {
		return true
	}
	place := form.Place()
	lasting := lastingOf(answer)
	ack, known := p.ack(place, lasting)
	if !known {
		if !s.Probes(form) {
			return false
		}
		probe := dialect.Probe(form, c.node.nextID.Add(1))
		status, answer, err := c.node.Network.Post(ctx, placed(c.to.Endpoint, form.Path), "nothing", probe)
		if err != nil {
			return false
		}
		if status/100 == 2 {
			ack = lastingOf(answer)
		}
		p.keepAck(place, ack)
	}
	return ack != nil && bytes.Equal(ack, lasting) || p.refusedAmongAcks(c.spec.Type)
}

// lastingOf returns the part of an answer that does not vary: nil for an error.
func lastingOf(answer []byte) []byte {
	if !json.Valid(answer) {
		return bytes.TrimSpace(answer)
	}
	return withoutFleeting(answer)
}

// fleeting are the members of an answer that differ from one to the next.
var fleeting = []string{"id", "timestamp", "request_id", "conversation_id"}

// withoutFleeting returns an answer without the members that vary from one to the next, at every depth, or nil if it
// is no object or has an error.
func withoutFleeting(answer []byte) []byte {
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
		} else if inner := withoutFleeting(v); inner != nil {
			f[name] = inner
		}
	}
	out, _ := json.Marshal(f)
	return out
}
