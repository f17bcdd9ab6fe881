package store

import "sync"

// A groupSync implements group commit: callers that arrive during a sync share the next one.
type groupSync struct {
	turn chan struct{} // holds one while a sync is under way

	mu   sync.Mutex
	next *syncing // which has not begun
}

func newGroupSync() *groupSync { return &groupSync{turn: make(chan struct{}, 1)} }

// A syncing is one sync of a file that several writers wait for.
type syncing struct {
	done chan struct{}
	err  error
}

// do returns after a sync that began after the call.
func (g *groupSync) do(sync func() error) error {
	g.mu.Lock()
	s := g.next
	first := s == nil
	if first {
		s = &syncing{done: make(chan struct{})}
		g.next = s
	}
	g.mu.Unlock()
	if first {
		g.runSync(s, sync)
	}
	<-s.done
	return s.err
}

// runSync runs the sync for all callers that joined before it begins. Later callers need the next sync, since this one
// may not include their bytes.
func (g *groupSync) runSync(s *syncing, sync func() error) {
	g.turn <- struct{}{}
	defer func() { <-g.turn }()
	g.mu.Lock()
	g.next = nil
	g.mu.Unlock()
	s.err = sync()
	close(s.done)
}
