package rpc

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"agentleague/dialect"
	"agentleague/protocol"
)

// Call sends m to a peer and returns its answer. The error says whose failure
// it is: a [protocol.Error] of kind Timeout or Connection for a peer that was
// not heard, of kind EndpointNotAllowed for one that may not be called, a
// [protocol.Refusal] for one that answered with an error.
//
// The answer may take as long as ctx says, or else as the node's deadlines or the protocol do.
//
// A message whose reply is a mere acknowledgement is acknowledged by any
// answer; the message returned is nil if the answer was not a message. An
// answer of another kind that holds no message is an error, unless it may come
// as a call of the peer's own (see [Node.Expect]): then the deadline is waited for.
//
// Call completes the envelope of m, so that one message is for one peer at a time.
func (n *Node) Call(ctx context.Context, to Peer, m protocol.Message) (protocol.Message, error) {
	c, ok := call{node: n, to: to, m: m}, false
	if c.spec, ok = protocol.Lookup(m.Head().MessageType); !ok {
		return nil, fmt.Errorf("call %s: no such message", m.Head().MessageType)
	}
	start := time.Now()
	if _, ok := ctx.Deadline(); !ok {
		ctx = Within(ctx, start.Add(n.deadline(c.spec)))
	}
	n.stamp(m)
	if h := m.Head(); h.AuthToken == "" {
		h.AuthToken = to.Token
	}
	if to.Auth != nil {
		if h := m.Head(); h.ConversationID == "" { // an answer must not fit another request
			h.ConversationID = "conv-" + n.Nonce(8)
		}
		to.Auth.SignRequest(m)
	}
	n.observe(Message{Sent: true, Peer: to.Endpoint, Message: m})
	reply, warnings, err := c.converse(ctx)
	n.called(ctx, c.spec.Type, err)
	if reply != nil || err != nil && !errors.Is(err, ErrAnswered) { // that answer has been observed as it came
		n.observe(Message{Peer: to.Endpoint, Message: reply, Reply: true, Elapsed: time.Since(start), Err: err,
			Warnings: warnings})
	}
	return reply, err
}

// A call is one message on its way to one peer.
type call struct {
	node *Node
	to   Peer
	spec protocol.Spec // of the message
	m    protocol.Message

	objection *protocol.Error // what is wrong with the newest answer that cannot be read; nil: nothing, or it was none

	// Of a peer that is a real MCP server:
	met      bool   // the handshake succeeded, so that it is one
	toolless bool   // it has no tool for the message
	tool     string // the one that was called
	unfit    error  // its tools are for something else, so that other forms are offered; nil: they are not
}

// say sends the message in one form and returns the answer. If the peer took it and said
// nothing of use, the answer may come by a call, and is waited for: before the deadline
// the peer must not get the message again.
func (c *call) say(ctx context.Context, row string, form *protocol.Form) (protocol.Message, []string, error) {
	x := exchange{form: form}
	c.put(ctx, row, &x)
	if x.odd {
		return nil, nil, c.await(ctx, x.answer)
	}
	return x.reply, x.warnings, x.err
}

// An exchange is what came of a message that was put to a peer in one form.
type exchange struct {
	form     *protocol.Form // not to be changed
	status   int
	answer   []byte
	reply    protocol.Message
	warnings []string
	odd      bool // it was taken, and nothing of use was said: the answer may come by a call
	mute     bool // nothing was said at all: it may not even have been understood
	err      error
}

// put sends the message in the form of an exchange and notes in it what the peer says to that.
func (c *call) put(ctx context.Context, row string, x *exchange) {
	back, expected := false, c.node.expected.calling(c.m, c.spec.Reply)
	defer func() { expected.called(back, x.reply != nil) }()
	if x.status, x.answer, x.err = c.send(ctx, row, x.form); x.err != nil {
		back, x.err = errors.As(x.err, new(*protocol.Refusal)), c.unheard(ctx, x.err)
		return
	}
	back = true
	c.read(x)
	c.hearResult(x)
}

