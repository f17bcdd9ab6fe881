package referee

import (
	"context"
	"errors"
	"sync"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
)

// punctual is how much of a deadline the referee itself may miss. If its own
// process stood still for longer, the answer may lie unread, or the player was
// asked late: that try does not count.
const punctual = 200 * time.Millisecond

// maxLessons is how often a try is forgiven that failed because the referee
// did not know yet how to speak to the player, or could not connect while it
// stood still.
const maxLessons = 3

// maxForgiven is for how many deadlines a player is listened to in tries that
// do not count, so that a referee that is always late comes to an end as well.
const maxForgiven = 3

// stage asks every seat at once, so that none sees another's answer, and
// returns the right answers. A seat that gave none has forfeited, unless
// another one's forfeit ended the stage first.
func (m *match) stage(ctx context.Context, seats []*seat, q question) map[*seat]protocol.Message {
	m.stages++
	askings := make([]*asking, len(seats))
	for i, s := range seats {
		askings[i] = m.newAsking(ctx, s, q)
	}
	var wg sync.WaitGroup
	for _, a := range askings {
		wg.Go(func() {
			failure := a.run()
			a.end(nil)
			if failure != nil {
				m.forfeit(a.seat, failure)
				a.endOthers(askings)
			}
		})
	}
	wg.Wait()
	answers := map[*seat]protocol.Message{}
	for _, a := range askings {
		if a.answer != nil {
			answers[a.seat] = a.answer
		}
	}
	return answers
}

// An asking is one seat being asked one question, until it answers rightly or
// its tries are used up.
type asking struct {
	*match
	seat     *seat
	question question
	ctx      context.Context // ends with the match, its bound, or another's forfeit
	end      context.CancelCauseFunc
	message  protocol.Message // the call, and its deadline
	deadline time.Time
	open     context.Context // ends when an answer comes through the door
	door     *rpc.Expectation
	answer   protocol.Message // the right one
	clock    clock
	lessons  int

	mayForfeit time.Time // from when on the seat may forfeit; zero: not in this try. Guarded by the match.
}

// newAsking prepares the first call.
func (m *match) newAsking(ctx context.Context, s *seat, q question) *asking {
	a := &asking{match: m, seat: s, question: q}
	a.ctx, a.end = context.WithCancelCause(ctx)
	m.mu.Lock()
	s.answered, s.tries = false, 0
	m.mu.Unlock()
	a.write()
	return a
}

// write writes the next call. Nobody is told a later deadline than is kept.
func (a *asking) write() {
	a.clock.start(a.r.opts.Stood)
	a.deadline = a.clock.began.Add(a.question.timeout)
	if bound, ok := a.ctx.Deadline(); ok && bound.Before(a.deadline) {
		a.deadline = bound
	}
	a.message = a.question.message(a.seat, a.deadline)
	a.sent(a.seat, a.message)
}

// run asks until the answer is right. It returns why the seat has forfeited,
// or nil if it has answered or the match has ended meanwhile.
func (a *asking) run() *protocol.Error {
	defer a.shut()
	for k := 1; ; k++ {
		last := k > a.seat.retries
		a.begin(last)
		failure, void := a.try()
		switch {
		case failure == nil || cut(a.ctx):
			return nil
		case failure == errDeclined:
			return failure
		case void:
			k--
		case last || a.ctx.Err() != nil:
			a.complain(failure, k, true)
			return failure
		case a.decided():
			return nil
		default:
			a.complain(failure, k, false)
			if a.pause(k) || cut(a.ctx) {
				return nil
			}
			if a.ctx.Err() != nil {
				return failure
			}
		}
		a.write()
	}
}

func (a *asking) begin(last bool) {
	a.mu.Lock()
	a.seat.tries++
	a.mu.Unlock()
	a.r.opts.Meter.Asked(a.message.Head().MessageType)
	a.risk(time.Now(), last)
}

// try calls the seat once and keeps its answer if that is right. Void says
// that it was the referee who failed, so that the try does not count.
func (a *asking) try() (failure *protocol.Error, void bool) {
	if err := a.listen(); err != nil {
		a.stop(err)
		return blame(err), false
	}
	a.clock.called()
	answer, err := a.call(a.open, a.seat, a.message, a.deadline)
	if answer == nil {
		answer = a.called()
	}
	if answer != nil {
		a.clock.answered()
		failure = a.judge(answer)
	} else {
		a.clock.gaveUp(a.deadline)
		failure, void = blame(err), a.ctx.Err() == nil && a.unfair(err)
	}
	a.tried(failure, void)
	return failure, void
}

// unfair reports whether a player that was not heard is not to blame: the
// referee was not there to hear it all the time, or did not find its words.
func (a *asking) unfair(err error) bool {
	own, late := a.clock.overhead > punctual, protocol.Is(err, protocol.Timeout)
	switch {
	case late && errors.Is(err, rpc.ErrLearning), own && protocol.Is(err, protocol.Connection):
		a.lessons++
		return a.lessons <= maxLessons
	case !own || !late || a.clock.forgiven >= maxForgiven*a.question.timeout:
		return false
	}
	a.clock.forgiven += a.clock.agent
	return true
}

// pause waits for the next try and reports whether the right answer came
// meanwhile. One late answer is heard; a wrong one changes nothing.
func (a *asking) pause(k int) (answered bool) {
	until := time.Now().Add(a.r.opts.Policy.pause(k))
	a.risk(until, k+1 > a.seat.retries)
	if err := a.listen(); err != nil {
		a.stop(err)
		return false
	}
	label := "pause " + a.seat.ID + " " + a.start.MatchID
	if a.r.Node.Sleep(a.open, label, time.Until(until)) == nil {
		return false
	}
	late := a.called()
	if late != nil && a.judge(late) == nil {
		return true
	}
	_ = a.r.Node.Sleep(a.ctx, label, time.Until(until)) // the caller looks at ctx
	return false
}

// judge returns what is wrong with an answer, or keeps it. What the player
// sent is in the transcript either way.
func (a *asking) judge(answer protocol.Message) *protocol.Error {
	a.received(a.seat, answer)
	failure := a.question.check(a.seat, answer)
	if failure == nil {
		a.answer = answer
	}
	return failure
}
