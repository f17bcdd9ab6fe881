package referee

import (
	"context"
	"iter"
	"slices"
	"sync"

	"agentleague/protocol"
)

// A Shelf keeps matches that were played to their last move and wait for the
// manager's draw, where they survive the referee: moves that were shown are
// final. Their records have no result yet.
type Shelf interface {
	// Put returns once f is durable. It keeps a copy if it keeps any.
	Put(ctx context.Context, f *Finished) error
	// All yields the stored matches.
	All(ctx context.Context) iter.Seq2[Finished, error]
	// Remove deletes a match. It is idempotent.
	Remove(ctx context.Context, ref protocol.RecordRef) error
}

// MemoryShelf is a Shelf that lasts as long as the program.
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
