package rpc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"agentleague/dialect"
	"agentleague/protocol"
)

// Third-party agents differ in their dialects. The dialect of a peer is learned with the real message: a form that it
// refuses was not executed, so the next may be tried. The form that was understood is stored.

// ErrLearning is in the error of a call that timed out while the peer was still refusing forms of the message. The
// time does not count as the peer's: the call may be repeated.
var ErrLearning = errors.New("the peer's dialect is not known yet")

// Dialect returns the known dialect of a peer, as a text that can be stored and passed on.
func (n *Node) Dialect(to Peer) string {
	if to.Dialect == protocol.Canonical {
		return to.Dialect
	}
	return n.dialects.of(to).String()
}

// ourForm is that of our own agents.
var ourForm protocol.Form

// converse sends the message in the form that the peer understands, or finds that form out.
func (c *call) converse(ctx context.Context) (protocol.Message, []string, error) {
	if c.to.Dialect == protocol.Canonical || c.spec.Type == protocol.TypePing { // any answer to a ping is one
		return c.say(ctx, "", &ourForm)
	}
	p := c.node.dialects.of(c.to)
	row, form, known := p.form(c.spec.Type)
	if !known && c.spec.Type == protocol.TypeStartMatch {
		defer p.takeTurn(ctx)()
		row, form, known = p.form(c.spec.Type) // another call may have learned it
	}
	switch {
	case known && (form == protocol.Ignored || form == protocol.Polled):
		return nil, nil, c.ignored()
	case known:
		return c.say(ctx, row, &form)
	}
	return c.learn(ctx, p)
}

// ignored returns the error of a call to a peer that is known to have no method for the message.
func (c *call) ignored() error {
	return noSuchMethod(fmt.Sprintf("%s takes no %s", c.to.Endpoint, c.spec.Type))
}

func noSuchMethod(why string) *protocol.Refusal {
	return &protocol.Refusal{Code: protocol.MethodNotFound, Message: why}
}

// learn offers the message in one form after another until one is understood.
func (c *call) learn(ctx context.Context, p *peerDialect) (protocol.Message, []string, error) {
	s := p.search(c.to.Endpoint, c.spec.Type)
	var acked *exchange // the first form that the peer acknowledged, as it does with anything
	for {
		if err := c.withheld(p); err != nil {
			return nil, nil, err
		}
		form, more := s.Next()
		if !more && acked == nil {
			if p.exhausted(c.spec) {
				c.logIgnored(s.First())
			}
			if crash := p.crash(c.spec.Type); crash != nil {
				return nil, nil, crash
			}
			return nil, nil, cmp.Or(c.unfit, s.First())
		}
		if !more { // it has no other answer
			return c.settleAcked(ctx, p, acked)
		}
		began := time.Now()
		x := &exchange{form: &form}
		c.put(ctx, p.row(), x)
		if c.met && isAnswer(x.err) {
			return c.settleMet(p, x)
		}
		var refusal *protocol.Refusal
		switch {
		case x.err == nil && x.mute && s.More(),
			x.err == nil && doubtful(x.status, x.answer, x.reply) && !p.acksEverything() && c.acksAnything(ctx, p, s, form, x.answer),
			x.err == nil && x.odd && dialect.Broken(x.answer) && p.refusedMessage(c.spec.Type):
			if acked == nil {
				acked = x
			}
			if s.First() == nil && c.acksEveryName(ctx, p, form, lastingOf(x.answer)) {
				return c.settleAcked(ctx, p, acked)
			}
			refusal = noSuchMethod("the peer acknowledges anything")
		case x.err == nil && p.acksEverything():
			return c.settleAcked(ctx, p, x)
		case x.err == nil && x.odd && c.chose(x.answer):
			p.understood(c.spec.Type, form)
			return nil, nil, c.await(ctx, x.answer)
		case x.err == nil || errors.Is(x.err, ErrAnswered):
			return c.settle(ctx, p, x)
		case !errors.As(x.err, &refusal) && acked != nil:
			return c.settleAcked(ctx, p, acked)
		case !errors.As(x.err, &refusal):
			crash := p.crash(c.spec.Type)
			if (s.Offered() > 1 || crash != nil) && protocol.Is(x.err, protocol.Timeout) {
				x.err = stillLearning(x.err, crash)
			}
			return nil, nil, x.err
		case refusal.Name == protocol.RateLimited.Name: // it has not read the message
			return nil, nil, x.err
		case dialect.BlameOf(refusal) == dialect.BlameNothing:
			p.understood(c.spec.Type, form)
			return nil, nil, x.err
		case dialect.BlameOf(refusal) == dialect.BlameMoment:
			return nil, nil, x.err
		}
		searchedSince(ctx, began)
		if x.err != nil {
			p.objected(c.spec.Type, form, refusal, s.First() == nil)
		}
		p.refused(c.spec.Type, form, dialect.BlameOf(refusal) == dialect.BlameUnknown)
		p.comparedToExample(c.spec, form, refusal)
		c.node.Logger.Debug("not understood",
			slog.String("endpoint", c.to.Endpoint), slog.String("message_type", string(c.spec.Type)),
			slog.String("form", form.String()), slog.String("error", redact(refusal.Error())))
		if x.err == nil {
			s.Acknowledged(form, x.answer, refusal)
		} else {
			s.Refused(form, refusal)
		}
	}
}

// stillLearning reports that the time ran out before a form was understood, or that the peer's program failed at one.
func stillLearning(err error, crash *protocol.Refusal) error {
	if crash != nil {
		err = crash
	}
	return fmt.Errorf("%w (%w)", err, ErrLearning)
}

// settleAcked takes the acknowledgement of an unknown form for the peer's answer, for want of another. An error that
// the peer answered to the message is its answer instead: at once if it surely is about the message, and else when no
// call of the peer's own follows.
func (c *call) settleAcked(ctx context.Context, p *peerDialect, x *exchange) (protocol.Message, []string, error) {
	refusal, sure := p.refusal(c.spec.Type, *x.form)
	if x.odd && sure {
		return nil, nil, refusal
	}
	reply, warnings, err := c.settle(ctx, p, x)
	if refusal != nil && (protocol.Is(err, protocol.Timeout) || c.objection != nil && errors.Is(err, c.objection)) {
		err = refusal
	}
	return reply, warnings, err
}

// settle takes the peer's response as its answer. If that is inconclusive, a callback may follow; a form that leads
// to none is doubted.
func (c *call) settle(ctx context.Context, p *peerDialect, x *exchange) (protocol.Message, []string, error) {
	if x.odd {
		if x.err = c.await(ctx, x.answer); !errors.Is(x.err, ErrAnswered) {
			p.refused(c.spec.Type, *x.form, true)
			return nil, nil, x.err
		}
	}
	p.understood(c.spec.Type, *x.form)
	return x.reply, x.warnings, x.err
}
