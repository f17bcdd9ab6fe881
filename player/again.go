package player

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"agentleague/protocol"
)

// Some referees ignore the answers to their calls: they wait for a callback. A foreign referee that does not continue
// after an answer receives it again in that way.

// patience is how long a referee may take to go on before it is called.
const patience = time.Second

// callBack calls the foreign referee of a bout with the answer that it was given, unless
// it has gone on by then. The caller holds the lock.
func (s *refereeServer) callBack(ctx context.Context, m protocol.Message, match string, answer protocol.Message,
	goneOn func() bool) {
	_, referee := protocol.ParseSender(m.Head().Sender)
	where := cmp.Or(s.announced.referee(match), protocol.Home(protocol.RoleReferee, referee))
	if where == "" {
		return
	}
	answer.Head().ConversationID = m.Head().ConversationID
	ctx = context.WithoutCancel(ctx)
	time.AfterFunc(patience, func() { // no goroutine waits for it: a stopped agent sends nothing again
		ctx, cancel := context.WithTimeout(ctx, 5*patience)
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

// wentOn reports whether an inviter has announced the end, or asked for a turn after the given one.
func (s *refereeServer) wentOn(i *inviter, turns int) func() bool {
	return func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return i.ended || len(i.turns) > turns
	}
}
