package store

import (
	"sync"
	"time"
)

// A shower writes a league's files for people in the background, one at a time. It writes for at most a fifth of
// the time, to leave the machine to the matches in play. It has a goroutine only while matches are queued.
type shower struct {
	write func(match string) error

	mu      sync.Mutex
	waiting []string
	known   map[string]bool // the matches in waiting
	busy    bool
	hurry   chan struct{} // closed: a caller waits for all of them
	idle    chan struct{} // closed when no match is waiting
}

// restPerWrite is the ratio of a shower's pauses to its writes.
const restPerWrite = 4

// add schedules the file of a match.
func (s *shower) add(match string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known[match] {
		return
	}
	if s.known == nil {
		s.known = map[string]bool{}
	}
	s.waiting, s.known[match] = append(s.waiting, match), true
	if !s.busy {
		s.busy, s.hurry, s.idle = true, make(chan struct{}), make(chan struct{})
		go s.work() // it ends when no match is waiting; flush waits for that
	}
}

// work writes files until no match is queued. A failed write is retried when the record of the match is next
// requested.
func (s *shower) work() {
	for {
		match, hurry, ok := s.next()
		if !ok {
			return
		}
		begin := time.Now()
		_ = s.write(match)
		rest := time.NewTimer(restPerWrite * time.Since(begin))
		select {
		case <-rest.C:
		case <-hurry:
			rest.Stop()
		}
	}
}

// next removes the oldest match from the queue; ok is false if the queue is empty.
func (s *shower) next() (match string, hurry chan struct{}, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.waiting) == 0 {
		s.waiting, s.busy = nil, false
		close(s.idle)
		return "", nil, false
	}
	match = s.waiting[0]
	s.waiting = s.waiting[1:]
	delete(s.known, match)
	return match, s.hurry, true
}

// flush returns when no match is waiting.
func (s *shower) flush() {
	s.mu.Lock()
	if !s.busy {
		s.mu.Unlock()
		return
	}
	select {
	case <-s.hurry:
	default:
		close(s.hurry)
	}
	idle := s.idle
	s.mu.Unlock()
	<-idle
}
