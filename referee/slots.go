package referee

import (
	"context"
	"slices"
	"sync"
)

// Slots limits the number of concurrent matches of all referees in a process, over all leagues. A match without a
// free slot waits:
//
//	league a ─ queue ┐
//	league b ─ queue ┼─▶ in turn ─▶ slots
//	league c ─ queue ┘
//
// A free slot goes to the league that holds the fewest; on a tie, to the league whose last grant is oldest.
// While other leagues wait or play, a league gets no slot beyond its share. With two or more slots, no league ever
// holds all of them: a league whose players do not answer blocks only part of the slots. It is safe for concurrent
// use.
type Slots struct {
	size int

	mu      sync.Mutex
	held    map[string]int    // slots by league; none that has none
	waiting []*wish           // in order of arrival
	turn    uint64            // counts the slots that were given
	last    map[string]uint64 // the turn in which a league got one, of those that wait or play
}

// A wish is the request of a match for a slot.
type wish struct {
	league string
	begin  chan struct{} // closed when it has one
}

// NewSlots returns n slots, at least one.
func NewSlots(n int) *Slots {
	return &Slots{size: max(n, 1), held: map[string]int{}, last: map[string]uint64{}}
}

// Take waits for a slot for a match of a league, or returns the cause when ctx ends. The caller must call give exactly
// once to release the slot.
func (s *Slots) Take(ctx context.Context, league string) (give func(), err error) {
	w := &wish{league: league, begin: make(chan struct{})}
	s.mu.Lock()
	s.waiting = append(s.waiting, w)
	s.grant()
	s.mu.Unlock()
	select {
	case <-w.begin:
		return func() { s.give(league) }, nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(s.waiting, w); i >= 0 {
		s.waiting = slices.Delete(s.waiting, i, i+1)
		s.grant() // its league counts for one less
	} else { // it was given one at that moment
		s.giveLocked(league)
	}
	return nil, context.Cause(ctx)
}

// give returns a league's slot to the pool.
func (s *Slots) give(league string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.giveLocked(league)
}

// giveLocked releases a slot of a league. The caller holds the lock.
func (s *Slots) giveLocked(league string) {
	if s.held[league]--; s.held[league] == 0 {
		delete(s.held, league)
	}
	s.grant()
	waits := slices.ContainsFunc(s.waiting, func(w *wish) bool { return w.league == league })
	if s.held[league] == 0 && !waits {
		delete(s.last, league) // there may be thousands in time
	}
}

// grant assigns free slots to waiting matches. The caller holds the lock.
func (s *Slots) grant() {
	for i := s.next(); i >= 0; i = s.next() {
		w := s.waiting[i]
		s.waiting = slices.Delete(s.waiting, i, i+1)
		s.turn++
		s.held[w.league]++
		s.last[w.league] = s.turn
		close(w.begin)
	}
}

// next returns the index of the waiting match that gets the next slot, or -1. The caller holds the lock.
func (s *Slots) next() int {
	used := 0
	for _, n := range s.held {
		used += n
	}
	best, share := -1, s.share()
	if used >= s.size {
		return best
	}
	for i, w := range s.waiting {
		if s.held[w.league] < share && (best < 0 || s.before(w.league, s.waiting[best].league)) {
			best = i
		}
	}
	return best
}

// before reports whether league a has priority over league b. The caller holds the lock.
func (s *Slots) before(a, b string) bool {
	if s.held[a] != s.held[b] {
		return s.held[a] < s.held[b]
	}
	return s.last[a] < s.last[b]
}

// share returns the maximum number of slots of one league: an equal part for each league that waits or plays, rounded
// up, but less than all slots. The caller holds the lock.
func (s *Slots) share() int {
	leagues := len(s.held)
	seen := map[string]bool{}
	for _, w := range s.waiting {
		if s.held[w.league] == 0 && !seen[w.league] {
			seen[w.league] = true
			leagues++
		}
	}
	return max(1, min(s.size-1, (s.size+leagues-1)/max(leagues, 1)))
}
