package manager

import (
	"sync"

	"agentleague/league"
)

// volatile is what a manager knows and need not remember: who was asked what
// since it started. All of it is found out again after a crash.
type volatile struct {
	wake chan struct{} // something has changed: the conductor looks again

	mu        sync.Mutex
	starting  bool   // registration is over, the schedule is being made
	draining  bool   // no further match is to start
	drained   string // who wanted that, if somebody did
	rest      rest   // why nothing can be recorded just now; the league rests meanwhile
	probes    map[string]probe
	dialects  map[string]string // what was learned last of how agents want to be spoken to
	applying  map[string]int    // registrations under way, by the address that they come from
	refusals  []*Refusal        // who was turned away as another agent, the newest last
	unreached map[string]string // why a probe failed
	tasks     map[string]bool   // under way, by what they do
	ended     map[string]bool   // tasks that have ended since the conductor began to look

	outbox     map[string][]parcel      // by agent
	delivering map[string]bool          // agents whose outbox is being emptied
	sending    map[league.Announced]int // how many of those a message concerns have not been tried yet

	records  map[string]bool // matches whose record is kept, or never will be
	whole    int             // all records of the rounds up to this are kept
	troubles map[string]bool // what fails just now, and was said to

	kept      map[league.MatchAssigned]bool // attempts that no referee will be asked to play: a player has left
	inherited map[league.MatchAssigned]bool // attempts that the manager before may have asked for
	round     int                           // which the rest is about
	errands
}

// errands are what has been done about the matches of a round.
type errands struct {
	heard    map[hearing]bool              // players that acknowledged the announcement of an attempt
	told     map[hearing]bool              // players that were sent the announcement of a further attempt
	waited   map[league.MatchAssigned]bool // attempts whose players had time enough to acknowledge
	ordered  map[league.MatchAssigned]bool // attempts that their referee is asked to play
	accepted map[league.MatchAssigned]bool // attempts whose referee said yes
	refused  map[league.MatchAssigned]bool // attempts whose referee said no
}

// A hearing is a player's knowledge of an attempt.
type hearing struct {
	league.MatchAssigned
	player string
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
		wake: make(chan struct{}, 1), probes: map[string]probe{}, applying: map[string]int{}, dialects: map[string]string{}, unreached: map[string]string{}, tasks: map[string]bool{}, ended: map[string]bool{},
		outbox: map[string][]parcel{}, delivering: map[string]bool{}, sending: map[league.Announced]int{}, kept: map[league.MatchAssigned]bool{}, inherited: map[league.MatchAssigned]bool{}, records: map[string]bool{}, troubles: map[string]bool{}, errands: newErrands(),
	}
}

func newErrands() errands {
	return errands{
		heard: map[hearing]bool{}, told: map[hearing]bool{}, waited: map[league.MatchAssigned]bool{},
		ordered: map[league.MatchAssigned]bool{}, accepted: map[league.MatchAssigned]bool{}, refused: map[league.MatchAssigned]bool{},
	}
}

// enter forgets about the matches of the round before.
func (v *volatile) enter(round int) {
	if v.round != round {
		v.round, v.errands = round, newErrands()
	}
}

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

// once runs f in the background unless it is under way already. What ended
// while the conductor looked may be due no longer: it looks again, and then
// knows.
func (m *Manager) once(what string, f func()) {
	var start bool
	m.locked(func(v *volatile) {
		if start = !v.tasks[what] && !v.ended[what]; start {
			v.tasks[what] = true
		}
	})
	if !start {
		return
	}
	m.running.Go(func() {
		defer m.kick()
		defer m.locked(func(v *volatile) { delete(v.tasks, what); v.ended[what] = true })
		f()
	})
}

func (m *Manager) starting() (yes bool) {
	m.locked(func(v *volatile) { yes = v.starting })
	return yes
}

func (m *Manager) probeState(id string) (p probe) {
	m.locked(func(v *volatile) { p = v.probes[id] })
	return p
}

func (m *Manager) setProbe(id string, p probe) {
	m.locked(func(v *volatile) { v.probes[id] = p })
}

// letGo hands an attempt to its referee, unless it has been kept back. From
// then on its result is the referee's affair, whoever leaves the league.
func (m *Manager) letGo(a league.MatchAssigned) (ok bool) {
	m.locked(func(v *volatile) { ok = !v.kept[a]; v.ordered[a] = ok })
	return ok
}

// keepBack makes sure that no referee plays an attempt, unless one may do so already.
func (m *Manager) keepBack(a league.MatchAssigned) (ok bool) {
	m.locked(func(v *volatile) { ok = !v.ordered[a] && !v.inherited[a]; v.kept[a] = ok })
	return ok
}

// inherit notes the attempts that are open when a manager takes the league over.
// Whether their referees have been asked for them nobody remembers.
func (m *Manager) inherit(s *league.State) {
	m.locked(func(v *volatile) {
		for _, match := range s.Open() {
			v.inherited[match.Attempt()] = true
		}
	})
}
