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

// A Memory keeps a player's history on disk, and what it has heard of its league's log: at once where there is little
// to do, and at most a rest behind: 5 s, or in a crowd 50 ms for each of its players. Nobody waits for it: a history is
// rewritten whole, and a crowd that plays hundreds of matches a second would do nothing else. What a full disk does not
// take is written when there is room.
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
func (m *Memory) Recall(id string) ([]protocol.PlayerMatch, error) {
	past, err := m.root.History(m.league, id).Load()
	return past.Matches, err
}

// Heard returns what a player had heard of its league's log.
func (m *Memory) Heard(id string) (w player.Witness, err error) {
	err = m.root.Witness(m.league, id).Load(&w)
	return w, err
}

// Witness has what was heard written soon.
func (m *Memory) Witness(w player.Witness) error {
	m.mu.Lock()
	m.seen = &w
	m.mu.Unlock()
	m.nudge()
	return nil
}

// Remember has a history written soon.
func (m *Memory) Remember(id string, past []protocol.PlayerMatch) error {
	m.mu.Lock()
	m.id, m.past = id, past
	m.mu.Unlock()
	m.nudge()
	return nil
}

// Run writes until ctx ends, and what is left then.
func (m *Memory) Run(ctx context.Context) {
	writing.Add(1)
	defer writing.Add(-1)
	defer m.write()
	pause := time.NewTimer(0)
	defer pause.Stop()
	for {
		select {
		case <-m.wake:
		case <-ctx.Done():
			return
		}
		start := time.Now()
		m.write()
		pause.Reset(restAfter(time.Since(start), writing.Load()))
		select {
		case <-pause.C:
		case <-ctx.Done():
			return
		}
	}
}

func (m *Memory) write() {
	m.mu.Lock()
	id, past, seen := m.id, m.past, m.seen
	m.past, m.seen = nil, nil
	m.mu.Unlock()
	m.writeWitness(seen)
	if past == nil {
		return
	}
	err := m.save(id, past)
	switch {
	case errors.As(err, new(*files.FullError)): // others say so, and it passes
		m.putBack(past)
	case err != nil:
		m.log.Error("the history could not be saved", slog.String("player_id", id), slog.Any("error", err))
	}
}

// save keeps a history. A player without an id plays outside of a league, and
// has no place for it.
func (m *Memory) save(id string, past []protocol.PlayerMatch) error {
	if id == "" {
		return nil
	}
	return m.root.History(m.league, id).Save(files.History{
		DisplayName: m.name, Stats: protocol.StatsOf(past), Matches: past,
	})
}

func (m *Memory) writeWitness(seen *player.Witness) {
	if seen == nil {
		return
	}
	err := m.root.Witness(m.league, seen.PlayerID).Save(seen.Seal, *seen)
	switch {
	case errors.As(err, new(*files.FullError)):
		m.mu.Lock()
		m.seen = cmp.Or(m.seen, seen)
		m.mu.Unlock()
		time.AfterFunc(time.Second, m.nudge)
	case err != nil:
		m.log.Error("what the manager sent about its log could not be saved", slog.String("player_id", seen.PlayerID), slog.Any("error", err))
	}
}

// putBack has a history written later, unless a newer one waits.
func (m *Memory) putBack(past []protocol.PlayerMatch) {
	m.mu.Lock()
	if m.past == nil {
		m.past = past
	}
	m.mu.Unlock()
	time.AfterFunc(time.Second, m.nudge)
}

// nudge wakes the writer without waiting: if it is awake already, what is new is written in the same turn.
func (m *Memory) nudge() {
	select {
	case m.wake <- struct{}{}:
	default:
	}
}
