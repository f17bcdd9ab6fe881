package referee

import (
	"context"
	"iter"
	"slices"
	"sync"

	"agentleague/protocol"
)

// A Shelf stores matches of a guest referee whose moves are complete and that wait for the manager's draw. The matches
// survive a restart of the referee, since moves that were revealed are final. The records have no result yet.
type Shelf interface {
	// Put stores f and returns once f is durable. It must not keep a reference to f.
	Put(ctx context.Context, f *Finished) error
	// All yields the stored matches.
	All(ctx context.Context) iter.Seq2[Finished, error]
	// Remove deletes a match. It is idempotent.
	Remove(ctx context.Context, ref protocol.RecordRef) error
}

// MemoryShelf is a Shelf in memory: its matches are lost when the process ends.
type MemoryShelf struct {
	mu   sync.Mutex
	list []Finished
}

// Put keeps f.
func (s *MemoryShelf) Put(_ context.Context, f *Finished) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = append(s.list, *f)
	return nil
}

// All yields the stored matches, oldest first.
func (s *MemoryShelf) All(context.Context) iter.Seq2[Finished, error] {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := slices.Clone(s.list)
	return func(yield func(Finished, error) bool) {
		for _, f := range list {
			if !yield(f, nil) {
				return
			}
		}
	}
}

// Remove forgets a match.
func (s *MemoryShelf) Remove(_ context.Context, ref protocol.RecordRef) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = slices.DeleteFunc(s.list, func(f Finished) bool { return f.Record.Ref() == ref })
	return nil
}
