package cli

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"agentleague/files"
	"agentleague/player"
	"agentleague/protocol"
)

// A scribe rests so many times as long as it wrote, within these bounds. In a crowd each rests longer, so that all of a
// process together write no more often than one of them every scribeTurn.
const (
	scribeShare   = 50
	scribeRest    = time.Second
	scribeMaxRest = 5 * time.Second
	scribeTurn    = 50 * time.Millisecond
)

// scribes is how many are at work in this process.
var scribes atomic.Int64

// restAfter is how long a scribe rests that wrote for so long and has so many colleagues.
func restAfter(wrote time.Duration, scribes int64) time.Duration {
	return max(min(max(scribeShare*wrote, scribeRest), scribeMaxRest), time.Duration(scribes)*scribeTurn)
}

// A scribe keeps a player's history on disk, and what it has heard of its league's log: at once where there is little to
// do, and at most a rest behind: 5 s, or in a crowd 50 ms for each of its players. Nobody waits for it: a history is rewritten
// whole, and a crowd that plays hundreds of matches a second would do nothing
// else. What a full disk does not take is written when there is room.
type scribe struct {
	save func(id string, past []protocol.PlayerMatch) error
	bear func(player.Witness) error
	log  *slog.Logger
	wake chan struct{}

	mu   sync.Mutex
	id   string
	past []protocol.PlayerMatch // nil: it is on disk
	seen *player.Witness        // nil: it is on disk
}

func newScribe(log *slog.Logger, save func(id string, past []protocol.PlayerMatch) error, bear func(player.Witness) error) *scribe {
	return &scribe{save: save, bear: bear, log: log, wake: make(chan struct{}, 1)}
}

// witness has what was heard written soon.
func (s *scribe) witness(w player.Witness) error {
	s.mu.Lock()
	s.seen = &w
	s.mu.Unlock()
	s.nudge()
	return nil
}

// remember has a history written soon.
func (s *scribe) remember(id string, past []protocol.PlayerMatch) error {
	s.mu.Lock()
	s.id, s.past = id, past
	s.mu.Unlock()
	s.nudge()
	return nil
}

// run writes until ctx ends, and what is left then.
func (s *scribe) run(ctx context.Context) {
	scribes.Add(1)
	defer scribes.Add(-1)
	defer s.write()
	rest := time.NewTimer(0)
	defer rest.Stop()
	for {
		select {
		case <-s.wake:
		case <-ctx.Done():
			return
		}
		start := time.Now()
		s.write()
		rest.Reset(restAfter(time.Since(start), scribes.Load()))
		select {
		case <-rest.C:
		case <-ctx.Done():
			return
		}
	}
}

func (s *scribe) write() {
	s.mu.Lock()
	id, past, seen := s.id, s.past, s.seen
	s.past, s.seen = nil, nil
	s.mu.Unlock()
	s.writeWitness(seen)
	if past == nil {
		return
	}
	err := s.save(id, past)
	switch {
	case errors.As(err, new(*files.FullError)): // others say so, and it passes
		s.putBack(past)
	case err != nil:
		s.log.Error("the history could not be kept", slog.String("player_id", id), slog.Any("error", err))
	}
}

func (s *scribe) writeWitness(seen *player.Witness) {
	if seen == nil {
		return
	}
	err := s.bear(*seen)
	switch {
	case errors.As(err, new(*files.FullError)):
		s.mu.Lock()
		s.seen = cmp.Or(s.seen, seen)
		s.mu.Unlock()
		time.AfterFunc(time.Second, s.nudge)
	case err != nil:
		s.log.Error("what was heard of the league's log could not be kept", slog.String("player_id", seen.PlayerID), slog.Any("error", err))
	}
}

// putBack has a history written later, unless a newer one waits.
func (s *scribe) putBack(past []protocol.PlayerMatch) {
	s.mu.Lock()
	if s.past == nil {
		s.past = past
	}
	s.mu.Unlock()
	time.AfterFunc(time.Second, s.nudge)
}

func (s *scribe) nudge() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}
