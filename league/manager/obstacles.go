package manager

import (
	"sync"
	"time"

	"agentleague/league"
	"agentleague/league/warnings"
	"agentleague/protocol"
)

// obstacles records, for matches in play without a result, what went wrong: refused reports and orders. It is safe for
// concurrent use.
type obstacles struct {
	mu sync.Mutex
	of map[league.MatchAssigned]obstacle
}

// An obstacle is the newest reason for which a match is delayed.
type obstacle struct {
	why string
	at  time.Time // of the first one
}

// note records an obstacle. why continues a sentence that begins with the name of the referee.
func (r *obstacles) note(a league.MatchAssigned, why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.of == nil {
		r.of = map[league.MatchAssigned]obstacle{}
	}
	known := r.of[a]
	if known.at.IsZero() {
		known.at = time.Now()
	}
	known.why = protocol.Clip(protocol.Plain(why), warnings.MaxText)
	r.of[a] = known
}

// noteLate records that a match has no report yet, unless a worse obstacle is recorded. It does not count for
// [obstacles.since], because a match may be slow for good reasons.
func (r *obstacles) noteLate(a league.MatchAssigned, why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.of == nil {
		r.of = map[league.MatchAssigned]obstacle{}
	}
	if r.of[a].at.IsZero() {
		r.of[a] = obstacle{why: why}
	}
}

// forget removes the obstacles of a match, which got its result or which its referee plays after all.
func (r *obstacles) forget(match string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for a := range r.of {
		if a.Match == match {
			delete(r.of, a)
		}
	}
}

// why returns the newest obstacle of a match, or "".
func (r *obstacles) why(a league.MatchAssigned) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.of[a].why
}

// since returns how long a match has had an obstacle, or 0 if it has none.
func (r *obstacles) since(a league.MatchAssigned) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	if first := r.of[a].at; !first.IsZero() {
		return time.Since(first)
	}
	return 0
}
