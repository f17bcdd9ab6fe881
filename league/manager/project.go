package manager

import (
	"cmp"
	"reflect"
	"sync/atomic"
	"time"

	"agentleague/league"
)

// The read models of a league are written at most once per minProjectInterval. The interval grows with the duration of
// a write, up to maxProjectInterval, so that neither one huge league nor a thousand small ones slow down play.
const (
	minProjectInterval = 300 * time.Millisecond
	maxProjectInterval = 5 * time.Second
	projectShare       = 49 // of the time; the rest is 2 % of a core, for all leagues of the process
)

// A projector keeps the read models of a league, such as the files in data/, up to date with its log.
type projector struct {
	*core
	*ledger
}

// project updates the read models after each change until the manager ends, and a last time then. It has no timer while
// nothing changes, so that a finished league uses no processor time.
func (p *projector) project() {
	shown := cmp.Or(p.opts.Shown, new(atomic.Int32))
	shown.Add(1)
	defer shown.Add(-1)
	var last league.Snapshot
	rest := minProjectInterval
	for ended := false; !ended; {
		changed := p.Changed()
		ended = p.lag(rest)
		if p.pauseReason() != "" && !ended {
			continue
		}
		if !p.resting.Load() {
			start := time.Now()
			if err := p.show(&last); err != nil {
				continue
			}
			rest = min(max(minProjectInterval, projectShare*time.Since(start)*time.Duration(shown.Load())), maxProjectInterval)
		}
		select {
		case <-changed:
		case <-p.ctx.Done():
		}
	}
}

// lag waits for the duration rest, or shorter once the league is over. It reports whether the manager has ended.
func (p *projector) lag(rest time.Duration) (ended bool) {
	for over := false; rest > 0 && !over; rest -= minProjectInterval {
		if p.Node.Sleep(p.ctx, "project", min(rest, minProjectInterval)) != nil {
			return true
		}
		p.Read(func(s *league.State) { over = s.Completed() })
	}
	return false
}

// show updates the read models unless the league's snapshot equals last, which it then replaces.
func (p *projector) show(last *league.Snapshot) error {
	var now league.Snapshot
	p.Read(func(s *league.State) { now = s.Snapshot() })
	if reflect.DeepEqual(now, *last) {
		return nil
	}
	err := p.opts.Projector.Project(now)
	if p.trouble("the files of the league could not be written", err); err == nil {
		*last = now
	}
	return err
}
