package rpc

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"agentleague/dialect"
	"agentleague/dialect/notation"
	"agentleague/protocol"
)

// say sends the message in one encoding and returns the answer. If the peer accepted it without a usable answer, say
// waits for a callback until the deadline, since the peer must not receive the message again before that.
func (c *call) say(ctx context.Context, row string, form *notation.Form) (protocol.Message, []string, error) {
	x := exchange{form: form}
	c.put(ctx, row, &x)
	if x.odd {
		return nil, nil, c.await(ctx, x.answer)
	}
	return x.reply, x.warnings, x.err
}

// An exchange is a message sent in one encoding, and its outcome.
type exchange struct {
	form     *notation.Form // not to be changed
	status   int
	answer   []byte
	reply    protocol.Message
	warnings []string
	odd      bool // accepted without a usable answer: a callback may follow
	mute     bool // an empty answer: the message may not have been understood
	err      error
}

// put sends the message in the encoding of exchange x and stores the peer's answer in x.
func (c *call) put(ctx context.Context, row string, x *exchange) {
	back, expected := false, c.caller.expected.calling(c.m, c.spec.Reply)
	defer func() { expected.called(back, x.reply != nil) }()
	if x.status, x.answer, x.err = c.send(ctx, row, x.form); x.err != nil {
		back, x.err = errors.As(x.err, new(*protocol.Refusal)), c.asProtocolError(ctx, x.err)
		return
	}
	back = true
	c.read(x)
	c.keepResult(x)
}

// read parses the answer that exchange x has received.
func (c *call) read(x *exchange) {
	if c.to.Auth != nil {
		m, err := c.to.Auth.ReadAnswer(x.answer, c.spec.Reply, c.m.Head().ConversationID)
		if !errors.Is(err, ErrNotAgreed) {
			x.reply, x.err = m, c.authentic(err, x.answer)
			return
		}
	}
	x.reply, x.warnings, x.err = dialect.Unframe(x.status, x.answer, c.spec.Reply,
		protocol.Reading{Now: time.Now(), Conversation: c.m.Head().ConversationID})
	x.warnings = c.caller.Profile.Unusual(x.warnings)
	if x.err == nil && x.reply == nil && x.status/100 != 2 {
		x.err = &protocol.Refusal{HTTPStatus: x.status, Message: fmt.Sprintf("HTTP status %d", x.status)}
	}
	c.grade(x)
	c.sense(x)
	c.noteAsked(x.err, x.form)
	if x.reply != nil || x.err != nil || protocol.IsAck(c.spec.Reply) {
		return
	}
	if c.to.Dialect != protocol.Canonical {
		x.reply = dialect.ImpliedReply(c.spec.Reply)
		x.mute = c.spec.Type == protocol.TypeStartMatch && dialect.SaysNothing(x.answer)
	}
	if x.odd = x.reply == nil; x.odd && c.met {
		x.odd, x.err = false, c.uselessAnswer(x.answer)
	}
}

// authentic returns err if the answer is authenticated. If not, it returns an error of kind Connection that wraps
// [protocol.ErrUnauthenticated]; CallUntil does not retry after that error.
func (c *call) authentic(err error, answer []byte) error {
	if !errors.Is(err, protocol.ErrUnauthenticated) {
		return err
	}
	var said struct{ Result struct{ Reason string } }
	_ = json.Unmarshal(answer, &said) // only for a person to read
	text := "ignored an answer that is not authenticated by this agent's manager; trying again"
	if why := protocol.Clip(protocol.Plain(said.Result.Reason), 300); why != "" {
		text += "; it says: " + why
	}
	c.caller.warned.warn(c.caller.Logger, text, c.to.Endpoint)
	return fmt.Errorf("%w (%w)", protocol.Errorf(protocol.Connection, "%s answered, but not as this agent's manager",
		c.to.Endpoint), err)
}

// noteAsked adds the name of the method or tool that was called to an error that the peer returned.
func (c *call) noteAsked(err error, form *notation.Form) {
	if err == nil { // before anything is made for an error
		return
	}
	var refusal *protocol.Refusal
	if errors.As(err, &refusal) {
		refusal.Asked = cmp.Or(form.Name, c.spec.Method)
	}
}

