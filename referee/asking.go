package referee

import (
	"context"
	"fmt"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/rpc/lifetime"
)

// An asking is the process of asking one seat one question, with retries. It ends with a valid answer or when the tries
// are used up.
type asking struct {
	*match
	seat     *seat
	question *question
	life     lifetime.Context // ends with the match, its bound, or another's forfeit
	message  protocol.Message // the call, and its deadline
	deadline time.Time
	open     context.Context  // ends when an answer comes by a call
	slot     *rpc.Expectation // the callback slot
	answer   protocol.Message // the right one
	clock    clock
	voids    int // tries that did not count

	mayForfeit time.Time // from when on the seat may forfeit; zero: not in this try. Guarded by the match.
}

// prepare initializes a for seat s and question q, and creates the message of the first call. All seats share q, which
// is read-only.
func (a *asking) prepare(ctx context.Context, m *match, s *seat, q *question) {
	a.match, a.seat, a.question = m, s, q
	a.life.Begin(ctx)
	m.mu.Lock()
	s.answered, s.tries = false, 0
	m.mu.Unlock()
	a.write()
}

// write creates the message of the next call. Its deadline is the time limit of the question or of the match,
// whichever is earlier; the message states it rounded up to whole seconds.
func (a *asking) write() {
	a.clock.start(a.env.opts)
	a.deadline = a.clock.began.Add(a.question.timeout)
	if bound, ok := a.life.Deadline(); ok && bound.Before(a.deadline) {
		a.deadline = bound
	}
	a.message = a.question.message(a.seat, a.deadline)
	a.seat.sent(a.message)
}

// listen opens the callback slot, unless it is open: some players answer by a separate call to the referee. The slot
// stays open from the first try to the end of the last pause. An invalid late answer closes it until the next try.
func (a *asking) listen() (err error) {
	if a.slot != nil {
		return nil
	}
	a.open, a.slot, err = a.env.node.Expect(&a.life, rpc.Want{
		Type: a.question.reply, Peer: a.seat.peer, PlayerID: a.seat.ID, CallsItself: a.seat.CallsItself,
		LeagueID: a.start.LeagueID, MatchID: a.start.MatchID, Conversation: a.seat.conversation,
		Derive: a.token, Refuse: a.seat.notItsOwn, Asked: a.message, AnyToken: a.env.manager.foreign(),
	})
	if err != nil {
		return fmt.Errorf("match %s: %s: %w", a.start.MatchID, a.seat.ID, err)
	}
	return nil
}

// called returns the answer that arrived by callback, if any, and then closes the callback slot. Without an answer it
// returns nil and leaves the slot open.
func (a *asking) called() protocol.Message {
	answer := a.slot.Answer()
	if answer != nil {
		a.shut()
	}
	return answer
}

// shut closes the callback slot. If the player answered an invitation directly, a later callback with the same answer
// is acknowledged and ignored. All other later callbacks are refused.
func (a *asking) shut() {
	if a.slot == nil {
		return
	}
	if a.answer != nil && a.slot.Answer() == nil {
		a.slot.Settle()
	} else {
		a.slot.Close()
	}
	a.slot = nil
}
