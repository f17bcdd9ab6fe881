package manager

import (
	"cmp"
	"reflect"
	"sync/atomic"
	"time"

	"agentleague/league"
)

// A projection is written at least minProjectInterval after the previous one. The delay grows with the time that a
// projection takes, up to maxProjectInterval: that of a league of 15,000 matches is a document of 2 MB, and neither it
// nor the documents of a thousand concurrent leagues may slow down play.
const (
	minProjectInterval = 300 * time.Millisecond
	maxProjectInterval = 5 * time.Second
	projectShare       = 49 // of the time; the rest is 2 % of a core, for all leagues of the process
)

// A projector keeps the projection of the league outside its log up to date.
type projector struct {
	*core
	*ledger
}

// project updates the projection after changes until the manager ends, and once more then. It has no timer while
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

// lag waits before the next projection, at most a short time once the league is over. It reports whether the manager
// has ended.
func (p *projector) lag(rest time.Duration) (ended bool) {
	for over := false; rest > 0 && !over; rest -= minProjectInterval {
		if p.Node.Sleep(p.ctx, "project", min(rest, minProjectInterval)) != nil {
			return true
		}
		p.Read(func(s *league.State) { over = s.Completed() })
	}
	return false
}

// show updates the projection, unless the snapshot is unchanged.
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
