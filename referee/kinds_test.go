package referee_test

import (
	"context"
	"sync"
	"time"

	"agentleague/protocol"
)

// A kind is one behaviour of a player: the script for it, and the required reaction of a referee, which is written from
// the protocol alone.
type kind struct {
	name   string
	script func(p *fakePlayer)
	join   asking // the outcome of its invitation
	choose asking // the outcome of the question for its choice
	choice string // its final choice
	dies   string // "before" the match, or when "asked": it does not receive the result
}

// An asking lists the outcomes of the tries of a stage, in order.
type asking []try

// A try fails after some time with a code, or it is answered rightly (no
// code). After a failure the right answer may still come by a call.
type try struct {
	after time.Duration
	code  string
	late  time.Duration // when the right answer comes after all, counted from the call; 0: never
}

// same is an asking in which every try ends in the same way.
func same(after time.Duration, code string) asking { return asking{{after: after, code: code}} }

var (
	atOnce   = same(0, "")
	refused  = same(0, "E009")
	declined = "DECLINED"
)

const (
	joinTime = 5 * time.Second
	moveTime = 30 * time.Second
	retry    = 2 * time.Second
	tries    = 4
	together = 500 * time.Millisecond // failures that are closer than that count as one moment
)

// kinds are all of them. An honest player answers at once.
var kinds = []kind{
	{name: "honest", script: func(*fakePlayer) {}, join: atOnce, choose: atOnce, choice: "even"},
	{name: "mute", join: same(joinTime, "E001"), script: func(p *fakePlayer) {
		p.invited = func(ctx context.Context, _ *protocol.GameInvitation) (protocol.Message, error) { return never(ctx) }
	}},
	{name: "silent", join: atOnce, choose: same(moveTime, "E001"), script: func(p *fakePlayer) {
		p.asked = func(ctx context.Context, _ *protocol.ChooseParityCall) (protocol.Message, error) { return never(ctx) }
	}},
	{name: "slow", join: atOnce, choose: asking{{after: moveTime, code: "E001", late: moveTime + time.Second}},
		choice: "odd", script: slow},
	{name: "lying", join: atOnce, choose: same(0, "E004"), script: lying},
	{name: "refusing", join: refused, dies: "before", script: func(p *fakePlayer) { p.process.Crash() }},
	{name: "crashing", join: atOnce, choose: asking{{after: moveTime, code: "E001"}, {code: "E009"}}, dies: "asked",
		script: func(p *fakePlayer) {
			p.asked = func(context.Context, *protocol.ChooseParityCall) (protocol.Message, error) {
				p.process.Crash()
				return p.parity(quoted("even")), nil
			}
		}},
	{name: "declining", join: same(0, declined), script: func(p *fakePlayer) {
		p.invited = func(context.Context, *protocol.GameInvitation) (protocol.Message, error) { return p.join(false), nil }
	}},
	{name: "flooding", join: atOnce, choose: atOnce, choice: "odd", script: func(p *fakePlayer) { flooding(p, 20) }},
}

// slow answers with nothing, and a second after the deadline by a call.
func slow(p *fakePlayer) {
	p.asked = func(ctx context.Context, m *protocol.ChooseParityCall) (protocol.Message, error) {
		go func() {
			if p.process.Sleep(ctx, "thinks", moveTime+time.Second) == nil {
				p.callBack(in(m.ConversationID, p.parity(quoted("odd"))))
			}
		}()
		return p.nothing(), nil
	}
}

// lying gives another illegal choice each time.
func lying(p *fakePlayer) {
	lies := []string{`"banana"`, `7`, `null`, `{"even":true}`}
	var mu sync.Mutex
	p.asked = func(context.Context, *protocol.ChooseParityCall) (protocol.Message, error) {
		mu.Lock()
		defer mu.Unlock()
		lie := lies[0]
		lies = lies[1:]
		return p.parity([]byte(lie)), nil
	}
}