// read notes in an exchange what the answer says.
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
	if x.err == nil && x.reply == nil && x.status/100 != 2 {
		x.err = &protocol.Refusal{HTTPStatus: x.status, Message: fmt.Sprintf("HTTP status %d", x.status)}
	}
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

// authentic returns the error of an answer that was authenticated. One that was not is no answer: the call may be made
// again.
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
	c.node.warned.warn(c.node.Logger, text, c.to.Endpoint)
	return fmt.Errorf("%w (%w)", protocol.Errorf(protocol.Connection, "%s answered, but not as this agent's manager",
		c.to.Endpoint), err)
}

// noteAsked tells an error of the peer which method it refuses.
func (c *call) noteAsked(err error, form *protocol.Form) {
	if err == nil { // before anything is made for an error
		return
	}
	var refusal *protocol.Refusal
	if errors.As(err, &refusal) {
		refusal.Asked = cmp.Or(form.Name, c.spec.Method)
	}
}

// await waits for an answer that comes by a call after what the peer has said,
// unless that was meant as the answer, and returns why there is none yet.
func (c *call) await(ctx context.Context, said []byte) error {
	if !c.node.expected.has(c.m, c.spec.Reply) {
		return c.heard(protocol.Errorf(protocol.InvalidMessage, "%s at %s answered without a %s", c.spec.To, c.to.Endpoint,
			c.spec.Reply))
	}
	if c.answered(said) {
		return c.objection
	}
	deadline, _ := ctx.Deadline()
	err := c.node.Sleep(ctx, label(c.m)+" callback", time.Until(deadline))
	err = c.unheard(ctx, cmp.Or(err, context.DeadlineExceeded))
	c.waited(err)
	return c.heard(err)
}

// send posts the message in a form and returns what came back.
func (c *call) send(ctx context.Context, row string, form *protocol.Form) (status int, answer []byte, err error) {
	if form.Frame == "mcp" {
		ctx, cancel := timed(ctx)
		defer cancel()
		return c.sendToTool(ctx, form.Name)
	}
	room := c.room()
	body, err := dialect.FrameIn(room.bytes(), row, *form, c.m, c.node.nextID.Add(1))
	if err != nil {
		return 0, nil, err
	}
	where := placed(c.to.Endpoint, form.Path)
	if form.Frame == "query" {
		where, body = where+"?"+dialect.Query(body), nil
	}
	status, answer, err = c.node.Network.Post(ctx, where, labelFor(c.node.Network, c.m), body)
	room.giveBack(body)
	return status, answer, err
}

// room returns memory for the request of a call to one of our own agents, if it can be used again when the call is
// over: the network keeps nothing of it.
func (c *call) room() *bodyRoom {
	if _, ok := c.node.Network.(*HTTP); !ok || c.to.Dialect != protocol.Canonical {
		return nil
	}
	if protocol.IsAck(c.spec.Reply) {
		return roomsForNews.take()
	}
	return roomsForQuestions.take()
}

// hearResult notes the result of a match that a referee tells in its answer to the order.
func (c *call) hearResult(x *exchange) {
	order, is := c.m.(*protocol.StartMatch)
	if ack, ok := x.reply.(*protocol.StartMatchAck); is && ok && c.to.Dialect != protocol.Canonical {
		ack.Result = dialect.ResultInAnswer(x.answer, order)
	}
}

// unheard turns a failure of the network into the protocol's words. A network
// has deadlines of its own, for connecting: those are not the answer's.
func (c *call) unheard(ctx context.Context, err error) error {
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
	return protocol.Errorf(protocol.Connection, "%s does not answer: %s", c.to.Endpoint, Unreached(err))
}

// labelFor tells a network what a call is about. That between machines does not want to know.
func labelFor(network Network, m protocol.Message) string {
	if _, ok := network.(*HTTP); ok {
		return ""
	}
	return label(m)
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
