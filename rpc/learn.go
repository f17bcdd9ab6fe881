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
	s := t.search(to.Endpoint, spec.Type)
	var nodded *saying // the first that the peer nodded at, as it nods at everything
	for {
		form, more := s.next()
		if !more && nodded == nil {
			t.exhausted(spec)
			return nil, nil, s.first
		}
		if !more { // it has no other answer
			return n.settle(ctx, t, to, spec, m, *nodded)
		}
		said := n.put(ctx, to, t.row(), form, spec, m)
		var refusal *protocol.Refusal
		switch {
		case said.err == nil && said.mute && len(s.todo) > 0,
			said.err == nil && doubtful(said.status, said.answer, said.reply) && n.shrugs(ctx, t, to, s, form, said.answer):
			if nodded == nil {
				nodded = &said
			}
			refusal = &protocol.Refusal{Code: protocol.MethodNotFound, Message: "the peer nods at everything"}
		case said.err == nil || errors.Is(said.err, ErrAnswered):
			return n.settle(ctx, t, to, spec, m, said)
		case !errors.As(said.err, &refusal) && nodded != nil:
			return n.settle(ctx, t, to, spec, m, *nodded)
		case !errors.As(said.err, &refusal):
			if len(s.tried) > 1 && protocol.Is(said.err, protocol.Timeout) {
				said.err = fmt.Errorf("%w (%w)", said.err, ErrLearning)
			}
			return nil, nil, said.err
		case refusal.Name == protocol.RateLimited.Name: // it has not looked at the message
			return nil, nil, said.err
		case refusal.Blame() == protocol.BlameNothing:
			t.understood(spec.Type, form)
			return nil, nil, said.err
		case refusal.Blame() == protocol.BlameMoment:
			return nil, nil, said.err
		}
		t.refused(spec.Type, form, refusal.Blame() == protocol.BlameUnknown)
		n.Logger.Debug("not understood", slog.String("endpoint", to.Endpoint), slog.String("message_type", string(spec.Type)),
			slog.String("form", form.String()), slog.String("error", redact(refusal.Error())))
		s.refused(form, refusal)
	}
}

// settle takes what a peer said for its answer. If it said nothing of use its
// answer may come by a call; a form that leads to none is doubted.
func (n *Node) settle(ctx context.Context, t *tongue, to Peer, spec protocol.Spec, m protocol.Message, said saying) (protocol.Message, []string, error) {
	if said.odd {
		if said.err = n.await(ctx, to, spec, m); !errors.Is(said.err, ErrAnswered) {
			t.refused(spec.Type, said.form, true)
			return nil, nil, said.err
		}
	}
	t.understood(spec.Type, said.form)
	return said.reply, said.warnings, said.err
}
