package rpc

import (
	"bytes"
	"context"
	"maps"

	"agentleague/dialect"
	"agentleague/protocol"
)

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
