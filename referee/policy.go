package referee

import "time"

// A Policy is how long and how often a referee asks. The zero value of each
// field means its default.
type Policy struct {
	JoinTimeout     time.Duration // 5 s
	MoveTimeout     time.Duration // 30 s
	GameOverTimeout time.Duration // 5 s
	MaxRetries      int           // 3; negative: none
	Delay           time.Duration // between tries; 2 s
	MaxDelay        time.Duration // 10 s
	Exponential     bool          // double the delay after each try
	MatchLimit      time.Duration // of a whole match; none
	BreakerFailures int           // connection failures that open a breaker; 5
	BreakerReset    time.Duration // 60 s
}

func (p Policy) withDefaults() Policy {
	set := func(d *time.Duration, otherwise time.Duration) {
		if *d == 0 {
			*d = otherwise
		}
	}
	set(&p.JoinTimeout, 5*time.Second)
	set(&p.MoveTimeout, 30*time.Second)
	set(&p.GameOverTimeout, 5*time.Second)
	set(&p.Delay, 2*time.Second)
	set(&p.MaxDelay, 10*time.Second)
	set(&p.BreakerReset, time.Minute)
	if p.MaxRetries == 0 {
		p.MaxRetries = 3
	}
	if p.BreakerFailures == 0 {
		p.BreakerFailures = 5
	}
	p.MaxRetries = max(p.MaxRetries, 0)
	return p
}

// pause returns how long to wait after failed try k, counted from 1.
func (p Policy) pause(k int) time.Duration {
	if !p.Exponential {
		return p.Delay
	}
	d := p.Delay
	for range k - 1 {
		d = min(2*d, p.MaxDelay)
	}
	return min(d, p.MaxDelay)
}
