package rpc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"agentleague/dialect"
	"agentleague/dialect/notation"
	"agentleague/protocol"
)

// ErrLearning means that a call timed out while the peer was still refusing encodings of the message. The peer is not
// at fault for that time: the call may be repeated.
var ErrLearning = errors.New("the peer's dialect is not known yet")

// ourForm is the encoding of messages among this program's agents.
var ourForm notation.Form

// converse sends the message in the form that the peer understands, or searches for that encoding.
func (c *call) converse(ctx context.Context) (protocol.Message, []string, error) {
	if c.inProfile() && c.spec.Type != protocol.TypeStartMatch { // no document has the contents of that
		return c.sayOnce(ctx)
	}
	if c.to.Dialect == protocol.Canonical || c.spec.Type == protocol.TypePing || // any answer to a ping is one
		c.caller.IsStrict() {
		return c.say(ctx, "", &ourForm)
	}
	p := c.peer()
	row, form, known := p.form(c.spec.Type)
	if !known && c.spec.Type == protocol.TypeStartMatch {
		defer p.takeTurn(ctx)()
		row, form, known = p.form(c.spec.Type) // another call may have learned it
	}
	switch {
	case known && (form == notation.Ignored || form == notation.Polled):
		return nil, nil, c.ignored()
	case known:
		return c.say(ctx, row, &form)
	}
	l := learner{call: c, peer: p, search: p.search(c.to.Endpoint, c.spec.Type)}
	return l.learn(ctx)
}

// Dialect returns the known dialect of a peer as text, which can be stored and set as Peer.Dialect.
func (k *caller) Dialect(to Peer) string {
	if to.Dialect == protocol.Canonical {
		return to.Dialect
	}
	return k.dialects.of(to).String()
}

// ForgetDialect drops the stored dialect of the peer at an endpoint, so that it is detected again.
func (k *caller) ForgetDialect(endpoint string) { k.dialects.forget(endpoint) }

// ignored returns the error for a peer that is known to have no method for the message.
func (c *call) ignored() error {
	return noSuchMethod(fmt.Sprintf("%s takes no %s", c.to.Endpoint, c.spec.Type))
}

// A learner searches for the encoding in which a peer understands a message. It sends the real message in one encoding
// after another: a peer that refuses an encoding has not executed the message, so the next encoding may be tried. The
// encoding that was understood is stored in the peer's dialect.
//
//	next form ─▶ exchange ─▶ judge ─┬─▶ refused, acknowledged ─▶ next form
//	    │                           └─▶ any other verdict: the end of the call
//	    └─▶ no form is left: the first acknowledgement, or an error
type learner struct {
	call   *call
	peer   *peerDialect
	search *dialect.Search
	acked  *exchange // the first form that the peer acknowledged as it acknowledges unknown messages; nil: none
}

// learn tries one encoding after another until the peer understands one. It returns the peer's answer.
func (l *learner) learn(ctx context.Context) (protocol.Message, []string, error) {
	for {
		if err := l.withheld(); err != nil {
			return nil, nil, err
		}
		form, more := l.search.Next()
		if !more {
			return l.exhausted(ctx)
		}
		began := time.Now()
		x := &exchange{form: &form}
		l.call.put(ctx, l.peer.row(), x)
		switch l.judge(ctx, x) {
		case formRefused:
		case formAcked:
			l.acked = cmp.Or(l.acked, x)
			if l.search.First() == nil && l.acksEveryName(ctx, x) {
				return l.settleAcked(ctx, l.acked)
			}
		case allAcked:
			return l.settleAcked(ctx, x)
		case formUnderstood:
			return l.settle(ctx, x)
		case choiceMade:
			l.peer.understood(l.call.spec.Type, form)
			return nil, nil, l.call.await(ctx, x.answer)
		case messageRefused:
			l.peer.understood(l.call.spec.Type, form)
			return nil, nil, x.err
		case peerBusy:
			return nil, nil, x.err
		case noAnswer:
			return l.unanswered(ctx, x.err)
		case toolAnswered:
			return l.settleTool(x)
		}
		searchedSince(ctx, began)
		l.ruleOut(x)
	}
}

// withheld returns an error if no further encodings of broadcasts are tried with the peer, or nil. A peer that
// understands the messages of a match, as the example player does, but no broadcasts, does not receive that broadcast
// again.
func (l *learner) withheld() error {
	c := l.call
	refusal, understood := l.peer.resembles(c.spec.Type)
	switch {
	case refusal == nil, understood == 1: // many agents have one method of that name, and own names for the others
		return nil
	case understood == 0:
		return fmt.Errorf("%w (%w)", refusal, ErrNewsWithheld)
	}
	l.peer.understood(c.spec.Type, notation.Ignored)
	c.logIgnored(refusal)
	return c.ignored()
}

