package league

import (
	"fmt"
	"sync"
)

// volatile is what a manager knows and need not remember: who was asked what
// since it started. All of it is found out again after a crash.
type volatile struct {
	wake chan struct{} // something has changed: the conductor looks again

	mu       sync.Mutex
	begun    bool // registration is over, the schedule is being made
	probes   map[string]probe
	tasks    map[string]bool // under way, by what they do
	heard    map[string]bool // players that acknowledged the announcement of an attempt
	waited   map[string]bool // attempts whose players had time enough to acknowledge
	ordered  map[string]bool // attempts whose referee was asked to play them
	accepted map[string]bool // attempts whose referee said yes
	told     map[string]bool // players that were told of a further attempt

	outbox     map[string][]parcel // by agent
	delivering map[string]bool     // agents whose outbox is being emptied
}

// A probe is what is known of an agent's endpoint.
type probe int

const (
	probeUnknown probe = iota
	probing
	probeReached
	probeFailed
)

func newVolatile() volatile {
	return volatile{
		wake: make(chan struct{}, 1), probes: map[string]probe{}, tasks: map[string]bool{}, heard: map[string]bool{},
		waited: map[string]bool{}, ordered: map[string]bool{}, accepted: map[string]bool{}, told: map[string]bool{},
		outbox: map[string][]parcel{}, delivering: map[string]bool{},
	}
}

// attemptKey names one attempt at a match.
func attemptKey(a MatchAssigned) string { return fmt.Sprintf("%s#%d", a.Match, a.Attempt) }

// kick makes the conductor look at the league again.
func (m *Manager) kick() {
	select {
	case m.volatile.wake <- struct{}{}:
	default:
	}
}

// locked runs f with the volatile knowledge locked.
func (m *Manager) locked(f func(v *volatile)) {
	m.volatile.mu.Lock()
	defer m.volatile.mu.Unlock()
	f(&m.volatile)
}

// once runs f in the background unless it is under way already.
func (m *Manager) once(what string, f func()) {
	var busy bool
	m.locked(func(v *volatile) { busy = v.tasks[what]; v.tasks[what] = true })
	if busy {
		return
	}
	m.running.Go(func() {
		defer m.kick()
		defer m.locked(func(v *volatile) { delete(v.tasks, what) })
		f()
	})
}

func (m *Manager) starting() (yes bool) {
	m.locked(func(v *volatile) { yes = v.begun })
	return yes
}

func (m *Manager) probeState(id string) (p probe) {
	m.locked(func(v *volatile) { p = v.probes[id] })
	return p
}

func (m *Manager) setProbe(id string, p probe) {
	m.locked(func(v *volatile) { v.probes[id] = p })
}

// inPlay reports whether a referee was asked to play a match.
func (m *Manager) inPlay(match string) (yes bool) {
	var key string
	m.Read(func(s *State) {
		if at := s.Matches[match]; at != nil {
			key = attemptKey(at.Attempt())
		}
	})
	m.locked(func(v *volatile) { yes = v.ordered[key] })
	return yes
}

// restartMatches has the matches of a referee ordered again: it may have lost them.
func (m *Manager) restartMatches(referee string) {
	m.Read(func(s *State) {
		for _, match := range s.Open() {
			if a := match.Attempt(); a.Referee == referee {
				m.locked(func(v *volatile) { delete(v.accepted, attemptKey(a)) })
			}
		}
	})
	m.kick()
}
