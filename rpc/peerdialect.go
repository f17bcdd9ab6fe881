package rpc

import (
	"bytes"
	"context"
	"net/http"
	"slices"
	"sync"
	"time"

	"agentleague/dialect"
	"agentleague/protocol"
)

// A peerDialect is a node's knowledge about the dialect of one peer.
type peerDialect struct {
	mu     sync.Mutex
	given  string // the last given knowledge
	known  protocol.Dialect
	failed map[protocol.Type]failures

	// Its answer to anything, by frame and path; nil if it refuses unknown names.
	acks map[protocol.Form][]byte

	// Whether a callback has followed its unreadable answer to a message.
	callsBack map[protocol.Type]bool

	selective bool                            // it acknowledges unknown names, and knows others
	names     map[protocol.Type]protocol.Form // forms with known names
	turn      chan struct{}                   // holds one value while a call searches for the form of an order
}

// failures are the forms of a message that were not understood, the best of them first.
type failures struct {
	forms   []protocol.Form
	soft    int               // how many of them the peer failed at, rather than refused
	refusal *protocol.Refusal // the answer that most likely is about the message and not about its form; nil: none was
	refused protocol.Form     // the form that it answered so
	example *protocol.Refusal // the answer as the documents' example player gives it, see example.go; nil: none
}

// dialects are the dialects of a node's peers, by their endpoints.
type dialects struct {
	mu    sync.Mutex
	known map[string]*peerDialect // nil: nothing
}

func newDialects() *dialects { return &dialects{} }

