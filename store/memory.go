package store

import (
	"cmp"
	"errors"
	"log/slog"
	"sync"
	"time"

	"agentleague/player"
	"agentleague/protocol"
)

// A Memory keeps a player's history on disk, and what it has heard of its league's log: at once where there is little
// to do, and at most 3.2 s behind, or in a crowd 50 ms for each of its players. Nobody waits for it: a history is
// rewritten whole, and a crowd that plays hundreds of matches a second would do nothing else. What a full disk does not
// take is written when there is room. A memory with nothing to write has no goroutine and no timer.
type Memory struct {
	root   *Root
	league string
	name   string // of the player
	log    *slog.Logger

	writing sync.Mutex // held while it is written; before mu

	mu     sync.Mutex
	id     string
	past   []protocol.PlayerMatch // nil: it is on disk
	seen   *player.Witness        // nil: it is on disk
	queued bool                   // it will be written
	rests  time.Time              // until then

	noted sealed // the witness on disk, since this memory wrote it. Guarded by writing
}

// A sealed says whose witness of which league a file is.
type sealed struct{ seal, player string }

// NewMemory keeps the memory of a player of a league, until it is closed.
func NewMemory(root *Root, league, name string, log *slog.Logger) *Memory {
	return &Memory{root: root, league: league, name: name, log: log}
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
	defer m.mu.Unlock()
	m.seen = &w
	m.soon()
	return nil
}

// Remember has a history written soon.
func (m *Memory) Remember(id string, past []protocol.PlayerMatch) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.id, m.past = id, past
	m.soon()
	return nil
}

// Close returns when what is left is written. What comes later is written too.
func (m *Memory) Close() { everybody.now(m.write) }

// soon has the memory written when it has rested. The caller holds the lock.
func (m *Memory) soon() {
	if !m.queued {
		m.queued = true
		everybody.in(time.Until(m.rests), m)
	}
}

// turn writes the memory, which then rests for as long as its desk says.
func (m *Memory) turn(d *desk) {
	m.mu.Lock()
	m.queued = false
	m.mu.Unlock()
	start := time.Now()
	m.write()
	end := time.Now()
	rests := end.Add(d.rest(end, end.Sub(start)))
	m.mu.Lock()
	defer m.mu.Unlock()
	m.rests = rests
}

// write writes what is not on disk.
func (m *Memory) write() {
	m.writing.Lock()
	defer m.writing.Unlock()
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
	case errors.As(err, new(*FullError)): // others say so, and it passes
		m.putBack(past, nil)
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
	return m.root.History(m.league, id).Save(History{
		DisplayName: m.name, Stats: protocol.StatsOf(past), Matches: past,
	})
}

// writeWitness saves what a player has seen of the log. Where the disk is full it is kept for the next try. Only its
// first write looks whether there is a witness of another league: the player's lock keeps others from writing one
// since. The caller holds writing.
func (m *Memory) writeWitness(seen *player.Witness) {
	if seen == nil {
		return
	}
	file, now := m.root.Witness(m.league, seen.PlayerID), sealed{seen.Seal, seen.PlayerID}
	save := file.Replace
	if m.noted != now {
		save = func(v any) error { return file.Save(seen.Seal, v) }
	}
	err := save(seen)
	switch {
	case err == nil:
		m.noted = now
	case errors.As(err, new(*FullError)):
		m.putBack(nil, seen)
	case err != nil:
		m.log.Error("what the manager sent about its log could not be saved", slog.String("player_id", seen.PlayerID), slog.Any("error", err))
	}
}

// putBack has written later what a full disk did not take, unless something newer waits.
func (m *Memory) putBack(past []protocol.PlayerMatch, seen *player.Witness) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.past == nil {
		m.past = past
	}
	m.seen, m.rests = cmp.Or(m.seen, seen), time.Now().Add(minRest)
	m.soon()
}
