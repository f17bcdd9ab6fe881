package referee

import (
	"time"
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