// flooding answers each question by many callbacks: first some without proof, then many copies of the right one. Its
// direct reply is too late.
func flooding(p *fakePlayer, times int) {
	flood := func(m *protocol.Envelope, forged, right func() protocol.Message) {
		for range times {
			if code := p.callBack(in("conv-r1m1-001-000000000000", forged())); code != "E012" {
				p.h.t.Errorf("a forged %s is answered %q, want E012", forged().Head().MessageType, code)
			}
		}
		for i := range times {
			if code := p.callBack(in(m.ConversationID, right())); (code == "") != (i == 0) {
				p.h.t.Errorf("%s number %d is answered %q, want the first one taken", right().Head().MessageType, i, code)
			}
		}
	}
	p.invited = func(_ context.Context, m *protocol.GameInvitation) (protocol.Message, error) {
		flood(m.Head(), func() protocol.Message { return p.join(false) }, func() protocol.Message { return p.join(true) })
		return p.join(false), nil
	}
	p.asked = func(_ context.Context, m *protocol.ChooseParityCall) (protocol.Message, error) {
		flood(m.Head(), func() protocol.Message {
			return p.parity(quoted("even"))
		}, func() protocol.Message { return p.parity(quoted("odd")) })
		return p.parity(quoted("even")), nil
	}
}

// The functions below compute the referee's required reactions from two askings.

// A course is the sequence of events for one seat in one stage.
type course struct {
	calls  []time.Duration
	errors []complaint
	end    time.Duration // of its last call or the answer
	code   string        // of its forfeit
	cut    bool          // ended by the other's forfeit
}

// A complaint is a GAME_ERROR that is due.
type complaint struct {
	at    time.Duration
	code  string
	count int
	last  bool
	maybe bool // it fell on the very moment at which the other one forfeited
}

// run simulates one seat in a stage that is not ended early.
func (a asking) run(begin time.Duration) (c course) {
	now := begin
	for k := 1; ; k++ {
		t := a[min(k, len(a))-1]
		c.calls = append(c.calls, now)
		c.end = now + t.after
		switch {
		case t.code == "":
			return c
		case t.code == declined:
			c.code = declined
			return c
		case k == tries:
			c.errors = append(c.errors, complaint{at: c.end, code: t.code, count: k - 1, last: true})
			c.code = t.code
			return c
		}
		c.errors = append(c.errors, complaint{at: c.end, code: t.code, count: k})
		if t.late > 0 {
			c.end = now + t.late
			return c
		}
		now = c.end + retry
	}
}

// upTo cuts a course off at a moment.
func (c course) upTo(at time.Duration) course {
	out := course{end: at, cut: true}
	for _, call := range c.calls {
		if call <= at {
			out.calls = append(out.calls, call)
		}
	}
	for _, e := range c.errors {
		if e.at <= at {
			e.maybe = e.at == at
			out.errors = append(out.errors, e)
		}
	}
	return out
}

// mayFail reports whether the seat may forfeit in the moment that begins at at:
// a call that could be its last is open then. That is its fourth, or any
// invitation, which may be declined.
func (c course) mayFail(at time.Duration, a asking, invitation bool) bool {
	for k, call := range c.calls {
		if (invitation || k+1 == tries) && call < at+together && at < call+a[min(k, len(a)-1)].after {
			return true
		}
	}
	return false
}

// both follows two seats through a stage: when one forfeits, the other's call is
// ended, at once unless it could end in a forfeit at the same moment.
func both(a, b asking, begin time.Duration, invitation bool) (courses [2]course, end time.Duration) {
	asked := [2]asking{a, b}
	courses = [2]course{a.run(begin), b.run(begin)}
	first := time.Duration(-1)
	for _, c := range courses {
		if c.code != "" && (first < 0 || c.end < first) {
			first = c.end
		}
	}
	for i, c := range courses {
		if first >= 0 && c.end > first {
			limit := first
			if c.mayFail(first, asked[i], invitation) {
				limit += together
			}
			if c.end > limit {
				courses[i] = c.upTo(limit)
			}
		}
		end = max(end, courses[i].end)
	}
	return courses, end
}
