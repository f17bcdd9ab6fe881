package referee

import (
	"time"

	"agentleague/protocol"
)

// A clock takes the time of one try, the player's apart from the referee's own.
//
//	write ──── overhead ────▶ call ──────── agent ────────▶ answer
//	                            └─ less what the process stood still ─▶ overhead
type clock struct {
	stood func() time.Duration // how long the process has stood still
	began time.Time            // when the call was written; its deadline counts from here
	sent  time.Time
	still time.Duration // what stood told then

	agent, overhead time.Duration
	forgiven        time.Duration // how long it was listened to in tries that did not count
}

func (c *clock) start(stood func() time.Duration) {
	c.stood, c.began = stood, time.Now()
}

// called notes that the call goes out.
func (c *clock) called() {
	c.sent, c.still = time.Now(), c.stood()
}

// answered takes the time when an answer has come.
func (c *clock) answered() {
	now := time.Now()
	c.overhead = c.sent.Sub(c.began) + min(c.stood()-c.still, now.Sub(c.sent))
	c.agent = now.Sub(c.began) - c.overhead
}

// gaveUp takes the time when none has come. How late that is noticed is the referee's.
func (c *clock) gaveUp(deadline time.Time) {
	c.answered()
	if late := time.Since(deadline); late > c.overhead {
		c.agent, c.overhead = max(0, c.agent+c.overhead-late), late
	}
}

// stampMS is a time in a record, to the millisecond.
const stampMS = "2006-01-02T15:04:05.000Z"

// tried puts a try on record.
func (a *asking) tried(failure *protocol.Error, void bool) {
	t := protocol.Try{
		Stage: a.stages, PlayerID: a.seat.ID, Asked: a.message.Head().MessageType, SentAt: a.clock.sent.UTC().Format(stampMS),
		AgentMS: protocol.Milliseconds(a.clock.agent), OverheadMS: protocol.Milliseconds(a.clock.overhead),
		Outcome: protocol.Answered, Void: void,
	}
	switch {
	case failure != nil && cut(a.ctx):
		t.Outcome = protocol.CutShort
	case failure != nil:
		t.Outcome = failure.Kind.Code
	}
	a.mu.Lock()
	a.tries = append(a.tries, t)
	a.mu.Unlock()
	a.r.opts.Meter.Tried(t.Asked, a.clock.agent, a.clock.overhead)
}
