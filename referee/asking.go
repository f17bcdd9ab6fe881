package referee

import (
	"context"
	"fmt"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/rpc/lifetime"
)

// An asking is one seat being asked one question, until it answers rightly or
// its tries are used up.
type asking struct {
	*match
	seat     *seat
	question *question
	life     lifetime.Context // ends with the match, its bound, or another's forfeit
	message  protocol.Message // the call, and its deadline
	deadline time.Time
	open     context.Context  // ends when an answer comes by a call
	door     *rpc.Expectation // the callback slot
	answer   protocol.Message // the right one
	clock    clock
	voids    int // tries that did not count

	mayForfeit time.Time // from when on the seat may forfeit; zero: not in this try. Guarded by the match.
}

// prepare initializes the asking for a seat, and writes its first call. All seats share the question, which does not
// change.
func (a *asking) prepare(ctx context.Context, m *match, s *seat, q *question) {
	a.match, a.seat, a.question = m, s, q
	a.life.Begin(ctx)
	m.mu.Lock()
	s.answered, s.tries = false, 0
	m.mu.Unlock()
	a.write()
}

// write writes the next call. Its deadline is never later than the enforced one.
func (a *asking) write() {
	a.clock.start(a.env.opts)
	a.deadline = a.clock.began.Add(a.question.timeout)
	if bound, ok := a.life.Deadline(); ok && bound.Before(a.deadline) {
		a.deadline = bound
	}
	a.message = a.question.message(a.seat, a.deadline)
	a.seat.sent(a.message)
}

// listen opens the callback slot, unless it is open. Some players answer by a separate call: the slot is open from the
// first try to the end of the last pause, except for the rest of a pause after a wrong answer.
func (a *asking) listen() (err error) {
	if a.door != nil {
		return nil
	}
	a.open, a.door, err = a.env.node.Expect(&a.life, rpc.Want{
		Type: a.question.reply, Peer: a.seat.peer, PlayerID: a.seat.ID, CallsItself: a.seat.CallsItself,
		LeagueID: a.start.LeagueID, MatchID: a.start.MatchID, Conversation: a.seat.conversation,
		Derive: a.token, Refuse: a.seat.notItsOwn, Asked: a.message, AnyToken: a.env.manager.foreign(),
	})
	if err != nil {
		return fmt.Errorf("match %s: %s: %w", a.start.MatchID, a.seat.ID, err)
	}
	return nil
}

// called returns the answer that came by a call, if one did, and closes the callback slot then.
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
