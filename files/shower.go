package files

import (
	"sync"
	"time"
)

// A shower writes the files for people of a league one after the other, in the background and for a fifth of the time at
// most, so that the matches in play have the machine. While nothing waits it has no goroutine.
type shower struct {
	write func(match string) error

	mu      sync.Mutex
	waiting []string
	known   map[string]bool // those that wait
	busy    bool
	hurry   chan struct{} // closed: a caller waits for all of them
	idle    chan struct{} // closed when nothing waits
}

// restPerWrite is how many times as long as it wrote a shower rests.
const restPerWrite = 4

// add has the file of a match written.
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
		go s.work() // it ends when nothing waits; flush waits for that
	}
}

// work writes files until none waits. A file that cannot be written is written when its record is looked for again.
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

// next takes the match that has waited longest.
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

// flush returns once nothing waits.
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
