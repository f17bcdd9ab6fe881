package referee

import (
	"maps"
	"slices"
	"time"

	"agentleague/protocol"
)

// A Policy configures timeouts, retries and backoff of the referee's questions. Zero values select the defaults.
type Policy struct {
	JoinTimeout     time.Duration // 5 s
	MoveTimeout     time.Duration // 30 s
	GameOverTimeout time.Duration // 5 s
	MaxRetries      int           // 3; negative: none
	Delay           time.Duration // between tries; 2 s
	MaxDelay        time.Duration // 10 s
	Backoff         string        // how the delay grows, one of [Backoffs]; fixed
	MatchLimit      time.Duration // of a whole match; none
	// GameLimits are the match time limits by game type. They override MatchLimit.
	GameLimits map[string]time.Duration
	// Retryable are the error codes that are retried, a subset of those that the protocol calls retryable; nil means
	// all of them. A failure that is not in this list makes the player forfeit at once. An unreadable answer is always
	// retried.
	Retryable       []string
	BreakerFailures int           // connection failures that open a breaker; 5
	BreakerReset    time.Duration // 60 s
}

// withDefaults replaces zero values by the protocol's defaults: 5 s to join, 30 s to move, 3 retries. A negative
// MaxRetries means none.
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

// limit returns the time limit of a match of a game; 0 means no limit.
func (p Policy) limit(gameType string) time.Duration {
	if limit, ok := p.GameLimits[gameType]; ok {
		return limit
	}
	return p.MatchLimit
}

// final reports whether a failure is not retried, whatever the number of retries left.
func (p Policy) final(failure *protocol.Error) bool {
	return failure != nil && failure.Kind.Retryable && p.Retryable != nil && !slices.Contains(p.Retryable, failure.Kind.Code)
}

// strict reports whether some kinds of retryable failures are not retried.
func (p Policy) strict() bool {
	return p.Retryable != nil && slices.ContainsFunc(protocol.Kinds, func(k *protocol.Kind) bool { return p.final(&protocol.Error{Kind: k}) })
}

// pause returns the delay after the k-th failed try, counted from 1.
func (p Policy) pause(k int) time.Duration {
	if grow := backoffs[p.Backoff]; grow != nil {
		return grow(p, k)
	}
	return p.Delay
}

// backoffs are the backoff functions by their names in the configuration. Each returns the delay after the k-th failed
// try. A new one also needs an entry in config.Backoffs.
var backoffs = map[string]func(p Policy, k int) time.Duration{
	"fixed":       func(p Policy, _ int) time.Duration { return p.Delay },
	"exponential": doubled,
}

// Backoffs returns the sorted names of the backoff functions.
func Backoffs() []string { return slices.Sorted(maps.Keys(backoffs)) }

// doubled returns the k-th delay of an exponential backoff with an upper limit.
func doubled(p Policy, k int) time.Duration {
	d := p.Delay
	for range k - 1 {
		d = min(2*d, p.MaxDelay)
	}
	return min(d, p.MaxDelay)
}
