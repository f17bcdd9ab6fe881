package rpc

import (
	"context"
	"sync/atomic"
	"time"
)

// A SearchTime is the time that calls spent on detecting a peer's dialect: encodings that the peer refused, and the MCP
// handshake. It does not count as the peer's time for the answer.
type SearchTime struct {
	context.Context // in which calls add to it; nil before WithSearchTime
	ns              atomic.Int64
}

// Duration returns the time so far; 0 if s is nil.
func (s *SearchTime) Duration() time.Duration {
	if s == nil {
		return 0
	}
	return time.Duration(s.ns.Load())
}

// searchKey is the context key for the SearchTime of a call.
type searchKey struct{}

// WithSearchTime returns a context whose calls add their search time to s. s must be used for one context only.
func WithSearchTime(ctx context.Context, s *SearchTime) context.Context {
	s.Context = ctx
	return s
}

// Below returns the underlying context, with which this one ends.
func (s *SearchTime) Below() context.Context { return s.Context }

// AfterFunc lets package context derive contexts from s without a goroutine that waits for Done.
func (s *SearchTime) AfterFunc(f func()) (stop func() bool) { return context.AfterFunc(s.Context, f) }

// Value returns s for searchKey, and otherwise the value of the underlying context.
func (s *SearchTime) Value(key any) any {
	if key == (searchKey{}) {
		return s
	}
	return s.Context.Value(key)
}

// searchedSince adds the time since began to the SearchTime of a call, if it has one.
func searchedSince(ctx context.Context, began time.Time) {
	if s, ok := ctx.Value(searchKey{}).(*SearchTime); ok {
		s.ns.Add(int64(time.Since(began)))
	}
}
