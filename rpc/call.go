package rpc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"agentleague/dialect"
	"agentleague/protocol"
)

// Call sends m to a peer and returns its answer. The error says whose failure
// it is: a [protocol.Error] of kind Timeout or Connection for a peer that was
// not heard, of kind EndpointNotAllowed for one that may not be called, a
// [protocol.Refusal] for one that answered with an error.
//
// The answer may take as long as ctx says, or else as the protocol does.
//
// A message whose reply is a mere acknowledgement is acknowledged by any
// answer; the message returned is nil if the answer was not a message. An
// answer of another kind that holds no message is an error, unless it may come
// as a call of the peer's own (see [Node.Expect]): then the deadline is waited for.
//
// Call completes the envelope of m, so that one message is for one peer at a time.
func (n *Node) Call(ctx context.Context, to Peer, m protocol.Message) (protocol.Message, error) {
	spec, ok := protocol.Lookup(m.Head().MessageType)
	if !ok {
		return nil, fmt.Errorf("call %s: no such message", m.Head().MessageType)
	}
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, spec.Deadline)
		defer cancel()
	}
	start := time.Now()
	n.stamp(m)
	if h := m.Head(); h.AuthToken == "" {
		h.AuthToken = to.Token
	}
	n.observe(Message{Sent: true, Peer: to.Endpoint, Message: m})
	reply, warnings, err := n.converse(ctx, to, spec, m)
	n.called(ctx, spec.Type, err)
	if reply != nil || err != nil && !errors.Is(err, ErrAnswered) { // that answer has been observed as it came
		n.observe(Message{Peer: to.Endpoint, Message: reply, Reply: true, Elapsed: time.Since(start), Err: err, Warnings: warnings})
	}
	return reply, err
}

// say sends a message in one form. Odd tells that the peer took it and said
// nothing of use: it must not get it again before the deadline, unless there is
// no error, for then it may not even have understood it.
func (n *Node) say(ctx context.Context, to Peer, row string, form protocol.Form, spec protocol.Spec, m protocol.Message) (reply protocol.Message, warnings []string, odd bool, err error) {
	s := n.put(ctx, to, row, form, spec, m)
	if s.odd {
		return nil, nil, true, n.await(ctx, to, spec, m)
	}
	return s.reply, s.warnings, false, s.err
}

// An exchange is what came of a message that was put to a peer in one form.
type exchange struct {
	form     protocol.Form
	status   int
	answer   []byte
	reply    protocol.Message
	warnings []string
	odd      bool // it was taken, and nothing of use was said: the answer may come by a call
	mute     bool // nothing was said at all: it may not even have been understood
	err      error
}

// put sends a message in one form and reads what the peer says to it.
func (n *Node) put(ctx context.Context, to Peer, row string, form protocol.Form, spec protocol.Spec, m protocol.Message) (s exchange) {
	s.form = form
	back, ended := false, n.calling(m, spec.Reply)
	defer func() { ended(back, s.reply != nil) }()
	if s.status, s.answer, s.err = n.send(ctx, to, row, form, m); s.err != nil {
		var refusal *protocol.Refusal
		back, s.err = errors.As(s.err, &refusal), unheard(ctx, spec, to, s.err)
		return s
	}
	back = true
	s.reply, s.warnings, s.err = dialect.Unframe(s.status, s.answer, spec.Reply, protocol.Reading{Now: time.Now(), Conversation: m.Head().ConversationID})
	if s.err == nil && s.reply == nil && s.status/100 != 2 {
		s.err = &protocol.Refusal{HTTPStatus: s.status, Message: fmt.Sprintf("HTTP status %d", s.status)}
	}
	if s.reply != nil || s.err != nil || protocol.IsAck(spec.Reply) {
		return s
	}
	if to.Dialect != protocol.Canonical {
		s.reply = taken(s.answer, spec.Reply, m)
		s.mute = spec.Type == protocol.TypeStartMatch && dialect.SaysNothing(s.answer)
	}
	s.odd = s.reply == nil
	return s
}

// await waits for an answer that comes by a call, and returns why there is none yet.
func (n *Node) await(ctx context.Context, to Peer, spec protocol.Spec, m protocol.Message) error {
	if !n.expects(m, spec.Reply) {
		return protocol.Errorf(protocol.InvalidMessage, "%s at %s answered without a %s", spec.To, to.Endpoint, spec.Reply)
	}
	deadline, _ := ctx.Deadline()
	err := n.Sleep(ctx, label(m)+" callback", time.Until(deadline))
	return unheard(ctx, spec, to, cmp.Or(err, context.DeadlineExceeded))
}

// taken returns the answer that an agent without one of its own means, with
// the result of a match if that is told in it.
func taken(answer []byte, reply protocol.Type, m protocol.Message) protocol.Message {
	read := dialect.ImpliedReply(reply)
	ack, ok := read.(*protocol.StartMatchAck)
	if order, is := m.(*protocol.StartMatch); ok && is {
		ack.Result = dialect.ResultInAnswer(answer, order)
	}
	return read
}

// send puts a message in a form on its way.
func (n *Node) send(ctx context.Context, to Peer, row string, form protocol.Form, m protocol.Message) (status int, answer []byte, err error) {
	if form.Frame == "mcp" {
		return n.callTool(ctx, to, m)
	}
	body, err := dialect.Frame(row, form, m, n.nextID.Add(1))
	if err != nil {
		return 0, nil, err
	}
	where := placed(to.Endpoint, form.Path)
	if form.Frame == "query" {
		where, body = where+"?"+dialect.Query(body), nil
	}
	return n.Network.Post(ctx, where, label(m), body)
}

// placed returns an endpoint with another path, if one is given.
func placed(endpoint, path string) string {
	if path == "" {
		return endpoint
	}
	u, err := url.Parse(endpoint)
	if err != nil {
		return endpoint
	}
	u.Path, u.RawPath = path, ""
	return u.String()
}

// unheard turns a failure of the network into the protocol's words. A network
// has deadlines of its own, for connecting: those are not the answer's.
func unheard(ctx context.Context, spec protocol.Spec, to Peer, err error) error {
	deadline, _ := ctx.Deadline()
	var refusal *protocol.Refusal
	var ours *protocol.Error
	switch {
	case errors.As(err, &refusal) || errors.As(err, &ours):
		return err
	case Permanent(err) != nil:
		return Permanent(err)
	case errors.Is(err, context.DeadlineExceeded) && !time.Now().Before(deadline):
		return protocol.Errorf(protocol.Timeout, "no %s from %s within the deadline", spec.Reply, to.Endpoint)
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return protocol.Errorf(protocol.Connection, "%s gave no answer: %v", to.Endpoint, err)
}

// label tells what a call is about, in the same words whenever it is repeated.
func label(m protocol.Message) string {
	h := m.Head()
	switch {
	case h.MatchID != "":
		return string(h.MessageType) + " " + h.MatchID
	case h.RoundID != 0:
		return fmt.Sprintf("%s %d", h.MessageType, h.RoundID)
	}
	return string(h.MessageType)
}
