package main

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"agentleague/protocol"
)

// scribeRest is how long a scribe rests after it has written.
const scribeRest = 5 * time.Second

// A scribe keeps a player's history on disk, at most so long behind. Nobody
// waits for it: a history is rewritten whole, and a player that plays hundreds
// of matches a second would do nothing else.
type scribe struct {
	save func(id string, past []protocol.PlayerMatch) error
	log  *slog.Logger
	wake chan struct{}

	mu   sync.Mutex
	id   string
	past []protocol.PlayerMatch // nil: it is on disk
}

func newScribe(log *slog.Logger, save func(id string, past []protocol.PlayerMatch) error) *scribe {
	return &scribe{save: save, log: log, wake: make(chan struct{}, 1)}
}

// remember has a history written soon.
func (s *scribe) remember(id string, past []protocol.PlayerMatch) error {
	s.mu.Lock()
	s.id, s.past = id, past
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
	return nil
}

// run writes until ctx ends, and what is left then.
func (s *scribe) run(ctx context.Context) {
	defer s.write()
	rest := time.NewTimer(0)
	defer rest.Stop()
	for {
		select {
		case <-s.wake:
		case <-ctx.Done():
			return
		}
		s.write()
		rest.Reset(scribeRest)
		select {
		case <-rest.C:
		case <-ctx.Done():
			return
		}
	}
}

func (s *scribe) write() {
	s.mu.Lock()
	id, past := s.id, s.past
	s.past = nil
	s.mu.Unlock()
	if past == nil {
		return
	}
	if err := s.save(id, past); err != nil {
		s.log.Error("the history could not be kept", slog.String("player_id", id), slog.Any("error", err))
	}
}