// of returns the dialect of a peer. Knowledge from other agents is added; a newer dialect from them replaces the old.
func (d *dialects) of(to Peer) *peerDialect {
	d.mu.Lock()
	p := d.known[to.Endpoint]
	if p == nil {
		p = &peerDialect{
			known: nothingKnown(""), failed: map[protocol.Type]failures{}, names: map[protocol.Type]protocol.Form{},
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

// nothingKnown is a dialect with only its row known.
func nothingKnown(row string) protocol.Dialect {
	return protocol.Dialect{Row: row, Forms: map[protocol.Type]protocol.Form{}}
}

// learn adds another agent's knowledge of the peer. The caller holds the lock.
func (p *peerDialect) learn(text string) {
	told, err := protocol.ParseDialect(text)
	if err != nil {
		return
	}
	if told.Row != "" && (told.Row != p.known.Row || told.From != p.known.From) {
		p.known, p.failed = nothingKnown(told.Row), map[protocol.Type]failures{}
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

// form returns the form in which the peer understands a type, if it is known.
func (p *peerDialect) form(typ protocol.Type) (row string, form protocol.Form, known bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	form, known = p.known.Forms[typ]
	return p.known.Row, form, known
}

// ack returns the peer's answer to anything at a place, if that is known. A peer that answers the same to anything at
// another place is assumed to do so here.
func (p *peerDialect) ack(place protocol.Form, answer []byte) (ack []byte, known bool) {
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

// keepAck stores the peer's answer to anything in a form. An answer that is always the same does not show whether it
// understood.
func (p *peerDialect) keepAck(place protocol.Form, ack []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.acks == nil {
		p.acks = map[protocol.Form][]byte{}
	}
	p.acks[place] = ack
}

// understood keeps a form for good.
func (p *peerDialect) understood(typ protocol.Type, form protocol.Form) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.known.Forms[typ] = form
	delete(p.failed, typ)
}

// refused records a form that was not understood. A form at which the peer failed, or whose answer was inconclusive
// (softly), may still have been the right one.
func (p *peerDialect) refused(typ protocol.Type, form protocol.Form, softly bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f := p.failed[typ]
	if slices.Contains(f.forms, form) {
		return
	}
	at := len(f.forms)
	if softly {
		at = f.soft
		f.soft++
	}
	f.forms = slices.Insert(f.forms, at, form)
	p.failed[typ] = f
}

// longestTurn limits the wait for another call that searches for the form of an order.
const longestTurn = 10 * time.Second

// takeTurn waits until no other call searches for the form of an order to the peer, and lets the next one in when
// done. A referee that executes every order, and answers only "ok", is understood only after all other forms were
// refused: a concurrent search would skip the right one.
func (p *peerDialect) takeTurn(ctx context.Context) (done func()) {
	p.mu.Lock()
	if p.turn == nil {
		p.turn = make(chan struct{}, 1)
	}
	turn := p.turn
	p.mu.Unlock()
	late := time.NewTimer(longestTurn)
	defer late.Stop()
	select {
	case turn <- struct{}{}:
		return func() { <-turn }
	case <-late.C: // the other call may wait for its answer for as long as a match takes
	case <-ctx.Done():
	}
	return func() {}
}

// objected notes an error that the peer may have answered because of the message and not because of its form: the first
// one with an HTTP status of a failed program, or else the first error to a message, unless that blames its form.
func (p *peerDialect) objected(typ protocol.Type, form protocol.Form, r *protocol.Refusal, first bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f := p.failed[typ]
	likely := first && f.refusal == nil && (aboutMessage(r) || dialect.BlameOf(r) == dialect.BlameMembers)
	if r.Name == "" && (likely || failedAt(r) && (f.refusal == nil || !failedAt(f.refusal))) {
		f.refusal, f.refused = r, form
		p.failed[typ] = f
	}
}

// aboutMessage reports whether an error cannot be about the form of a message that the peer knows at that place.
func aboutMessage(r *protocol.Refusal) bool {
	blame := dialect.BlameOf(r)
	return failedAt(r) || blame == dialect.BlameUnknown || blame == dialect.BlamePlace
}

// failedAt reports whether an answer has the HTTP status of a program that failed.
func failedAt(r *protocol.Refusal) bool {
	return r != nil && r.HTTPStatus >= http.StatusInternalServerError
}

// crash returns the answer by which the peer's program failed at a message, or nil. Other forms of the message may
// have failed in other ways since: its owner needs to see this one.
func (p *peerDialect) crash(typ protocol.Type) *protocol.Refusal {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r := p.failed[typ].refusal; failedAt(r) {
		return r
	}
	return nil
}

// refusal returns the error that the peer answered to a message, when it has acknowledged another form of it as it
// acknowledges anything; nil: there is none. It is sure if the peer speaks in the frame of the form that it refused,
// or acknowledges unknown methods there: it then knows the method that it answered with an error.
func (p *peerDialect) refusal(typ protocol.Type, acked protocol.Form) (r *protocol.Refusal, sure bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f := p.failed[typ]
	if f.refusal == nil || !aboutMessage(f.refusal) {
		return f.refusal, false
	}
	sure = f.refused.Place() == acked.Place()
	for _, known := range p.known.Forms {
		sure = sure || known.Frame == f.refused.Frame && known.Path == f.refused.Path
	}
	return f.refusal, sure
}

// refusedMessage reports whether the peer answered a message with an error that is not about its form. Errors in
// answers to other forms do not matter then.
func (p *peerDialect) refusedMessage(typ protocol.Type) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.failed[typ].refusal
	return r != nil && aboutMessage(r)
}

// refusedAmongAcks reports whether the peer answered a message with an error at a place where it acknowledges unknown
// methods. Acknowledgements of other forms mean nothing then.
func (p *peerDialect) refusedAmongAcks(typ protocol.Type) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	f := p.failed[typ]
	return f.refusal != nil && aboutMessage(f.refusal) && p.acks[f.refused.Place()] != nil
}

// exhausted notes that no form of a message was understood. News that a peer has no method for are not offered again:
// it then returns true.
func (p *peerDialect) exhausted(spec protocol.Spec) (ignored bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if protocol.IsAck(spec.Reply) && p.failed[spec.Type].soft == 0 {
		p.known.Forms[spec.Type], ignored = protocol.Ignored, true
	}
	return ignored
}
