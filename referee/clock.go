package referee

import (
	"time"

	"agentleague/rpc"
)

// A clock measures one try, the player's time (agent) and the referee's own time (overhead) separately.
//
//	write ──── overhead ────▶ call ──────── agent ────────▶ answer
//	                            └─ time in which the process was suspended ─▶ overhead
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
	c.stood, c.rested, c.began, c.search = o.Suspended, o.Longest, time.Now(), new(rpc.SearchTime)
}

// called records that the request is being sent: from now on the time counts as the player's.
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

// gaveUp stops the clock of a try without an answer. After a timeout, the delay between the deadline and its
// detection is overhead.
func (c *clock) gaveUp(deadline time.Time) {
	c.answered()
	late := time.Since(deadline)
	if late > c.overhead {
		c.agent, c.overhead = max(0, c.agent+c.overhead-late), late
	}
	c.stretch = max(c.stretch, late)
}

// ignoredSuspension is the longest suspension of the process that is ignored, whatever the time limit of the question.
const ignoredSuspension = 200 * time.Millisecond

// missedByReferee reports whether a single suspension of the process took at least a twentieth of the player's time, so
// that the call may have been sent too late or the answer missed. Many short suspensions do not count, since an answer
// that arrives during a suspension is read right after it.
func (c *clock) missedByReferee(deadline time.Time) bool {
	return c.stretch >= max(ignoredSuspension, deadline.Sub(c.began)/20)
}
