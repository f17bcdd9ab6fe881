package manager

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"agentleague/league"
	"agentleague/league/registration"
	"agentleague/protocol"
	"agentleague/rpc"
)

// A lobby tracks, before the start of a league, which agents can be reached and whether the league can start.
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
	callers  map[string]string // the address from which each agent registered at this manager
}

// newLobby returns a lobby whose registration window opens now.
func newLobby(c *core, l *ledger, j *jobs, calls *caller) *lobby {
	return &lobby{core: c, ledger: l, jobs: j, calls: calls, opened: time.Now(), probes: map[string]probe{},
		failures: map[string]string{}, callers: map[string]string{}}
}

// A probe is the reachability of an agent's endpoint.
type probe int

// The states of a probe.
const (
	probeUnknown probe = iota
	probing
	probeReached
	probeFailed
)

// fastProbes is how long a newly registered agent is probed once a second. Many agents begin to listen only after the
// answer to their registration.
const fastProbes = 15 * time.Second

// slowProbeInterval is the interval of probes after fastProbes.
const slowProbeInterval = 10 * time.Second

// grace is how long an agent may begin to listen after its registration before its endpoint is reported as unreachable.
const grace = 10 * time.Second

// probe calls an agent's endpoint once a second until it answers. After fastProbes it tries less often, until the
// league starts: the network may recover. It ends at once for an endpoint that must not be called.
func (l *lobby) probe(a league.Registered) {
	id, endpoint := a.ID, a.Endpoint
	found, why, cause, pause := probing, "", "", time.Second
	began := time.Now()
	for end := began.Add(fastProbes); l.recordProbe(id, endpoint, found, why, cause); {
		ctx, cancel := context.WithTimeout(l.ctx, time.Second)
		err := l.Node.Alive(ctx, endpoint)
		cancel()
		no := rpc.Permanent(err)
		switch {
		case err == nil:
			l.recordProbe(id, endpoint, probeReached, "", "")
			return
		case no != nil:
			why = protocol.AsError(no).Detail
			l.recordProbe(id, endpoint, probeFailed, "its endpoint cannot be called: "+why, why)
			return
		}
		cause = rpc.Unreached(err)
		if why = registration.Unreached(l.ctx, l.Node, a, l.caller(id), err); time.Since(began) >= grace {
			l.recordMiss(id, why)
		}
		if l.Node.Sleep(l.ctx, "probe "+id, pause) != nil {
			return
		}
		if !time.Now().Before(end) {
			found, pause = probeFailed, slowProbeInterval
		}
	}
}

// recordProbe records the state of an agent's endpoint, and reports whether to probe it further. why is the reason for
// all readers, cause the detailed one for the operator's log.
func (l *lobby) recordProbe(id, endpoint string, found probe, why, cause string) (again bool) {
	var started bool
	l.Read(func(s *league.State) { started = s.Started() })
	if l.calls.peer(id).Endpoint != endpoint {
		found = probeUnknown // it has moved since
	}
	if l.probeState(id) != found {
		if found == probeFailed {
			l.warn("agent unreachable", slog.String("agent_id", id), slog.String("endpoint", endpoint),
				slog.String("why", cause))
		}
		l.setProbe(id, found, why)
		l.kick()
	}
	return found == probing || found == probeFailed && !started
}

// unreachedReason returns why an agent was not reached at its endpoint, or "" if it was reached or is being probed.
func (l *lobby) unreachedReason(id string) (why string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.probes[id] == probeFailed {
		why = l.failures[id]
	}
	return why
}

// trouble returns the reason of an agent's last failed probe, also while probing; "" if it answers.
func (l *lobby) trouble(id string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.failures[id]
}

// recordMiss records the reason of a failed probe while the agent is being probed.
func (l *lobby) recordMiss(id, why string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.probes[id] == probing {
		l.failures[id] = why
	}
}

// probeState returns the state of an agent's probe.
func (l *lobby) probeState(id string) probe {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.probes[id]
}

// setProbe records the state of an agent's probe, and for the organiser the reason of a failure.
func (l *lobby) setProbe(id string, p probe, why string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.probes[id], l.failures[id] = p, why
}

// restartProbe restarts the probe of an agent that has just registered from an address, unless a probe is running.
func (l *lobby) restartProbe(id, addr string) {
	l.recordCaller(id, addr)
	l.forget(id, func(p probe) bool { return p != probing })
}

// recordCaller records the address from which an agent has registered.
func (l *lobby) recordCaller(id, addr string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.callers[id] = addr
}

// caller returns the address from which an agent has registered, or "" if it is unknown.
func (l *lobby) caller(id string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.callers[id]
}

// lookAgain restarts a failed probe.
func (l *lobby) lookAgain(id string) { l.forget(id, func(p probe) bool { return p == probeFailed }) }

// forget deletes the probe of an agent if such returns true for the probe's state. The next scan starts a new probe.
func (l *lobby) forget(id string, such func(probe) bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if such(l.probes[id]) {
		delete(l.probes, id)
	}
}
