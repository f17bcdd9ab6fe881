package rpc

import (
	"context"
	"sync/atomic"
	"time"
)

// A SearchTime is how long calls took to find out how to speak to a peer: forms that it refused, and the handshake with
// an MCP server. It is not the peer's time to answer.
type SearchTime struct {
	context.Context // in which calls add to it; nil before WithSearchTime
	ns              atomic.Int64
}

// Duration is the time so far; of nil, none.
func (s *SearchTime) Duration() time.Duration {
	if s == nil {
		return 0
	}
	return time.Duration(s.ns.Load())
}

// searchKey is the key under which a context holds how long a search for a dialect may take.
type searchKey struct{}

// WithSearchTime returns a context in which calls add their search to s, which is for one such context.
func WithSearchTime(ctx context.Context, s *SearchTime) context.Context {
	s.Context = ctx
	return s
}

// Below is the context that this one ends with.
func (s *SearchTime) Below() context.Context { return s.Context }

// AfterFunc is for contexts below this one: they need no goroutine that waits.
func (s *SearchTime) AfterFunc(f func()) (stop func() bool) { return context.AfterFunc(s.Context, f) }

// Value is the time, or a value of the context below.
func (s *SearchTime) Value(key any) any {
	if key == (searchKey{}) {
		return s
	}
	return s.Context.Value(key)
}

// searchedSince adds the time since a moment to the search time of a call, if it is measured.
func searchedSince(ctx context.Context, began time.Time) {
	if s, ok := ctx.Value(searchKey{}).(*SearchTime); ok {
		s.ns.Add(int64(time.Since(began)))
	}
}
