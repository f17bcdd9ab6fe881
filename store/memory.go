package store

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

// A memory rests so many times as long as it wrote, within these bounds. In a crowd each rests longer, so that all of a
// process together write no more often than one of them every turn.
const (
	share   = 50
	rest    = time.Second
	maxRest = 5 * time.Second
	turn    = 50 * time.Millisecond
)

// writing is how many memories are at work in this process.
var writing atomic.Int64

// restAfter is how long a memory rests that wrote for so long, beside so many others.
func restAfter(wrote time.Duration, writing int64) time.Duration {
	return max(min(max(share*wrote, rest), maxRest), time.Duration(writing)*turn)
}

// A Memory keeps a player's history on disk, and what it has heard of its league's log: at once where there is little to
// do, and at most a rest behind: 5 s, or in a crowd 50 ms for each of its players. Nobody waits for it: a history is rewritten
// whole, and a crowd that plays hundreds of matches a second would do nothing
// else. What a full disk does not take is written when there is room.
type Memory struct {
	root   *files.Root
	league string
	name   string // of the player
	log    *slog.Logger
	wake   chan struct{}

	mu   sync.Mutex
	id   string
	past []protocol.PlayerMatch // nil: it is on disk
	seen *player.Witness        // nil: it is on disk
}

// NewMemory keeps the memory of a player of a league. It writes while [Memory.Run] does.
func NewMemory(root *files.Root, league, name string, log *slog.Logger) *Memory {
	return &Memory{root: root, league: league, name: name, log: log, wake: make(chan struct{}, 1)}
}

// Recall returns what a player remembers from before.
func (s *Memory) Recall(id string) ([]protocol.PlayerMatch, error) {
	past, err := s.root.History(s.league, id).Load()
	return past.Matches, err
}

// Heard returns what a player had heard of its league's log.
func (s *Memory) Heard(id string) (w player.Witness, err error) {
	err = s.root.Witness(s.league, id).Load(&w)
	return w, err
}

// Witness has what was heard written soon.
func (s *Memory) Witness(w player.Witness) error {
	s.mu.Lock()
	s.seen = &w
	s.mu.Unlock()
	s.nudge()
	return nil
}

// Remember has a history written soon.
func (s *Memory) Remember(id string, past []protocol.PlayerMatch) error {
	s.mu.Lock()
	s.id, s.past = id, past
	s.mu.Unlock()
	s.nudge()
	return nil
}

// Run writes until ctx ends, and what is left then.
func (s *Memory) Run(ctx context.Context) {
	writing.Add(1)
	defer writing.Add(-1)
	defer s.write()
	pause := time.NewTimer(0)
	defer pause.Stop()
	for {
		select {
		case <-s.wake:
		case <-ctx.Done():
			return
		}
		start := time.Now()
		s.write()
		pause.Reset(restAfter(time.Since(start), writing.Load()))
		select {
		case <-pause.C:
		case <-ctx.Done():
			return
		}
	}
}

func (s *Memory) write() {
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

// save keeps a history. A player without an id plays outside of a league, and
// has no place for it.
func (s *Memory) save(id string, past []protocol.PlayerMatch) error {
	if id == "" {
		return nil
	}
	return s.root.History(s.league, id).Save(files.History{DisplayName: s.name, Stats: protocol.StatsOf(past), Matches: past})
}

func (s *Memory) writeWitness(seen *player.Witness) {
	if seen == nil {
		return
	}
	err := s.root.Witness(s.league, seen.PlayerID).Save(seen.Seal, *seen)
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
func (s *Memory) putBack(past []protocol.PlayerMatch) {
	s.mu.Lock()
	if s.past == nil {
		s.past = past
	}
	s.mu.Unlock()
	time.AfterFunc(time.Second, s.nudge)
}

func (s *Memory) nudge() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}
