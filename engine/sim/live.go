package sim

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"agentleague/engine"
)

// backlog is how many messages wait for a subscriber; more are lost.
const backlog = 64

// subscription is one open channel.
type subscription struct {
	owner   *Engine
	subject string
	out     chan []byte
}

// Publish offers b to every subscriber of every process.
func (e *Engine) Publish(subject string, b []byte) error {
	if err := engine.CheckName(subject); err != nil {
		return fmt.Errorf("publish: %w", err)
	}
	err := e.locked(func() error {
		for _, s := range e.store.subs {
			if s.subject == subject {
				s.offer(bytes.Clone(b))
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("publish %s: %w", subject, err)
	}
	return nil
}

// Subscribe returns the messages published to subject from now on.
func (e *Engine) Subscribe(ctx context.Context, subject string) (<-chan []byte, error) {
	if err := engine.CheckName(subject); err != nil {
		return nil, fmt.Errorf("subscribe: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("subscribe %s: %w", subject, err)
	}
	s := &subscription{owner: e, subject: subject, out: make(chan []byte, backlog)}
	err := e.locked(func() error {
		e.store.subs = append(e.store.subs, s)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("subscribe %s: %w", subject, err)
	}
	context.AfterFunc(ctx, s.end)
	return s.out, nil
}

// offer hands b over or loses it.
func (s *subscription) offer(b []byte) {
	select {
	case s.out <- b:
	default:
	}
}

// end closes the channel, once.
func (s *subscription) end() {
	s.owner.store.mu.Lock()
	defer s.owner.store.mu.Unlock()
	s.owner.store.unsubscribe(func(other *subscription) bool { return other == s })
}

// unsubscribe closes and forgets every subscription that is gone. The caller holds the lock.
func (s *Store) unsubscribe(gone func(*subscription) bool) {
	s.subs = slices.DeleteFunc(s.subs, func(sub *subscription) bool {
		if !gone(sub) {
			return false
		}
		close(sub.out)
		return true
	})
}
