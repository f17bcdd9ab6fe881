package manager

import "agentleague/league"

// Rests reports whether the manager is idle until the next request, so that it can be closed and the league reopened
// without loss. Either the league is over, its end announced and every record stored; or it waits for agents, without
// a timer, and all agents present have been reached.
func (m *Manager) Rests() bool {
	var started, over, ordered bool
	m.Read(func(s *league.State) { started, over, ordered = s.Started(), s.Completed(), s.Ordered })
	switch {
	case m.jobs.anyUnder() || m.out.busy() || m.ledger.full() != "":
		return false
	case over:
		return m.toldAll() && (m.core.opts.Records == nil || m.records.complete())
	}
	// A drain is lost when the league is reopened, and so are the codes of refused applicants.
	return !started && !ordered && m.lobby.allFound() && !m.drainage.isOn() && len(m.Refusals()) == 0
}

// toldAll reports whether the league is over and its end announced.
func (m *Manager) toldAll() bool {
	select {
	case <-m.Done():
		return true
	default:
		return false
	}
}

// allFound reports whether every registered agent was reached at its endpoint.
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
