package referee

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"agentleague/protocol"
)

// complain sends a player the error of its k-th failed try, with the consequence: another try or, if last is true, a
// forfeit. It sends in the background, so that the next try is not delayed.
func (a *asking) complain(failure *protocol.Error, k int, last bool) {
	count := k
	if last {
		count = k - 1
	}
	a.mu.Lock()
	phase := a.phase
	a.mu.Unlock()
	e := &protocol.GameError{
		Envelope: a.seat.envelope(protocol.TypeGameError), PlayerID: a.seat.ID, AffectedPlayer: a.seat.ID,
		ErrorCode: failure.Kind.Code, ErrorName: failure.Kind.Name, ErrorDescription: failure.Kind.Name,
		ErrorMessage: failure.Kind.Name,
		Detail:       failure.Sentence(), Suggestion: failure.Suggestion(), TimeoutSeconds: failure.Waited.Seconds(),
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
	a.seat.sent(e)
	a.noteError(e)
	a.env.running.Go(func() { _, _ = a.env.node.Call(a.env.base, a.seat.peer, e) })
}

// noteError logs a failed try as a warning, with the error code, the player and how long the referee waited.
func (a *asking) noteError(e *protocol.GameError) {
	next := "no retry is left"
	if e.Retryable {
		next = fmt.Sprintf("retry %d of %d follows", e.RetryCount, e.MaxRetries)
	}
	facts := []slog.Attr{
		slog.String("event_type", string(protocol.TypeGameError)), slog.String("match_id", a.start.MatchID),
		slog.String("player_id", a.seat.ID), slog.String("error_code", e.ErrorCode),
		slog.Float64("waited_sec", inSeconds(a.clock.agent)), slog.Int("retry_count", e.RetryCount),
	}
	if e.TimeoutSeconds > 0 {
		facts = append(facts, slog.Float64("timeout_sec", e.TimeoutSeconds))
	}
	said := strings.Replace(protocol.Plain(e.Detail), protocol.YourAgent, "the agent of "+a.seat.ID, 1)
	if e.ErrorCode == protocol.InvalidMove.Code { // a choice is secret while the opponent decides
		said = protocol.InvalidMove.Meaning
	}
	a.env.node.Logger.LogAttrs(a.env.base, slog.LevelWarn, fmt.Sprintf("%s in %s: %s; %s", a.seat.ID, a.start.MatchID, said,
		next), facts...)
}

// blame converts the error of a call into the protocol error for the player. An error that the agent itself returned
// keeps its kind if that is retryable, and otherwise gets the kind of an unreachable endpoint; its message is the
// detail. Any other error counts as a timeout.
func (a *asking) blame(err error) *protocol.Error {
	var refusal *protocol.Refusal
	var known *protocol.Error
	switch {
	case errors.As(err, &refusal):
		kind, ok := protocol.KindNamed(refusal.Name)
		if !ok || !kind.Retryable {
			kind = protocol.Connection
		}
		return refusal.Cause().Error(kind)
	case errors.As(err, &known) && known.Kind != protocol.Timeout:
		return known
	}
	waited := a.deadline.Sub(a.clock.began).Round(time.Millisecond)
	late := protocol.Errorf(protocol.Timeout, "no %s within %s", a.question.reply, protocol.Seconds(waited))
	late.Waited = waited
	return late
}
