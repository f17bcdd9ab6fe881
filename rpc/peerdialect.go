package rpc

import (
	"bytes"
	"sync"

	"agentleague/dialect"
	"agentleague/dialect/notation"
	"agentleague/protocol"
)

// A peerDialect is the part of one peer's dialect that a node has detected so far.
type peerDialect struct {
	mu     sync.Mutex
	given  string // the last given knowledge
	known  notation.Dialect
	failed map[protocol.Type]attempts

	// The peer's answer to unknown messages, by style of request framing and path; nil if it refuses them.
	acks map[notation.Form][]byte

	// Whether a callback followed the peer's unreadable answer to a message.
	callsBack map[protocol.Type]bool

	selective bool                            // it acknowledges unknown names, and knows others
	names     map[protocol.Type]notation.Form // forms with known names
	turn      chan struct{}                   // holds one value while a call searches for the form of an order
}

// dialects are the dialects of a node's peers by endpoint. The zero value is ready to use.
type dialects struct {
	mu    sync.Mutex
	known map[string]*peerDialect // nil: nothing
}

// of returns the dialect of a peer. If to.Dialect is not the same as in the last call, it is merged into the result.
func (d *dialects) of(to Peer) *peerDialect {
	d.mu.Lock()
	p := d.known[to.Endpoint]
	if p == nil {
		p = &peerDialect{
			known: nothingKnown(""), failed: map[protocol.Type]attempts{}, names: map[protocol.Type]notation.Form{},
		}
		if d.known == nil {
			d.known = map[string]*peerDialect{}
		}
		d.known[to.Endpoint] = p
	}
	d.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	if to.Dialect != p.given {
		p.learn(to.Dialect)
	}
	return p
}

// forget drops the dialect of the peer at an endpoint.
func (d *dialects) forget(endpoint string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if delete(d.known, endpoint); len(d.known) == 0 {
		d.known = nil // an empty map keeps the room that it had
	}
}

// nothingKnown returns a dialect of which only the row in the table of observed dialects is known.
func nothingKnown(row string) notation.Dialect {
	return notation.Dialect{Row: row, Forms: map[protocol.Type]notation.Form{}}
}

// learn merges an encoded dialect, detected by another agent, into this one. If that dialect belongs to another row of
// the table of dialects, it replaces all that is known. An invalid text is ignored. The caller holds the lock.
func (p *peerDialect) learn(text string) {
	told, err := notation.Parse(text)
	if err != nil {
		return
	}
	if told.Row != "" && (told.Row != p.known.Row || told.From != p.known.From) {
		p.known, p.failed = nothingKnown(told.Row), map[protocol.Type]attempts{}
		p.known.From = told.From
	}
	p.known.Nods = p.known.Nods || told.Nods
	for typ, form := range told.Forms {
		if _, known := p.known.Forms[typ]; !known {
			p.known.Forms[typ] = form
		}
	}
	p.given = text
}

// String encodes the dialect.
func (p *peerDialect) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.known.String()
}

// row is the name of the peer's known dialect, or "".
func (p *peerDialect) row() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.known.Row
}

// form returns the encoding in which the peer understands a type, if it is known.
func (p *peerDialect) form(typ protocol.Type) (row string, form notation.Form, known bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	form, known = p.known.Forms[typ]
	return p.known.Row, form, known
}

// ack returns the peer's answer to unknown messages in requests with the framing and path of place, or nil if it
// refuses them. known is false if this was not probed. If answer equals the peer's answer to unknown messages with
// another framing or path, it is assumed to mean the same here.
func (p *peerDialect) ack(place notation.Form, answer []byte) (ack []byte, known bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if ack, known = p.acks[place]; known {
		return ack, true
	}
	for _, other := range p.acks {
		if other != nil && bytes.Equal(other, answer) {
			return other, true
		}
	}
	return nil, false
}

// keepAck stores the peer's answer to unknown messages in requests with the framing and path of place; nil means that
// the peer refuses them.
func (p *peerDialect) keepAck(place notation.Form, ack []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.acks == nil {
		p.acks = map[notation.Form][]byte{}
	}
	p.acks[place] = ack
}

// understood stores an encoding that the peer has understood.
func (p *peerDialect) understood(typ protocol.Type, form notation.Form) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.known.Forms[typ] = form
	delete(p.failed, typ)
}

// acksEverything reports whether the peer is known to process and acknowledge every message.
func (p *peerDialect) acksEverything() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.known.Nods
}

// acknowledgedAll records that the peer processes and acknowledges every message.
func (p *peerDialect) acknowledgedAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.known.Nods = true
}

// isSelective reports whether the peer is known not to process every message that it acknowledges. A peer that has
// received broadcasts before was probed then.
func (p *peerDialect) isSelective() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for t, form := range p.known.Forms {
		if spec, _ := protocol.Lookup(t); protocol.IsAck(spec.Reply) && form != notation.Ignored {
			return true
		}
	}
	return p.selective
}

// addName records that the peer knows the method name of an encoding. It may be the name of another message.
func (p *peerDialect) addName(form notation.Form, typ protocol.Type) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.selective = true
	for _, t := range dialect.TypesNamed(form.Name) {
		if t == typ || t == protocol.TypeGameOver {
			p.names[t] = form
		}
	}
}

// survey returns the probes that test whether the peer acknowledges everything.
func (p *peerDialect) survey(form notation.Form, ack []byte, typ protocol.Type) []notation.Form {
	p.mu.Lock()
	defer p.mu.Unlock()
	return dialect.Survey(p.known, form, ack, typ)
}

// calledBack records whether a callback followed an answer to a message. Once true, the recorded value stays true.
func (p *peerDialect) calledBack(typ protocol.Type, called bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.callsBack == nil {
		p.callsBack = map[protocol.Type]bool{}
	}
	p.callsBack[typ] = p.callsBack[typ] || called
}

// sendsNoCallback reports whether callbacks after the peer's answer to a message were awaited but never arrived.
func (p *peerDialect) sendsNoCallback(typ protocol.Type) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	called, waited := p.callsBack[typ]
	return waited && !called
}
