package referee

import (
	"errors"
	"time"

	"agentleague/protocol"
)

// complain tells a player what went wrong in its k-th try and what follows. It
// never delays the next one.
func (a *asking) complain(failure *protocol.Error, k int, last bool) {
	count := k
	if last {
		count = k - 1
	}
	a.mu.Lock()
	phase := a.phase
	a.mu.Unlock()
	e := &protocol.GameError{
		Envelope: a.envelope(a.seat, protocol.TypeGameError), PlayerID: a.seat.ID, AffectedPlayer: a.seat.ID,
		ErrorCode: failure.Kind.Code, ErrorName: failure.Kind.Name, ErrorDescription: failure.Kind.Name,
		GameState: phase, ActionRequired: string(a.question.reply), Attempt: a.start.Attempt,
		Retryable: !last, RetryCount: count, MaxRetries: a.seat.retries,
		RetryInfo:   &protocol.RetryInfo{RetryCount: count, MaxRetries: a.seat.retries},
		Consequence: protocol.TechnicalLoss, Context: map[string]any{"detail": failure.Detail},
	}
	if !last {
		next := protocol.StampUp(time.Now().Add(a.env.opts.Policy.pause(k)))
		e.RetryInfo.NextRetryAt = &next
		e.Consequence = "TECHNICAL_LOSS if the retries are used up"
	}
	a.sent(a.seat, e)
	a.env.running.Go(func() { _, _ = a.env.node.Call(a.env.base, a.seat.peer, e) })
}

// blame names a failed call in the protocol's words. An agent that answers
// with an error of its own is as good as not reached.
func blame(err error) *protocol.Error {
	var refusal *protocol.Refusal
	if errors.As(err, &refusal) {
		if kind, ok := protocol.KindNamed(refusal.Name); ok && kind.Retryable {
			return protocol.Errorf(kind, "%v", refusal)
		}
		return protocol.Errorf(protocol.Connection, "%v", refusal)
	}
	var known *protocol.Error
	if errors.As(err, &known) {
		return known
	}
	return protocol.Errorf(protocol.Timeout, "no answer: %v", err)
}
