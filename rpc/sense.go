package rpc

import (
	"errors"
	"time"

	"agentleague/dialect"
	"agentleague/protocol"
)

// sense reads an answer as a person would: one without a message, or with a move in other words. It is not used for
// our own agents, nor in strict mode. The error in an unreadable answer is kept for its author, see [call.heard].
func (c *call) sense(x *exchange) {
	c.objection = nil
	if x.err != nil || !dialect.Senses(c.spec.Type) || c.node.Strict || c.to.Dialect == protocol.Canonical {
		return
	}
	if x.reply != nil {
		x.warnings = append(x.warnings, dialect.Tidy(x.reply, c.m)...)
		return
	}
	x.reply, x.warnings, c.objection = dialect.Sense(c.m, x.answer,
		protocol.Reading{Now: time.Now(), Conversation: c.m.Head().ConversationID})
}

// heard returns why there is no answer at the deadline, including the error in an unreadable one.
func (c *call) heard(err error) error {
	if c.objection != nil && (protocol.Is(err, protocol.Timeout) || protocol.Is(err, protocol.InvalidMessage)) {
		return c.objection
	}
	return err
}

// answered reports whether an unreadable answer is final, so that no callback is awaited: it chooses, or no callback
// has followed such an answer before.
func (c *call) answered(said []byte) bool {
	if c.objection == nil {
		return false
	}
	switch dialect.SequelOf(c.m, said) {
	case dialect.Unlikely:
		return true
	case dialect.Promised:
		return false
	}
	return c.node.dialects.of(c.to).sendsNoCallback(c.spec.Type)
}

// chose reports whether an answer that cannot be read shows that the peer understood the message.
func (c *call) chose(said []byte) bool {
	return c.objection != nil && dialect.SequelOf(c.m, said) == dialect.Unlikely
}

// waited notes how it ended that a peer's call was waited for.
func (c *call) waited(err error) {
	called := errors.Is(err, ErrAnswered)
	if called || c.objection != nil && protocol.Is(err, protocol.Timeout) {
		c.node.dialects.of(c.to).calledBack(c.spec.Type, called)
	}
}

// siblings are the expectations of the other type of message in which a move
// can be answered. The caller holds the lock.
func (x *expectations) siblings(m protocol.Message) (open []*Expectation) {
	if dialect.AsSibling(m) == nil {
		return nil
	}
	h := m.Head()
	for _, e := range x.waiting[question{h.MatchID, dialect.Sibling(h.MessageType)}] {
		if e.guesses() {
			open = append(open, e)
		}
	}
	return open
}

// tidied returns an answer that came by a call as it is expected: in the type
// of message that was asked for, its move as it was offered.
func (e *Expectation) tidied(m protocol.Message) protocol.Message {
	if !e.guesses() {
		return m
	}
	if other := dialect.AsSibling(m); other != nil && m.Head().MessageType != e.Type {
		m = other
	}
	if e.Asked != nil {
		dialect.Tidy(m, e.Asked)
	}
	return m
}

// guesses reports whether an answer may be in other words than ours.
func (e *Expectation) guesses() bool { return !e.among.strict && e.Peer.Dialect != protocol.Canonical }

// calledBack records whether a callback followed an answer to a message. A single one counts permanently.
func (p *peerDialect) calledBack(typ protocol.Type, called bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.callsBack == nil {
		p.callsBack = map[protocol.Type]bool{}
	}
	p.callsBack[typ] = p.callsBack[typ] || called
}

// sendsNoCallback reports whether callbacks of the peer after its answer to a message were awaited and never came.
func (p *peerDialect) sendsNoCallback(typ protocol.Type) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	called, waited := p.callsBack[typ]
	return waited && !called
}
