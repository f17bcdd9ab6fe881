package referee

import (
	"fmt"
	"log/slog"

	"agentleague/protocol"
	"agentleague/rpc"
)

// Some players answer by a separate call. Each asking has a slot for such an answer: it is open from the first try to
// the end of the last pause, except for the rest of a pause after a wrong answer.

// listen opens the door to an answer that comes by a call, unless it is open.
func (a *asking) listen() (err error) {
	if a.door != nil {
		return nil
	}
	a.open, a.door, err = a.env.node.Expect(&a.life, rpc.Want{
		Type: a.question.reply, Peer: a.seat.peer, PlayerID: a.seat.ID, CallsItself: a.seat.CallsItself,
		LeagueID: a.start.LeagueID, MatchID: a.start.MatchID, Conversation: a.seat.conversation,
		Derive: a.derive, Refuse: a.seat.refuse, Asked: a.message, AnyToken: a.env.abroad(),
	})
	if err != nil {
		return fmt.Errorf("match %s: %s: %w", a.start.MatchID, a.seat.ID, err)
	}
	return nil
}

// notItsOwn returns why an answer that came by a call is not the player's own, or nil. A third party that has only
// read the token of the match cannot use up tries of a native player.
func (m *match) notItsOwn(s *seat, answer protocol.Message) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	why := m.doubts(s, answer)
	if why == "" {
		return nil
	}
	if !s.doubted { // one warning is enough
		s.doubted = true
		m.env.node.Logger.Warn("someone else answers for a player",
			slog.String("match_id", m.start.MatchID), slog.String("player_id", s.ID), slog.String("why", why))
	}
	return protocol.Errorf(protocol.AuthTokenInvalid, "this is not the answer of %s: %s", s.ID, why)
}

// doubts returns why an answer that came by a call cannot be the player's own. A native player signs its moves, and
// declines in its answer to the call. The caller holds the lock.
func (m *match) doubts(s *seat, answer protocol.Message) (why string) {
	g := s.signer
	if g == nil {
		return ""
	}
	if ack, ok := answer.(*protocol.GameJoinAck); ok {
		if !ack.Accepts() {
			why = "a player with a registered key must decline in its answer to the invitation"
		}
		return why
	}
	if failure := g.doubts(m.turn, viewText(m.state, s.index), moveOf(answer), proofOf(answer)); failure != nil {
		why = failure.Detail
	}
	return why
}

// matchToken returns the token of this match for the player with the given own token. Some players show the own
// token, although it is meant for the manager only.
func (m *match) matchToken(own string) string {
	return protocol.MatchToken(own, m.start.LeagueID, m.start.MatchID, m.start.Attempt, m.env.id())
}

// called returns the answer that came by a call, if one did. The door is shut then.
func (a *asking) called() protocol.Message {
	answer := a.door.Answer()
	if answer != nil {
		a.shut()
	}
	return answer
}

// shut ends the waiting for an answer by callback. After an answer that came directly, a later one is taken and has
// no effect; otherwise it is refused.
func (a *asking) shut() {
	if a.door == nil {
		return
	}
	if a.answer != nil && a.door.Answer() == nil {
		a.door.Settle()
	} else {
		a.door.Close()
	}
	a.door = nil
}
