package league

import (
	"context"
	"time"
)

// Drain lets no further match start and returns when those in play are
// recorded, or cannot be because the disk is full, or ctx ends. The league goes
// on when a manager opens it again.
func (m *Manager) Drain(ctx context.Context) {
	m.locked(func(v *volatile) { v.draining = true })
	for m.playing() && m.full() == "" {
		if m.Node.Sleep(ctx, "drain", 50*time.Millisecond) != nil {
			return
		}
	}
}

// Release lets matches start, after a Drain or in a league that was opened with
// Options.Hold.
func (m *Manager) Release() {
	m.locked(func(v *volatile) { v.draining = false })
	m.kick()
}

// Draining reports whether no further match may start: after a Drain, or before the first Release.
func (m *Manager) Draining() bool { return m.draining() }

func (m *Manager) draining() (yes bool) {
	m.locked(func(v *volatile) { yes = v.draining })
	return yes
}

// playing reports whether a referee has been asked for a match that has no result yet.
func (m *Manager) playing() (yes bool) {
	m.Read(func(s *State) {
		for _, match := range s.Open() {
			m.locked(func(v *volatile) { yes = yes || v.ordered[match.Attempt()] })
		}
	})
	return yes
}
