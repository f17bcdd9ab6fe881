package manager

import (
	"reflect"
	"time"

	"agentleague/league"
)

// What is shown lags behind the log by the first, or in a league that takes long
// to show by up to the second.
const (
	projectEvery  = 300 * time.Millisecond
	projectSeldom = 900 * time.Millisecond
)

// project keeps what is shown up to date until the manager ends, and once more then.
func (m *Manager) project() {
	var last league.Snapshot
	rest := projectEvery
	for ended := false; !ended; {
		ended = m.Node.Sleep(m.ctx, "project", rest) != nil
		if m.resting.Load() || m.full() != "" && !ended {
			continue
		}
		start := time.Now()
		var now league.Snapshot
		m.Read(func(s *league.State) { now = s.Snapshot() })
		if reflect.DeepEqual(now, last) {
			continue
		}
		err := m.opts.Projector.Project(now)
		if m.trouble("the league could not be shown", err); err == nil {
			last = now
		}
		rest = min(max(projectEvery, restShare*time.Since(start)), projectSeldom)
	}
}
