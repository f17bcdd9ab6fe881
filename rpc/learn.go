package rpc

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"agentleague/dialect"
	"agentleague/protocol"
)

// Hardly two agents of different makes speak alike. How a peer wants to be
// spoken to is found out with the real message in hand: a form that it refuses
// was not executed, so the next may be offered. What was understood is kept.

// ErrLearning is in the error of a call whose time ran out while the peer was
// still refusing forms of the message. The time was not the peer's: the call
// may be made again.
var ErrLearning = errors.New("the peer's dialect is not known yet")

// Dialect returns what is known of how to speak to a peer, as a text that can
// be kept and given to others.
func (n *Node) Dialect(to Peer) string {
	if to.Dialect == protocol.Canonical {
		return to.Dialect
	}
	return n.dialectOf(to).String()
}

// converse sends a message in the form that the peer understands, or finds that out.
func (n *Node) converse(
	ctx context.Context, to Peer, spec protocol.Spec, m protocol.Message,
) (protocol.Message, []string, error) {
	if to.Dialect == protocol.Canonical || spec.Type == protocol.TypePing { // any answer to a ping is one
		reply, warnings, _, err := n.say(ctx, to, "", protocol.Form{}, spec, m)
		return reply, warnings, err
	}
	p := n.dialectOf(to)
	row, form, known := p.form(spec.Type)
	switch {
	case known && (form == protocol.Deaf || form == protocol.Polled):
		return nil, nil, noSuchMethod(fmt.Sprintf("%s takes no %s", to.Endpoint, spec.Type))
	case known:
		reply, warnings, _, err := n.say(ctx, to, row, form, spec, m)
		return reply, warnings, err
	}
	return n.learn(ctx, p, to, spec, m)
}

func noSuchMethod(why string) *protocol.Refusal {
	return &protocol.Refusal{Code: protocol.MethodNotFound, Message: why}
}

// learn offers a message in one form after another until one is understood.
func (n *Node) learn(
	ctx context.Context, p *peerDialect, to Peer, spec protocol.Spec, m protocol.Message,
) (protocol.Message, []string, error) {
	s := p.search(to.Endpoint, spec.Type)
	var acked *exchange // the first that the peer acknowledged, as it does with anything
	for {
		form, more := s.Next()
		if !more && acked == nil {
			p.exhausted(spec)
			return nil, nil, s.First()
		}
		if !more { // it has no other answer
			return n.settle(ctx, p, to, spec, m, *acked)
		}
		x := n.put(ctx, to, p.row(), form, spec, m)
		var refusal *protocol.Refusal
		switch {
		case x.err == nil && x.mute && s.More(),
			x.err == nil && doubtful(x.status, x.answer, x.reply) && n.acksAnything(ctx, p, to, s, form, x.answer):
			if acked == nil {
				acked = &x
			}
			refusal = noSuchMethod("the peer acknowledges anything")
		case x.err == nil || errors.Is(x.err, ErrAnswered):
			return n.settle(ctx, p, to, spec, m, x)
		case !errors.As(x.err, &refusal) && acked != nil:
			return n.settle(ctx, p, to, spec, m, *acked)
		case !errors.As(x.err, &refusal):
			if s.Offered() > 1 && protocol.Is(x.err, protocol.Timeout) {
				x.err = fmt.Errorf("%w (%w)", x.err, ErrLearning)
			}
			return nil, nil, x.err
		case refusal.Name == protocol.RateLimited.Name: // it has not looked at the message
			return nil, nil, x.err
		case dialect.BlameOf(refusal) == dialect.BlameNothing:
			p.understood(spec.Type, form)
			return nil, nil, x.err
		case dialect.BlameOf(refusal) == dialect.BlameMoment:
			return nil, nil, x.err
		}
		p.refused(spec.Type, form, dialect.BlameOf(refusal) == dialect.BlameUnknown)
		n.Logger.Debug("not understood", slog.String("endpoint", to.Endpoint), slog.String("message_type", string(spec.Type)),
			slog.String("form", form.String()), slog.String("error", redact(refusal.Error())))
		s.Refused(form, refusal)
	}
}

// settle takes what a peer said for its answer. If it said nothing of use, its
// answer may come by a call; a form that leads to none is doubted.
func (n *Node) settle(
	ctx context.Context, p *peerDialect, to Peer, spec protocol.Spec, m protocol.Message, x exchange,
) (protocol.Message, []string, error) {
	if x.odd {
		if x.err = n.await(ctx, to, spec, m); !errors.Is(x.err, ErrAnswered) {
			p.refused(spec.Type, x.form, true)
			return nil, nil, x.err
		}
	}
	p.understood(spec.Type, x.form)
	return x.reply, x.warnings, x.err
}
