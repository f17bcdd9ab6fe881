package rpc

import (
	"bytes"
	"context"
	"maps"

	"agentleague/dialect"
	"agentleague/protocol"
)

// Some peers nod at whatever they hear. One kind has names of its own for its
// messages, and nods at all others: it has to be offered the message again,
// under another name. The other kind has heard the message, whatever it was
// called: it must not hear it twice. The two are told apart with requests that
// hold no message, once; what is found out travels with the peer's dialect.

// nodsAtAll reports whether a peer, which has nodded at a form as it nods at what nobody has, nods at all names alike.
func (c *call) nodsAtAll(ctx context.Context, p *peerDialect, form protocol.Form, nod []byte) bool {
	if c.spec.Type == protocol.TypeStartMatch || p.nods() || p.isSelective() {
		return p.nods() && c.spec.Type != protocol.TypeStartMatch
	}
	for _, other := range p.survey(form, nod, c.spec.Type) {
		same, ok := c.nodsAt(ctx, other, nod)
		if !ok {
			return false // nothing was found out
		}
		if !same {
			p.knowsName(other, c.spec.Type)
			return false
		}
	}
	p.nodded()
	return true
}

// nodsAt reports whether a peer answers to a name alone as it does to what nobody has.
func (c *call) nodsAt(ctx context.Context, form protocol.Form, nod []byte) (same, ok bool) {
	knock := dialect.Knock(form, c.node.nextID.Add(1))
	status, answer, err := c.node.Network.Post(ctx, placed(c.to.Endpoint, form.Path), "nothing", knock)
	if err != nil {
		return false, false
	}
	return status/100 == 2 && bytes.Equal(lastingOf(answer), nod), true
}

// nods reports whether the peer is known to nod at everything.
func (p *peerDialect) nods() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.known.Nods
}

// nodded notes that the peer nods at everything.
func (p *peerDialect) nodded() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.known.Nods = true
}

// isSelective reports whether the peer is known to nod at what it does not know, and at nothing else. Who has got news
// before, and is not known to nod at everything, has been asked then.
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

// knowsName notes that the peer knows a name. It may be the name of another message than the one in hand.
func (p *peerDialect) knowsName(form protocol.Form, typ protocol.Type) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.selective = true
	for _, t := range dialect.TypesNamed(form.Name) {
		if t == typ || t == protocol.TypeGameOver {
			p.names[t] = form
		}
	}
}

// survey lists what the peer is asked to find out whether it nods at everything.
func (p *peerDialect) survey(form protocol.Form, nod []byte, typ protocol.Type) []protocol.Form {
	p.mu.Lock()
	defer p.mu.Unlock()
	return dialect.Survey(p.known, form, nod, typ)
}

// search looks for the form of a message, from where the last call to the peer
// stopped. Who nods at everything has heard what it nodded at: no other form is
// offered to it.
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

// guessed is what is known of the peer, with the names that it is known to have. The caller holds the lock.
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
