package referee

import (
	"maps"
	"slices"
	"time"

	"agentleague/protocol"
)

// A Policy is how long and how often a referee asks. The zero value of each
// field means its default.
type Policy struct {
	JoinTimeout     time.Duration // 5 s
	MoveTimeout     time.Duration // 30 s
	GameOverTimeout time.Duration // 5 s
	MaxRetries      int           // 3; negative: none
	Delay           time.Duration // between tries; 2 s
	MaxDelay        time.Duration // 10 s
	Backoff         string        // how the delay grows, one of [Backoffs]; fixed
	MatchLimit      time.Duration // of a whole match; none
	// GameLimits are the limits of matches of some games, by their types, in place of MatchLimit.
	GameLimits map[string]time.Duration
	// Retryable are the codes of failures after which a player is asked again, of those that the protocol calls
	// retryable; nil: all of them. Any other of these costs the match at once. An answer that cannot be read is no such
	// failure: it is always asked for again.
	Retryable       []string
	BreakerFailures int           // connection failures that open a breaker; 5
	BreakerReset    time.Duration // 60 s
}

// withDefaults replaces zero values by the protocol's: 5 s to join, 30 s to move, 3 retries. A negative MaxRetries
// means none.
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

// limit returns how long a match of a game may take; 0: as long as it takes.
func (p Policy) limit(gameType string) time.Duration {
	if limit, ok := p.GameLimits[gameType]; ok {
		return limit
	}
	return p.MatchLimit
}

// final reports whether a player is not asked again after a failure, however many tries are left.
func (p Policy) final(failure *protocol.Error) bool {
	return failure != nil && failure.Kind.Retryable && p.Retryable != nil && !slices.Contains(p.Retryable, failure.Kind.Code)
}

// strict reports whether there are failures after which a player is not asked again.
func (p Policy) strict() bool {
	return p.Retryable != nil && slices.ContainsFunc(protocol.Kinds, func(k *protocol.Kind) bool { return p.final(&protocol.Error{Kind: k}) })
}

// pause returns how long to wait after failed try k, counted from 1.
func (p Policy) pause(k int) time.Duration {
	if grow := backoffs[p.Backoff]; grow != nil {
		return grow(p, k)
	}
	return p.Delay
}

// backoffs are the ways to space tries, by the names that the configuration has for them: the delay after failed try k.
// A new one is a row here and a name in config.Backoffs.
var backoffs = map[string]func(p Policy, k int) time.Duration{
	"fixed":       func(p Policy, _ int) time.Duration { return p.Delay },
	"exponential": doubled,
}

// Backoffs returns the names of all ways to space tries.
func Backoffs() []string { return slices.Sorted(maps.Keys(backoffs)) }

// doubled returns the exponential backoff, up to its bound.
func doubled(p Policy, k int) time.Duration {
	d := p.Delay
	for range k - 1 {
		d = min(2*d, p.MaxDelay)
	}
	return min(d, p.MaxDelay)
}
