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
		Detail: failure.Sentence(), Suggestion: failure.Suggestion(), TimeoutSeconds: failure.Waited.Seconds(),
		GameState: phase, ActionRequired: string(a.question.reply), Attempt: a.start.Attempt,
		Retryable: !last, RetryCount: count, MaxRetries: a.seat.retries,
		RetryInfo:   &protocol.RetryInfo{RetryCount: count, MaxRetries: a.seat.retries},
		Consequence: protocol.TechnicalLoss, Context: map[string]any{"detail": failure.Sentence()},
	}
	if !last {
		next := protocol.StampUp(time.Now().Add(a.env.opts.Policy.pause(k)))
		e.RetryInfo.NextRetryAt = &next
		e.Consequence = "TECHNICAL_LOSS if the retries are used up"
	}
	a.sent(a.seat, e)
	a.env.running.Go(func() { _, _ = a.env.node.Call(a.env.base, a.seat.peer, e) })
}

// blame names a failed call in the protocol's words, as they are told to the player. An agent that answers with an error
// of its own has the code of one that was not reached, and is told what it answered.
func (a *asking) blame(err error) *protocol.Error {
	var refusal *protocol.Refusal
	var known *protocol.Error
	switch {
	case errors.As(err, &refusal):
		kind, ok := protocol.KindNamed(refusal.Name)
		if !ok || !kind.Retryable {
			kind = protocol.Connection
		}
		return protocol.Errorf(kind, "%s", refusal.Sentence(protocol.YourAgent))
	case errors.As(err, &known) && known.Kind != protocol.Timeout:
		return known
	}
	waited := a.deadline.Sub(a.clock.began).Round(time.Millisecond)
	late := protocol.Errorf(protocol.Timeout, "no %s within %s", a.question.reply, protocol.Seconds(waited))
	late.Waited = waited
	return late
}
