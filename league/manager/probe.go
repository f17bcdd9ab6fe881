package manager

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"agentleague/league"
	"agentleague/protocol"
	"agentleague/rpc"
)

// A lobby is a league before its start: whether its agents can be reached, and whether it can begin.
type lobby struct {
	*core
	*ledger
	*jobs
	calls  *caller
	opened time.Time // when this manager took the league over

	mu       sync.Mutex
	starting bool // registration is over, the schedule is being made
	probes   map[string]probe
	failures map[string]string // why the newest probe failed
}

// newLobby makes the lobby: it opens now, which is when the registration window begins to count.
func newLobby(c *core, l *ledger, j *jobs, calls *caller) *lobby {
	return &lobby{core: c, ledger: l, jobs: j, calls: calls, opened: time.Now(), probes: map[string]probe{},
		failures: map[string]string{}}
}

// A probe is what is known of an agent's endpoint.
type probe int

// What is known of whether an agent can be reached where it says it is.
const (
	probeUnknown probe = iota
	probing
	probeReached
	probeFailed
)

// probeFor is how long a newly registered agent is looked for at its endpoint:
// many listen only after they have been answered.
const probeFor = 15 * time.Second

// probeLater is how often one is looked for that was not found by then.
const probeLater = 10 * time.Second

// probe looks for an agent at its endpoint, once a second. One that is not found is
// looked for, less often, as long as the league has not started: it may have been cut
// off, and does not know that it is missed. One that may not be called is not looked for again.
func (l *lobby) probe(id, endpoint string) {
	found, why, pause := probing, "", time.Second
	for end := time.Now().Add(probeFor); l.probed(id, endpoint, found, why); {
		ctx, cancel := context.WithTimeout(l.ctx, time.Second)
		err := l.Node.Alive(ctx, endpoint)
		cancel()
		no := rpc.Permanent(err)
		switch {
		case err == nil:
			l.probed(id, endpoint, probeReached, "")
			return
		case no != nil:
			l.probed(id, endpoint, probeFailed, "its endpoint cannot be called: "+protocol.AsError(no).Detail)
			return
		}
		why = "its endpoint could not be reached: " + rpc.Unreached(err)
		l.missed(id, why)
		if l.Node.Sleep(l.ctx, "probe "+id, pause) != nil {
			return
		}
		if !time.Now().Before(end) {
			found, pause = probeFailed, probeLater
		}
	}
}

// probed notes what is known of an agent's endpoint, and reports whether it is still worth looking.
func (l *lobby) probed(id, endpoint string, found probe, why string) (again bool) {
	var started bool
	l.Read(func(s *league.State) { started = s.Started() })
	if l.calls.peer(id).Endpoint != endpoint {
		found = probeUnknown // it has moved meanwhile
	}
	if l.probeState(id) != found {
		if found == probeFailed {
			l.warn("agent unreachable", slog.String("agent_id", id), slog.String("endpoint", endpoint),
				slog.String("why", why))
		}
		l.setProbe(id, found, why)
		l.kick()
	}
	return found == probing || found == probeFailed && !started
}

// unreached says why an agent was not found at its endpoint, or "" if it was or
// is being looked for.
func (l *lobby) unreached(id string) (why string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.probes[id] == probeFailed {
		why = l.failures[id]
	}
	return why
}

// trouble says why an agent does not answer at its endpoint, also while it is still being looked for; "" if it does.
func (l *lobby) trouble(id string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.failures[id]
}

// missed notes why an agent that is being looked for does not answer.
func (l *lobby) missed(id, why string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.probes[id] == probing {
		l.failures[id] = why
	}
}

// probeState is what is known of an agent's endpoint.
func (l *lobby) probeState(id string) probe {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.probes[id]
}

// setProbe notes how the probe of an agent went, and why if it failed: the organiser is told in those words.
func (l *lobby) setProbe(id string, p probe, why string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.probes[id], l.failures[id] = p, why
}

// registered has an agent looked for that has just registered, unless it is being looked for.
func (l *lobby) registered(id string) { l.forget(id, func(p probe) bool { return p != probing }) }

// lookAgain has an agent looked for again that was not found.
func (l *lobby) lookAgain(id string) { l.forget(id, func(p probe) bool { return p == probeFailed }) }

// forget has an agent looked for again if what is known of its endpoint is such.
func (l *lobby) forget(id string, such func(probe) bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if such(l.probes[id]) {
		delete(l.probes, id)
	}
}
