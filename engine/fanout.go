package engine

import (
	"bytes"
	"context"
	"fmt"
	"sync"
)

// backlog is how many messages wait for a subscriber; more are lost.
const backlog = 64

// Fanout distributes live messages inside one process, by the contract of [Engine.Publish] and Subscribe. Its zero
// value is ready; it must not be copied.
type Fanout struct {
	mu     sync.Mutex
	subs   map[*subscriber]struct{}
	closed bool
}

// subscriber is one open channel.
type subscriber struct {
	subject string
	out     chan []byte
	forget  func() bool // stops waiting for the end of the subscriber's context
}

// Publish sends a copy of b to all current subscribers of subject.
func (f *Fanout) Publish(subject string, b []byte) error {
	if err := CheckName(subject); err != nil {
		return fmt.Errorf("publish: %w", err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return fmt.Errorf("publish %s: %w", subject, ErrClosed)
	}
	for s := range f.subs {
		if s.subject == subject {
			s.offer(bytes.Clone(b))
		}
	}
	return nil
}

// Subscribe returns the messages published to subject until ctx ends or the fanout closes.
func (f *Fanout) Subscribe(ctx context.Context, subject string) (<-chan []byte, error) {
	if err := CheckName(subject); err != nil {
		return nil, fmt.Errorf("subscribe: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("subscribe %s: %w", subject, err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil, fmt.Errorf("subscribe %s: %w", subject, ErrClosed)
	}
	s := &subscriber{subject: subject, out: make(chan []byte, backlog)}
	s.forget = context.AfterFunc(ctx, func() { f.end(s) })
	if f.subs == nil {
		f.subs = map[*subscriber]struct{}{}
	}
	f.subs[s] = struct{}{}
	return s.out, nil
}

// Close ends every subscription. Closing again does nothing.
func (f *Fanout) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	for s := range f.subs {
		s.forget()
		close(s.out)
	}
	clear(f.subs)
}

// end closes the channel of one subscriber, unless Close was first.
func (f *Fanout) end(s *subscriber) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, open := f.subs[s]; open {
		delete(f.subs, s)
		close(s.out)
	}
}

// offer hands b over or loses it.
func (s *subscriber) offer(b []byte) {
	select {
	case s.out <- b:
	default:
	}
}
