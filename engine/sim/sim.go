// Package sim is an engine for tests: a disk in memory, processes that crash, and answers that get lost.
//
//	Store ◀── Engine ── Await "append league_x 7 before"   the test decides when, or that it never happens
//	  ▲         │       effect on the Store
//	  │         └────── Await "append league_x 7 after"    a crash here: written but not acknowledged
//	  └────── Engine    another process on the same disk
//
// No lock is held and every operation is atomic while it waits, so Await may end the goroutine with
// [runtime.Goexit], as a crash does. Time is that of the time package, virtual in a synctest bubble.
package sim

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"sync"

	"agentleague/engine"
)

// Store is the disk and the network that outlive every process.
type Store struct {
	seed uint64

	mu      sync.Mutex
	logs    map[string]*log
	secrets map[string][]byte // those that were asked for or put
	leases  map[string]lease
	claims  uint64    // claims granted so far; numbers the next
	open    []*Engine // the subscribers
}

// log is the content of the disk, and the number of entries ever written: a log that ends before that is damaged.
type log struct {
	entries []engine.Entry
	head    uint64
}

// New returns an empty store. Its secrets come from seed, so that a run can be repeated.
func New(seed uint64) *Store {
	return &Store{seed: seed, logs: map[string]*log{}, secrets: map[string][]byte{}, leases: map[string]lease{}}
}

// Open returns one process's handle on the store.
func (s *Store) Open(o Options) *Engine {
	e := &Engine{store: s, opts: o}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open = append(s.open, e)
	return e
}

// Entries returns a copy of the log's content without waiting.
func (s *Store) Entries(log string) []engine.Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := slices.Clone(s.log(log).entries)
	for i := range out {
		out[i] = clone(out[i])
	}
	return out
}

// Len returns the number of entries of a log.
func (s *Store) Len(log string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.log(log).entries)
}

// Drop loses one entry as a bad disk does: from then on the log is damaged.
func (s *Store) Drop(log string, seq uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.log(log)
	l.entries = slices.DeleteFunc(slices.Clone(l.entries), func(e engine.Entry) bool { return e.Seq == seq })
}

// log returns the log of that name. The caller holds the lock.
func (s *Store) log(name string) *log {
	if s.logs[name] == nil {
		s.logs[name] = &log{}
	}
	return s.logs[name]
}

// secret returns a copy of the secret of that name. The caller holds the lock.
func (s *Store) secret(name string) []byte {
	if s.secrets[name] == nil {
		s.secrets[name] = s.derived(name)
	}
	return bytes.Clone(s.secrets[name])
}

// derived is a secret that follows from the seed: the same run has the same secrets.
func (s *Store) derived(name string) []byte {
	h := sha256.New()
	h.Write(binary.BigEndian.AppendUint64([]byte("sim secret "), s.seed))
	h.Write([]byte(name))
	return h.Sum(nil)
}

func clone(e engine.Entry) engine.Entry {
	return engine.Entry{Mark: e.Mark, Data: bytes.Clone(e.Data)}.WithText(e.Text)
}
