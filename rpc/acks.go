package rpc

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
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

// Some peers acknowledge every message. One kind has its own names for its messages, and acknowledges all others
// without effect: it needs the message under another name. The other kind has processed the message under any name,
// and must not receive it twice. Requests without a message distinguish the two, once; the result is stored in the
// peer's dialect.

// acksEveryName reports whether the peer acknowledges every method name, known or not.
func (c *call) acksEveryName(ctx context.Context, p *peerDialect, form protocol.Form, ack []byte) bool {
	if c.spec.Type == protocol.TypeStartMatch || p.acksEverything() || p.isSelective() {
		return p.acksEverything() && c.spec.Type != protocol.TypeStartMatch
	}
	for _, other := range p.survey(form, ack, c.spec.Type) {
		same, ok := c.acksName(ctx, other, ack)
		if !ok {
			return false // nothing was found out
		}
		if !same {
			p.addName(other, c.spec.Type)
			return false
		}
	}
	p.acknowledgedAll()
	return true
}

// acksName reports whether a peer answers a name alone as it answers unknown names.
func (c *call) acksName(ctx context.Context, form protocol.Form, ack []byte) (same, ok bool) {
	knock := dialect.Knock(form, c.node.nextID.Add(1))
	status, answer, err := c.node.Network.Post(ctx, placed(c.to.Endpoint, form.Path), "nothing", knock)
	if err != nil {
		return false, false
	}
	return status/100 == 2 && bytes.Equal(lastingOf(answer), ack), true
}

// acksEverything reports whether the peer is known to acknowledge everything.
func (p *peerDialect) acksEverything() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.known.Nods
}

// acknowledgedAll records that the peer acknowledges everything.
func (p *peerDialect) acknowledgedAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.known.Nods = true
}

// isSelective reports whether the peer is known to acknowledge only unknown names. A peer that has received news
// before, and is not known to acknowledge everything, was tested then.
func (p *peerDialect) isSelective() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for t, form := range p.known.Forms {
		if spec, _ := protocol.Lookup(t); protocol.IsAck(spec.Reply) && form != protocol.Ignored {
			return true
		}
	}
	return p.selective
}

// addName records that the peer knows a name. It may be the name of another message than the current one.
func (p *peerDialect) addName(form protocol.Form, typ protocol.Type) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.selective = true
	for _, t := range dialect.TypesNamed(form.Name) {
		if t == typ || t == protocol.TypeGameOver {
			p.names[t] = form
		}
	}
}

// survey lists the requests that test whether the peer acknowledges everything.
func (p *peerDialect) survey(form protocol.Form, ack []byte, typ protocol.Type) []protocol.Form {
	p.mu.Lock()
	defer p.mu.Unlock()
	return dialect.Survey(p.known, form, ack, typ)
}

// search continues the search for the form of a message after the last call to the peer. A peer that acknowledges
// everything has processed the message: no other form is tried.
func (p *peerDialect) search(endpoint string, typ protocol.Type) *dialect.Search {
	p.mu.Lock()
	defer p.mu.Unlock()
	known, failed := p.known, p.failed[typ]
	if known.Nods && failed.soft > 0 {
		known.Forms = map[protocol.Type]protocol.Form{typ: failed.forms[0]}
		return dialect.NewSearch(known, endpoint, typ, nil)
	}
	return dialect.NewSearch(p.guessed(), endpoint, typ, failed.forms)
}

// guessed is the known dialect of the peer, with its known names. The caller holds the lock.
func (p *peerDialect) guessed() protocol.Dialect {
	d := p.known
	d.Forms = maps.Clone(d.Forms)
	for t, form := range p.names {
		if _, known := d.Forms[t]; !known {
			d.Forms[t] = form
		}
	}
	return d
}
