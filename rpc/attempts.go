package rpc

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"time"

	"agentleague/dialect"
	"agentleague/dialect/notation"
	"agentleague/protocol"
)

// attempts are the encodings of a message that a peer has not understood, the most promising first.
type attempts struct {
	forms   []notation.Form
	soft    int               // how many of them the peer failed at, rather than refused
	refusal *protocol.Refusal // the answer that most likely is about the message and not about its form; nil: none was
	refused notation.Form     // the form that it answered so
	example *protocol.Refusal // the answer as the documents' example player gives it, see example.go; nil: none
}

// attempts returns the encodings of messages of type typ that the peer has not understood.
func (p *peerDialect) attempts(typ protocol.Type) attempts {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.failed[typ]
}

// search returns a search for the form of a message that continues after the failed attempts. For a peer that processes
// and acknowledges every message, the search offers only the encoding that was sent before.
func (p *peerDialect) search(endpoint string, typ protocol.Type) *dialect.Search {
	p.mu.Lock()
	defer p.mu.Unlock()
	known, failed := p.known, p.failed[typ]
	if known.Nods && failed.soft > 0 {
		known.Forms = map[protocol.Type]notation.Form{typ: failed.forms[0]}
		return dialect.NewSearch(known, endpoint, typ, nil)
	}
	known.Forms = maps.Clone(known.Forms)
	for t, form := range p.names {
		if _, is := known.Forms[t]; !is {
			known.Forms[t] = form
		}
	}
	return dialect.NewSearch(known, endpoint, typ, failed.forms)
}

// refused records the refusal of an encoding. It also stores the error as the likely refusal of the message itself, if
// it is the first one with HTTP status 5xx, or the first error at all and does not blame the encoding. first means that
// no other error came before.
func (p *peerDialect) refused(spec protocol.Spec, form notation.Form, r *protocol.Refusal, first bool) {
	p.ruleOut(spec.Type, form, dialect.BlameOf(r) == dialect.BlameUnknown)
	p.mu.Lock()
	defer p.mu.Unlock()
	f := p.failed[spec.Type]
	likely := first && f.refusal == nil && (aboutMessage(r) || dialect.BlameOf(r) == dialect.BlameMembers)
	if r.Name == "" && (likely || failedAt(r) && (f.refusal == nil || !failedAt(f.refusal))) {
		f.refusal, f.refused = r, form
	}
	if likeExample(spec, form, r) {
		f.example = r
	}
	p.failed[spec.Type] = f
}

// ruleOut records an encoding that was not understood. softly means that the peer failed or the answer was
// inconclusive, so that the encoding may be the right one.
func (p *peerDialect) ruleOut(typ protocol.Type, form notation.Form, softly bool) {
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

// aboutMessage reports whether an error is about the content of the message rather than its encoding, provided that the
// peer knows the method.
func aboutMessage(r *protocol.Refusal) bool {
	blame := dialect.BlameOf(r)
	return failedAt(r) || blame == dialect.BlameUnknown || blame == dialect.BlamePlace
}

// failedAt reports whether an answer has an HTTP status of 500 or above, so that the peer's program has failed.
func failedAt(r *protocol.Refusal) bool {
	return r != nil && r.HTTPStatus >= http.StatusInternalServerError
}

// crash returns the refusal by which the peer's program failed at a message, or nil. Its owner needs to see this error
// rather than later errors about other encodings.
func (f attempts) crash() *protocol.Refusal {
	if failedAt(f.refusal) {
		return f.refusal
	}
	return nil
}

// messageRefused reports whether the peer has refused the content of the message, not only its encoding. Errors in
// answers to other encodings are then irrelevant.
func (f attempts) messageRefused() bool { return f.refusal != nil && aboutMessage(f.refusal) }

// refusal returns the peer's error that is likely about the message, or nil, for a peer that has acknowledged another
// encoding only as it acknowledges unknown messages. sure means that the peer knows the method that it answered with an
// error: it has understood other messages in that frame, or acknowledges unknown methods there.
func (p *peerDialect) refusal(typ protocol.Type, acked notation.Form) (r *protocol.Refusal, sure bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f := p.failed[typ]
	if !f.messageRefused() {
		return f.refusal, false
	}
	sure = f.refused.Place() == acked.Place()
	for _, known := range p.known.Forms {
		sure = sure || known.Frame == f.refused.Frame && known.Path == f.refused.Path
	}
	return f.refusal, sure
}

// refusedAmongAcks reports whether the peer refused a message where it acknowledges unknown methods. Acknowledgements
// of other encodings then mean nothing.
func (p *peerDialect) refusedAmongAcks(typ protocol.Type) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	f := p.failed[typ]
	return f.messageRefused() && p.acks[f.refused.Place()] != nil
}

// exhausted records that the peer understood no form of a message. It returns true for broadcasts for which the peer
// has no method: they are not sent to it again.
func (p *peerDialect) exhausted(spec protocol.Spec) (ignored bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if protocol.IsAck(spec.Reply) && p.failed[spec.Type].soft == 0 {
		p.known.Forms[spec.Type], ignored = notation.Ignored, true
	}
	return ignored
}

// turnTimeout limits how long an order waits for another call that is searching for the encoding of orders.
const turnTimeout = 10 * time.Second

// takeTurn makes searches for the encoding of orders to one peer exclusive; call done to end the turn. It stops waiting
// for the turn after turnTimeout or when ctx ends, and the caller then searches without it. A referee that executes
// every order and answers only "ok" is understood only after all other encodings were refused: a concurrent search
// could skip the right encoding.
func (p *peerDialect) takeTurn(ctx context.Context) (done func()) {
	p.mu.Lock()
	if p.turn == nil {
		p.turn = make(chan struct{}, 1)
	}
	turn := p.turn
	p.mu.Unlock()
	late := time.NewTimer(turnTimeout)
	defer late.Stop()
	select {
	case turn <- struct{}{}:
		return func() { <-turn }
	case <-late.C: // the other call may wait for its answer for as long as a match takes
	case <-ctx.Done():
	}
	return func() {}
}
