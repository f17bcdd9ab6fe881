package store

import (
	"cmp"
	"errors"
	"log/slog"
	"sync"
	"time"

	"agentleague/player"
)

// A Memory writes a player's history and witness in the background. The witness is what the player received about
// its league's log. Callers do not wait for the disk, since the whole history is rewritten each time, and many
// players that finish hundreds of matches a second would do nothing else: see [background]. After a write failed on a
// full disk it is retried. A Memory with nothing to write has no goroutine and no timer. It is safe for concurrent use.
type Memory struct {
	root   *Root
	league string
	name   string // of the player
	log    *slog.Logger

	writing sync.Mutex // held while it is written; before mu

	mu     sync.Mutex
	id     string
	past   *player.Past    // nil: it is on disk
	seen   *player.Witness // nil: it is on disk
	queued bool            // it will be written

	noted sealed // the witness on disk, since this memory wrote it. Guarded by writing
}

// A sealed identifies a witness file: the seal of its league and the player.
type sealed struct{ seal, player string }

// NewMemory returns the memory of a player in a league. The caller must close it.
func NewMemory(root *Root, league, name string, log *slog.Logger) *Memory {
	return &Memory{root: root, league: league, name: name, log: log}
}

// Recall returns the stored history of a player.
func (m *Memory) Recall(id string) (player.Past, error) {
	past, err := m.root.History(m.league, id).Load()
	return player.Past{Matches: past.Matches, Dropped: past.Dropped()}, err
}

// Heard returns the stored witness of a player.
func (m *Memory) Heard(id string) (w player.Witness, err error) {
	err = m.root.Witness(m.league, id).Load(&w)
	return w, err
}

// Witness schedules a write of the witness. It always returns nil.
func (m *Memory) Witness(w player.Witness) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.seen = &w
	m.scheduleWrite()
	return nil
}

// Remember schedules a write of the history. It always returns nil.
func (m *Memory) Remember(id string, past player.Past) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.id, m.past = id, &past
	m.scheduleWrite()
	return nil
}

// closing limits how many memories of this process write at once because they are closed.
var closing = make(chan struct{}, 16)

// Close writes what is pending and returns. The Memory can still be used.
func (m *Memory) Close() {
	closing <- struct{}{}
	defer func() { <-closing }()
	m.write()
}

// scheduleWrite schedules a write. The caller holds the lock.
func (m *Memory) scheduleWrite() {
	if !m.queued {
		m.queued = true
		derived.add(m)
	}
}

// writeNext implements [pending].
func (m *Memory) writeNext() (more bool) {
	m.mu.Lock()
	m.queued = false
	m.mu.Unlock()
	m.write()
	return false
}

// write writes the pending history and witness.
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
	case errors.As(err, new(*FullError)): // reported elsewhere, and temporary
		m.putBack(past, nil)
	case err != nil:
		m.log.Error("the history could not be saved", slog.String("player_id", id), slog.Any("error", err))
	}
}

// save writes a history. It does nothing for a player without an id, which plays outside of a league.
func (m *Memory) save(id string, past *player.Past) error {
	if id == "" {
		return nil
	}
	return m.root.History(m.league, id).Save(History{
		DisplayName: m.name, Stats: past.Stats(), Matches: past.Matches,
	})
}

// writeWitness saves a witness. After a failure because of a full disk it retries later. Only the first write
// checks for the witness of another league, since the player's lock prevents other processes from writing one. The
// caller holds m.writing.
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

// retryAfter is the pause after a write to a full disk.
const retryAfter = time.Second

// putBack schedules another write of what could not be written to a full disk, unless newer data is pending.
func (m *Memory) putBack(past *player.Past, seen *player.Witness) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.past == nil {
		m.past = past
	}
	m.seen = cmp.Or(m.seen, seen)
	if !m.queued {
		m.queued = true
		time.AfterFunc(retryAfter, func() { derived.add(m) })
	}
}
