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

// A projector keeps what is shown of the league outside of its log up to date.
type projector struct {
	*core
	*ledger
}

// project keeps what is shown up to date until the manager ends, and once more then.
func (p *projector) project() {
	var last league.Snapshot
	rest := projectEvery
	for ended := false; !ended; {
		ended = p.Node.Sleep(p.ctx, "project", rest) != nil
		if p.resting.Load() || p.full() != "" && !ended {
			continue
		}
		start := time.Now()
		var now league.Snapshot
		p.Read(func(s *league.State) { now = s.Snapshot() })
		if reflect.DeepEqual(now, last) {
			continue
		}
		err := p.opts.Projector.Project(now)
		if p.trouble("the files of the league could not be written", err); err == nil {
			last = now
		}
		rest = min(max(projectEvery, restShare*time.Since(start)), projectSeldom)
	}
}
