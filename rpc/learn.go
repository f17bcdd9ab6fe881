package rpc

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"agentleague/protocol"
)

// Hardly two agents in the world speak alike. How a peer wants to be spoken to
// is found out with the real message in hand: a form that it refuses was not
// executed, so the next may be offered. What was understood is kept.

// ErrLearning is in the error of a call whose time ran out while the peer was
// still refusing forms of the message. It was not its time: the call may be made again.
var ErrLearning = errors.New("the peer's dialect is not known yet")

// Dialect returns what is known of how to speak to a peer, as a text that can
// be kept and given to others.
func (n *Node) Dialect(to Peer) string {
	if to.Dialect == protocol.Canonical {
		return to.Dialect
	}
	return n.tongueOf(to).String()
}

// converse sends a message in the form that the peer understands, or finds that out.
func (n *Node) converse(ctx context.Context, to Peer, spec protocol.Spec, m protocol.Message) (protocol.Message, []string, error) {
	if to.Dialect == protocol.Canonical || spec.Type == protocol.TypePing { // any answer to a ping is one
		reply, warnings, _, err := n.say(ctx, to, "", protocol.Form{}, spec, m)
		return reply, warnings, err
	}
	t := n.tongueOf(to)
	row, form, known := t.form(spec.Type)
	switch {
	case known && (form == protocol.Deaf || form == protocol.Polled):
		return nil, nil, &protocol.Refusal{Code: protocol.MethodNotFound, Message: fmt.Sprintf("%s takes no %s", to.Endpoint, spec.Type)}
	case known:
		reply, warnings, _, err := n.say(ctx, to, row, form, spec, m)
		return reply, warnings, err
	}
	return n.learn(ctx, t, to, spec, m)
}

// learn offers a message in one form after another until one is understood.
func (n *Node) learn(ctx context.Context, t *tongue, to Peer, spec protocol.Spec, m protocol.Message) (protocol.Message, []string, error) {
	s := newSearch(to.Endpoint, t.candidates(spec.Type))
	for {
		form, more := s.next()
		if !more && s.taken != nil {
			t.understood(spec.Type, *s.taken)
			return s.reply, nil, nil
		}
		if !more {
			t.exhausted(spec, s)
			return nil, nil, s.first
		}
		reply, warnings, odd, err := n.say(ctx, to, t.row(), form, spec, m)
		if odd && err != nil && !errors.Is(err, ErrAnswered) {
			t.doubt(spec.Type, form)
		}
		var refusal *protocol.Refusal
		switch {
		case err == nil && odd && len(s.todo) > 0:
			s.perhaps(form, reply)
			continue
		case err == nil || errors.Is(err, ErrAnswered):
			t.understood(spec.Type, form)
			return reply, warnings, err
		case !errors.As(err, &refusal) && s.taken != nil:
			t.understood(spec.Type, *s.taken)
			return s.reply, nil, nil
		case !errors.As(err, &refusal):
			if len(s.tried) > 1 && !odd && protocol.Is(err, protocol.Timeout) {
				err = fmt.Errorf("%w (%w)", err, ErrLearning)
			}
			return nil, nil, err
		case refusal.Blame() == protocol.BlameNothing:
			t.understood(spec.Type, form)
			return nil, nil, err
		}
		n.Logger.Debug("not understood", slog.String("endpoint", to.Endpoint), slog.String("message_type", string(spec.Type)),
			slog.String("form", form.String()), slog.String("error", redact(err.Error())))
		s.refused(form, refusal)
	}
}
