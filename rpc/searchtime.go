package rpc

import (
	"context"
	"sync/atomic"
	"time"
)

// A SearchTime is how long calls took to find out how to speak to a peer: forms that it refused, and the handshake with
// an MCP server. It is not the peer's time to answer.
type SearchTime struct{ ns atomic.Int64 }

// Duration is the time so far; of nil, none.
func (s *SearchTime) Duration() time.Duration {
	if s == nil {
		return 0
	}
	return time.Duration(s.ns.Load())
}

// searchKey is the key under which a context holds how long a search for a dialect may take.
type searchKey struct{}

// A searching is a context whose calls add their search to a time.
type searching struct {
	context.Context
	time *SearchTime
}

// WithSearchTime returns a context in which calls add their search to s.
func WithSearchTime(ctx context.Context, s *SearchTime) context.Context { return &searching{ctx, s} }

// Below is the context that this one ends with.
func (s *searching) Below() context.Context { return s.Context }

// AfterFunc is for contexts below this one: they need no goroutine that waits.
func (s *searching) AfterFunc(f func()) (stop func() bool) { return context.AfterFunc(s.Context, f) }

// Value is the time, or a value of the context below.
func (s *searching) Value(key any) any {
	if key == (searchKey{}) {
		return s.time
	}
	return s.Context.Value(key)
}

// searchedSince adds the time since a moment to the search of a call, if anybody wants to know.
func searchedSince(ctx context.Context, began time.Time) {
	if s, ok := ctx.Value(searchKey{}).(*SearchTime); ok {
		s.ns.Add(int64(time.Since(began)))
	}
}
