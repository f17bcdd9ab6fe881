package player

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"agentleague/protocol"
)

// Some third-party referees ignore the direct answers to their calls and wait for a callback. If a third-party referee
// does not continue after an answer, the player sends that answer again as a callback.

// callbackDelay is how long a referee may take to continue before it receives the callback.
const callbackDelay = time.Second

// callBack schedules a callback with an answer to the third-party referee of an attempt at a match. After callbackDelay
// it calls goneOn without the lock, and skips the callback if the referee has continued. The caller holds the lock.
func (s *refereeServer) callBack(ctx context.Context, m protocol.Message, match string, answer protocol.Message,
	goneOn func() bool) {
	_, referee := protocol.ParseSender(m.Head().Sender)
	where := cmp.Or(s.announced.referee(match), protocol.Home(protocol.RoleReferee, referee))
	if where == "" || s.node.Profile != nil { // no document has it
		return
	}
	answer.Head().ConversationID = m.Head().ConversationID
	ctx = context.WithoutCancel(ctx)
	time.AfterFunc(callbackDelay, func() { // no goroutine waits for it: a stopped agent sends nothing again
		ctx, cancel := context.WithTimeout(ctx, 5*callbackDelay)
		defer cancel()
		if goneOn() {
			return
		}
		if err := s.node.Tell(ctx, where, answer); err != nil {
			s.node.Logger.Debug("the referee takes no answer by a call", slog.String("match_id", m.Head().MatchID),
				slog.Any("error", err))
		}
	})
}

// wentOn returns a function that reports whether inviter i has sent the result, or has asked more than the given number
// of questions. That function acquires the agent's lock.
func (s *refereeServer) wentOn(i *inviter, turns int) func() bool {
	return func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return i.ended || len(i.turns) > turns
	}
}
