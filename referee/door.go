package referee

import (
	"fmt"

	"agentleague/protocol"
	"agentleague/rpc"
)

// Some players answer by a call of their own. Each asking has a door for such
// an answer: it is open from the first try to the end of the last pause, but
// for the rest of a pause in which a wrong answer came.

// listen opens the door to an answer that comes by a call, unless it is open.
func (a *asking) listen() (err error) {
	if a.door != nil {
		return nil
	}
	a.open, a.door, err = a.r.Node.Expect(a.ctx, rpc.Want{
		Type: a.question.reply, Peer: a.seat.peer, PlayerID: a.seat.ID, CallsItself: a.seat.CallsItself,
		LeagueID: a.start.LeagueID, MatchID: a.start.MatchID, Conversation: a.seat.conversation,
		Derive: a.matchToken,
	})
	if err != nil {
		return fmt.Errorf("match %s: %s: %w", a.start.MatchID, a.seat.ID, err)
	}
	return nil
}

// matchToken returns the token of this match for the player whose own token is
// given. Some players show that one, although it is the manager's to see.
func (a *asking) matchToken(own string) string {
	_, referee := protocol.ParseSender(a.r.Node.Sender())
	return protocol.MatchToken(own, a.start.LeagueID, a.start.MatchID, a.start.Attempt, referee)
}

// called returns the answer that came by a call, if one did. The door is shut then.
func (a *asking) called() protocol.Message {
	answer := a.door.Answer()
	if answer != nil {
		a.shut()
	}
	return answer
}

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
