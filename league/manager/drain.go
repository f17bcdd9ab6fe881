package manager

import (
	"context"
	"log/slog"
	"time"

	"agentleague/league"
)

// Drain lets no further match start and returns when those in play are
// recorded, or cannot be because the disk is full, or with an error when ctx
// ends. The league goes on when somebody resumes it or a manager opens it again.
// That it was drained stands in the log if there was something to drain.
func (m *Manager) Drain(ctx context.Context, by string) error {
	m.BeginDrain(ctx, by)
	for m.playing() && m.full() == "" {
		if err := m.Node.Sleep(ctx, "drain", 50*time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

// BeginDrain lets no further match start and does not wait for those in play.
func (m *Manager) BeginDrain(ctx context.Context, by string) {
	by = signed(by)
	m.info("drain ordered", slog.String("by", by))
	var first bool
	m.locked(func(v *volatile) { first = v.drained == ""; v.draining, v.drained = true, by })
	if !first || by == "" {
		return
	}
	// A log that cannot be written keeps nobody from ending.
	_ = m.do(ctx, func(s *league.State) ([]league.Event, error) {
		if s.Completed() {
			return nil, nil
		}
		return []league.Event{league.Drained{By: by}}, nil
	})
}

// Release lets matches start, after a Drain or in a league that was opened with
// Options.Hold.
func (m *Manager) Release() {
	m.locked(func(v *volatile) { v.draining, v.drained = false, "" })
	m.kick()
}

// Draining reports whether no further match may start: after a Drain, or before the first Release.
func (m *Manager) Draining() bool { return m.draining() }

func (m *Manager) draining() (yes bool) {
	m.locked(func(v *volatile) { yes = v.draining })
	return yes
}

// drainedBy returns who had the league drained, or "".
func (m *Manager) drainedBy() (by string) {
	m.locked(func(v *volatile) { by = v.drained })
	return by
}

// playing reports whether a referee has been asked for a match that has no result yet.
func (m *Manager) playing() (yes bool) {
	m.Read(func(s *league.State) {
		for _, match := range s.Open() {
			m.locked(func(v *volatile) { yes = yes || v.ordered[match.Attempt()] })
		}
	})
	return yes
}
