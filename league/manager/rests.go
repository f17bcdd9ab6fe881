package manager

import (
	"agentleague/league"
)

// Rests reports whether the manager has nothing to do until somebody comes, so that nothing is lost if it is ended
// and the league opened again when somebody does. Either the league is over, everybody has been told and every record
// is kept; or it waits for agents, without a clock, and everybody who is there has been found.
func (m *Manager) Rests() bool {
	var started, over, ordered bool
	m.Read(func(s *league.State) { started, over, ordered = s.Started(), s.Completed(), s.Ordered })
	switch {
	case m.jobs.anyUnder() || m.out.busy() || m.ledger.full() != "":
		return false
	case over:
		return m.toldAll() && (m.core.opts.Records == nil || m.records.complete())
	}
	// A drain is forgotten when the league is opened again, and so are the codes of those who were turned away.
	return !started && !ordered && m.lobby.allFound() && !m.drainage.isOn() && len(m.Refusals()) == 0
}

// toldAll reports whether the league is over and everybody has been told.
func (m *Manager) toldAll() bool {
	select {
	case <-m.Done():
		return true
	default:
		return false
	}
}

// allFound reports whether everybody who has registered was found at its endpoint.
func (l *lobby) allFound() (yes bool) {
	var ids []string
	l.Read(func(s *league.State) {
		for id, a := range s.Agents {
			if !a.LostPlace() {
				ids = append(ids, id)
			}
		}
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, id := range ids {
		if l.probes[id] != probeReached {
			return false
		}
	}
	return true
}

// anyUnder reports whether a job is under way.
func (j *jobs) anyUnder() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.under) > 0
}

// busy reports whether a message waits to be sent, or is on its way.
func (o *outbox) busy() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, b := range o.boxes {
		if b.taken {
			return true
		}
	}
	return false
}
