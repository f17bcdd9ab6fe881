package manager

import (
	"agentleague/league"
)

// Rests reports whether the manager has nothing to do until somebody comes, so that nothing is lost if it is ended
// and the league opened again when somebody does: the league is over, everybody has been told, every record is kept,
// and nothing is under way.
func (m *Manager) Rests() bool {
	over := false
	m.Read(func(s *league.State) { over = s.Completed() })
	if !over || m.jobs.anyUnder() || m.out.busy() {
		return false
	}
	select {
	case <-m.Done():
	default:
		return false
	}
	return m.core.opts.Records == nil || m.records.complete()
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
