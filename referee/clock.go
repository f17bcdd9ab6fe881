package referee

import (
	"time"

	"agentleague/rpc"
)

// A clock measures one try: the player's time separately from the referee's own.
//
//	write ──── overhead ────▶ call ──────── agent ────────▶ answer
//	                            └─ less the time that the process stood still ─▶ overhead
type clock struct {
	stood  func() time.Duration                // how long the process has stood still
	rested func(since time.Time) time.Duration // and its longest stretch since a moment
	began  time.Time                           // when the call was written; its deadline counts from here
	sent   time.Time
	still  time.Duration   // the value of stood at that time
	search *rpc.SearchTime // in which it was found out how to speak to the player

	agent, overhead time.Duration
	stretch         time.Duration // the longest that the referee was away without a break between write and deadline
}

func (c *clock) start(o Options) {
	c.stood, c.rested, c.began, c.search = o.Stood, o.Longest, time.Now(), new(rpc.SearchTime)
}

// called notes that the call goes out.
func (c *clock) called() {
	c.sent, c.still = time.Now(), c.stood()
}

// answered stops the clock at an answer.
func (c *clock) answered() {
	now := time.Now()
	c.overhead = c.sent.Sub(c.began) + min(c.stood()-c.still+c.search.Duration(), now.Sub(c.sent))
	c.agent = now.Sub(c.began) - c.overhead
	c.stretch = max(c.sent.Sub(c.began), c.rested(c.began))
}

// gaveUp stops the clock without an answer. The delay until the timeout is noticed counts as the referee's.
func (c *clock) gaveUp(deadline time.Time) {
	c.answered()
	late := time.Since(deadline)
	if late > c.overhead {
		c.agent, c.overhead = max(0, c.agent+c.overhead-late), late
	}
	c.stretch = max(c.stretch, late)
}

// punctual is the longest standstill of the process that counts as normal, for any question.
const punctual = 200 * time.Millisecond

// unpunctual reports whether one standstill of the process took so much of a player's time, a twentieth of it, that its
// answer may have been missed, or its call sent too late. Many short ones do not count: an answer that arrives during
// one is read right after it.
func (c *clock) unpunctual(deadline time.Time) bool {
	return c.stretch >= max(punctual, deadline.Sub(c.began)/20)
}
