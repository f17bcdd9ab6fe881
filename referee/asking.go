package referee

import (
	"context"
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
	open     context.Context // ends when an answer comes through the door
	door     *rpc.Expectation
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
	a.sent(a.seat, a.message)
}
