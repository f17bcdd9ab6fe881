package rpc

import (
	"bytes"
	"context"
	"errors"

	"agentleague/dialect"
	"agentleague/protocol"
)

// A verdict classifies a peer's answer to a message in one encoding.
type verdict int

// The verdicts. After formRefused and formAcked the next encoding is tried.
const (
	formRefused    verdict = iota // the form was not understood
	formAcked                     // the peer acknowledges unknown messages in the same way
	allAcked                      // the peer acknowledges, and executes, a message in any form
	formUnderstood                // the form was understood, and answered or followed by a callback
	choiceMade                    // the form was understood; the answer is unreadable and makes a choice
	messageRefused                // the form was understood, and the message was refused
	peerBusy                      // the peer did not process the message
	noAnswer                      // no answer came
	toolAnswered                  // a real MCP server answered
)

// judge classifies the outcome of an exchange.
func (l *learner) judge(ctx context.Context, x *exchange) verdict {
	var refusal *protocol.Refusal
	switch {
	case l.call.met && isAnswer(x.err):
		return toolAnswered
	case x.err == nil:
		return l.judgeAnswer(ctx, x)
	case errors.Is(x.err, ErrAnswered):
		return formUnderstood
	case !errors.As(x.err, &refusal):
		return noAnswer
	case refusal.Name == protocol.RateLimited.Name:
		return peerBusy
	}
	switch dialect.BlameOf(refusal) {
	case dialect.BlameNothing:
		return messageRefused
	case dialect.BlameMoment:
		return peerBusy
	}
	return formRefused
}

// judgeAnswer classifies an answer without an error. A mere acknowledgement does not prove that the peer understood the
// encoding if the peer acknowledges unknown messages in the same way.
func (l *learner) judgeAnswer(ctx context.Context, x *exchange) verdict {
	switch {
	case x.mute && l.search.More(),
		x.doubtful() && !l.peer.acksEverything() && l.acksAnything(ctx, x),
		x.odd && dialect.Broken(x.answer) && l.peer.attempts(l.call.spec.Type).messageRefused():
		return formAcked
	case l.peer.acksEverything():
		return allAcked
	case x.odd && l.call.isInvalidChoice(x.answer):
		return choiceMade
	}
	return formUnderstood
}

// doubtful reports whether the answer in x is a mere acknowledgement, which does not prove that the peer understood.
func (x *exchange) doubtful() bool {
	if x.status/100 != 2 || len(bytes.TrimSpace(x.answer)) == 0 || dialect.Broken(x.answer) {
		return false
	}
	_, joins := x.reply.(*protocol.GameJoinAck)
	return x.reply == nil || joins && !bytes.Contains(x.answer, []byte("accept"))
}
