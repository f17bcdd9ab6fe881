package rpc

import (
	"errors"
	"time"

	"agentleague/dialect"
	"agentleague/protocol"
)

// sense interprets an answer in free form: text instead of a message, or a move in other words than the options. It is
// not used for this program's agents, nor in strict mode. The error of an unreadable answer is stored, see
// [call.heard].
func (c *call) sense(x *exchange) {
	c.objection = nil
	if x.err != nil || !dialect.Senses(c.spec.Type) || c.caller.IsStrict() || c.to.Dialect == protocol.Canonical {
		return
	}
	if x.reply != nil {
		x.warnings = append(x.warnings, dialect.Tidy(x.reply, c.m)...)
		return
	}
	x.reply, x.warnings, c.objection = dialect.Sense(c.m, x.answer,
		protocol.Reading{Now: time.Now(), Conversation: c.m.Head().ConversationID})
}

// heard returns the error for a call without an answer at the deadline. It includes the error of decoding an unreadable
// answer, for the author of the peer.
func (c *call) heard(err error) error {
	if c.objection != nil && (protocol.Is(err, protocol.Timeout) || protocol.Is(err, protocol.InvalidMessage)) {
		return c.objection
	}
	return err
}

// answered reports whether an unreadable answer is final, so that no callback is awaited: it contains a choice, or
// callbacks after such an answer never arrived before.
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
	return c.peer().sendsNoCallback(c.spec.Type)
}

// isInvalidChoice reports whether an answer that could not be decoded contains a choice, which shows that the peer has
// understood the message.
func (c *call) isInvalidChoice(answer []byte) bool {
	return c.objection != nil && dialect.SequelOf(c.m, answer) == dialect.Unlikely
}

// waited records whether a callback arrived while it was awaited.
func (c *call) waited(err error) {
	called := errors.Is(err, ErrAnswered)
	if called || c.objection != nil && protocol.Is(err, protocol.Timeout) {
		c.peer().calledBack(c.spec.Type, called)
	}
}