// logIgnored logs that the peer will not be sent messages of this type any more.
func (c *call) logIgnored(err error) {
	c.caller.Logger.Info(fmt.Sprintf("the agent has no method for %s and is not sent it again; it plays without", c.spec.Type),
		slog.String("endpoint", c.to.Endpoint), slog.String("error", redact(err.Error())))
}

// ruleOut records an encoding that was not understood.
func (l *learner) ruleOut(x *exchange) {
	c, form := l.call, *x.form
	refusal, isError := errors.AsType[*protocol.Refusal](x.err)
	if isError {
		l.peer.refused(c.spec, form, refusal, l.search.First() == nil)
	} else {
		refusal = noSuchMethod("the peer acknowledges anything")
		l.peer.ruleOut(c.spec.Type, form, dialect.BlameOf(refusal) == dialect.BlameUnknown)
	}
	c.caller.Logger.Debug("not understood",
		slog.String("endpoint", c.to.Endpoint), slog.String("message_type", string(c.spec.Type)),
		slog.String("form", form.String()), slog.String("error", redact(refusal.Error())))
	if isError {
		l.search.Refused(form, refusal)
	} else {
		l.search.Acknowledged(form, x.answer, refusal)
	}
}

// exhausted returns the result of a search without any further encoding: the first acknowledgement, or an error.
func (l *learner) exhausted(ctx context.Context) (protocol.Message, []string, error) {
	if l.acked != nil {
		return l.settleAcked(ctx, l.acked)
	}
	if l.peer.exhausted(l.call.spec) {
		l.call.logIgnored(l.search.First())
	}
	if crash := l.peer.attempts(l.call.spec.Type).crash(); crash != nil {
		return nil, nil, crash
	}
	return nil, nil, cmp.Or(l.call.unfit, l.search.First())
}

// unanswered returns the result of a search whose last encoding got no answer: the first acknowledgement, or err. If
// other encodings were refused before a timeout, the error includes [ErrLearning].
func (l *learner) unanswered(ctx context.Context, err error) (protocol.Message, []string, error) {
	if l.acked != nil {
		return l.settleAcked(ctx, l.acked)
	}
	crash := l.peer.attempts(l.call.spec.Type).crash()
	switch {
	case !protocol.Is(err, protocol.Timeout):
	case crash != nil:
		err = fmt.Errorf("%w (%w)", crash, ErrLearning)
	case l.search.Offered() > 1:
		err = fmt.Errorf("%w (%w)", err, ErrLearning)
	}
	return nil, nil, err
}

// settleAcked accepts the acknowledgement of a possibly unknown encoding as the peer's answer, since there is no better
// one. If the peer has answered the message with an error, that error is returned instead: at once if it is certainly
// about the message, otherwise if no callback follows.
func (l *learner) settleAcked(ctx context.Context, x *exchange) (protocol.Message, []string, error) {
	refusal, sure := l.peer.refusal(l.call.spec.Type, *x.form)
	if x.odd && sure {
		return nil, nil, refusal
	}
	reply, warnings, err := l.settle(ctx, x)
	if objection := l.call.objection; refusal != nil &&
		(protocol.Is(err, protocol.Timeout) || objection != nil && errors.Is(err, objection)) {
		err = refusal
	}
	return reply, warnings, err
}

// settle accepts the peer's response as its answer. If it is inconclusive, settle waits for a callback; without one,
// the encoding is not stored as understood.
func (l *learner) settle(ctx context.Context, x *exchange) (protocol.Message, []string, error) {
	typ := l.call.spec.Type
	if x.odd {
		if x.err = l.call.await(ctx, x.answer); !errors.Is(x.err, ErrAnswered) {
			l.peer.ruleOut(typ, *x.form, true)
			return nil, nil, x.err
		}
	}
	l.peer.understood(typ, *x.form)
	return x.reply, x.warnings, x.err
}

// settleTool accepts the answer of a real MCP server. It is final: no other encoding is tried after an MCP handshake.
func (l *learner) settleTool(x *exchange) (protocol.Message, []string, error) {
	switch {
	case l.call.toolless && protocol.IsAck(l.call.spec.Reply): // news that it has no tool for
		l.peer.understood(l.call.spec.Type, notation.Ignored)
	case !l.call.toolless:
		l.peer.understood(l.call.spec.Type, *x.form)
	}
	return x.reply, x.warnings, x.err
}