// await waits for a callback after an inconclusive answer, and returns ErrAnswered when the callback has arrived, or an
// error with the reason if none has. It does not wait if said, the inconclusive answer, was meant as the final one.
func (c *call) await(ctx context.Context, said []byte) error {
	if !c.caller.expected.has(c.m, c.spec.Reply) {
		return c.heard(protocol.Errorf(protocol.InvalidMessage, "%s at %s answered without a %s", c.spec.To, c.to.Endpoint,
			c.spec.Reply))
	}
	if c.answered(said) {
		return c.objection
	}
	deadline, _ := ctx.Deadline()
	err := c.caller.Sleep(ctx, label(c.m)+" callback", time.Until(deadline))
	err = c.asProtocolError(ctx, cmp.Or(err, context.DeadlineExceeded))
	c.waited(err)
	return c.heard(err)
}

// send posts the message in an encoding and returns the HTTP response.
func (c *call) send(ctx context.Context, row string, form *notation.Form) (status int, answer []byte, err error) {
	if form.Frame == "mcp" {
		ctx, cancel := timed(ctx)
		defer cancel()
		return c.sendToTool(ctx, form.Name)
	}
	room := c.room()
	body, err := dialect.FrameIn(room.bytes(), row, *form, c.m, c.caller.nextID.Add(1))
	if err != nil {
		return 0, nil, err
	}
	if c.inProfile() {
		body = c.caller.Profile.Request(c.spec.Type, body)
	}
	where := placed(c.to.Endpoint, form.Path)
	if form.Frame == "query" {
		where, body = where+"?"+dialect.Query(body), nil
	}
	status, answer, err = c.caller.Network.Post(ctx, where, labelFor(c.caller.Network, c.m), body)
	room.giveBack(body)
	return status, c.caller.Profile.Read(c.spec.Type, answer), err
}

// room returns a reusable buffer for the request, if the peer is one of this program's agents and the network keeps no
// reference to the request after the call. Otherwise it returns nil.
func (c *call) room() *bodyRoom {
	if realNetwork(c.caller.Network) == nil || c.to.Dialect != protocol.Canonical {
		return nil
	}
	if protocol.IsAck(c.spec.Reply) {
		return roomsForNews.take()
	}
	return roomsForQuestions.take()
}

// keepResult adds the result of the match, if a third-party referee's answer to START_MATCH contains it, to the reply.
func (c *call) keepResult(x *exchange) {
	order, is := c.m.(*protocol.StartMatch)
	if ack, ok := x.reply.(*protocol.StartMatchAck); is && ok && c.to.Dialect != protocol.Canonical {
		ack.Result = dialect.ResultInAnswer(x.answer, order)
	}
}

// asProtocolError converts a network error into a protocol error. A timeout while connecting counts as a connection
// error, not as a timeout of the answer.
func (c *call) asProtocolError(ctx context.Context, err error) error {
	deadline, _ := ctx.Deadline()
	var refusal *protocol.Refusal
	var ours *protocol.Error
	switch {
	case errors.As(err, &refusal) || errors.As(err, &ours):
		return err
	case Permanent(err) != nil:
		return Permanent(err)
	case !time.Now().Before(deadline) && (errors.Is(err, context.DeadlineExceeded) ||
		errors.Is(context.Cause(ctx), context.DeadlineExceeded)):
		return protocol.Errorf(protocol.Timeout, "no %s from %s within the deadline", c.spec.Reply, c.to.Endpoint)
	case ctx.Err() != nil:
		return cmp.Or(context.Cause(ctx), ctx.Err()) // the end of a deadline has no cause before its timer rings
	}
	gone := protocol.Errorf(protocol.Connection, "%s does not answer: %s", c.to.Endpoint, Unreached(err))
	return &unreachedError{gone, err, dialing(err)}
}

// labelFor describes a call, for simulated networks only.
func labelFor(network Network, m protocol.Message) string {
	if realNetwork(network) != nil {
		return ""
	}
	return label(m)
}
