package referee

import (
	"context"
	"errors"
	"sync"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
)

// maxVoid is the maximum number of tries of one question that do not count because the referee itself was late or was
// still detecting the player's dialect. Further tries count, so that a hanging player forfeits even on a busy machine.
const maxVoid = 2

// stage sends question q to the players of all given seats concurrently, so that no player sees the opponent's answer,
// and returns the valid answers. A seat without a valid answer has forfeited, unless the match was stopped or the
// forfeit of the other seat ended the stage first.
func (m *match) stage(ctx context.Context, seats []*seat, q question) (right answers) {
	m.stages++
	askings := make([]asking, len(seats))
	for i, s := range seats {
		askings[i].prepare(ctx, m, s, &q)
	}
	var wg sync.WaitGroup
	for i := range askings {
		a := &askings[i]
		if i == len(askings)-1 { // the waiting goroutine asks one seat itself, which saves a stack
			a.untilSettled(askings)
			continue
		}
		wg.Add(1)
		m.env.running.Go(func() {
			defer wg.Done()
			a.untilSettled(askings)
		})
	}
	wg.Wait()
	for i := range askings {
		right[askings[i].seat.index] = askings[i].answer
	}
	return right
}

// untilSettled repeats the question until the seat has answered or forfeited. A forfeit also ends the questions to the
// other seats.
func (a *asking) untilSettled(all []asking) {
	failure := a.run()
	a.life.End(nil)
	if failure != nil {
		a.seat.forfeit(failure)
		a.endOthers(all)
	}
}

// run repeats the question until the answer is valid or the tries are used up. It returns the reason for the seat's
// forfeit, or nil if the seat has answered, or the match or the stage has ended.
func (a *asking) run() *protocol.Error {
	defer a.shut()
	for k := 1; ; k++ {
		last := k > a.seat.retries
		a.begin(last)
		failure, void := a.try()
		switch {
		case failure == nil || cut(&a.life):
			return nil
		case failure == errDeclined:
			return failure
		case void:
			k--
		case last || a.final(failure) || a.life.Err() != nil:
			a.complain(failure, k, true)
			return failure
		case a.decided():
			return nil
		default:
			a.complain(failure, k, false)
			if a.pause(k) || cut(&a.life) {
				return nil
			}
			if a.life.Err() != nil {
				return failure
			}
		}
		a.write()
	}
}

// begin counts a try before its call is sent, so that a try without an answer counts too. last means that this is the
// last try.
func (a *asking) begin(last bool) {
	a.mu.Lock()
	a.seat.tries++
	a.mu.Unlock()
	a.env.opts.Meter.Asked(a.message.Head().MessageType)
	a.risk(time.Now(), last)
}

// try calls the seat once and keeps a valid answer. failure is the reason for which there is no valid answer, or nil.
// void means that the referee caused the failure, so that the try does not count.
func (a *asking) try() (failure *protocol.Error, void bool) {
	if err := a.listen(); err != nil {
		a.stop(err)
		return a.blame(err), false
	}
	a.clock.called()
	answer, err := a.call(rpc.WithSearchTime(a.open, a.clock.search))
	if answer == nil {
		answer = a.called()
	}
	if answer != nil {
		a.clock.answered()
		failure = a.judge(answer)
	} else {
		a.clock.gaveUp(a.deadline)
		failure, void = a.blame(err), a.life.Err() == nil && a.unfair(err)
	}
	a.tried(failure, void)
	return failure, void
}

// unfair reports whether a missing answer is not the player's fault: the referee's process was suspended, or the
// referee was still detecting the player's dialect. It returns true at most maxVoid times per question.
func (a *asking) unfair(err error) bool {
	unheard := protocol.Is(err, protocol.Timeout) || protocol.Is(err, protocol.Connection)
	if !errors.Is(err, rpc.ErrLearning) && !(unheard && a.clock.missedByReferee(a.deadline)) || a.voids == maxVoid {
		return false
	}
	a.voids++
	return true
}

// pause waits until the next try is due and reports whether a valid answer arrived by callback during the pause. It
// reads only the first late answer; if that is invalid, the pause continues to its end.
func (a *asking) pause(k int) (answered bool) {
	until := time.Now().Add(a.env.opts.Policy.pause(k))
	a.risk(until, k+1 > a.seat.retries)
	if err := a.listen(); err != nil {
		a.stop(err)
		return false
	}
	label := "pause " + a.seat.ID + " " + a.start.MatchID
	if a.env.node.Sleep(a.open, label, time.Until(until)) == nil {
		return false
	}
	late := a.called()
	if late != nil && a.judge(late) == nil {
		return true
	}
	_ = a.env.node.Sleep(&a.life, label, time.Until(until)) // the caller checks life
	return false
}

// judge adds an answer to the transcript and checks it. It keeps a valid answer and returns nil, or returns why the
// answer is invalid.
func (a *asking) judge(answer protocol.Message) *protocol.Error {
	a.seat.received(answer)
	failure := a.question.check(a.seat, answer)
	if failure == nil {
		a.answer = answer
		a.used(answer)
	}
	return failure
}

// used adds the language model usage that an answer reports to the player's total.
func (a *asking) used(answer protocol.Message) {
	u, told := usageOf(answer)
	if !told {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.usage == nil {
		a.usage = map[string]protocol.Usage{}
	}
	a.usage[a.seat.ID] = a.usage[a.seat.ID].Plus(u)
}

// stampMS is the layout of a time in a record, in milliseconds.
const stampMS = "2006-01-02T15:04:05.000Z"

// tried adds a finished try to the match record and the metrics.
func (a *asking) tried(failure *protocol.Error, void bool) {
	t := protocol.Try{
		Stage: a.stages, PlayerID: a.seat.ID, Asked: a.message.Head().MessageType, SentAt: a.clock.sent.UTC().Format(stampMS),
		AgentMS: protocol.Milliseconds(a.clock.agent), OverheadMS: protocol.Milliseconds(a.clock.overhead),
		Outcome: protocol.Answered, Void: void,
	}
	switch {
	case failure != nil && cut(&a.life):
		t.Outcome = protocol.CutShort
	case failure != nil:
		t.Outcome = failure.Kind.Code
	}
	a.mu.Lock()
	a.tries = append(a.tries, t)
	a.mu.Unlock()
	a.env.opts.Meter.Tried(t.Asked, a.clock.agent, a.clock.overhead)
}

// call sends the message to the seat. The first call of a match ignores an open circuit breaker.
func (a *asking) call(ctx context.Context) (protocol.Message, error) {
	ctx = rpc.Within(ctx, a.deadline)
	a.mu.Lock()
	first := !a.seat.reached
	a.seat.reached = true
	a.mu.Unlock()
	return a.env.breakers.call(a.seat.Endpoint, a.seat.match.start.LeagueID, a.seat.registered, first, func() (protocol.Message, error) {
		return a.env.node.Call(ctx, a.seat.peer, a.message)
	})
}
