package jetstream

import (
	"bytes"
	"context"
	"fmt"
	"sync"

	"github.com/nats-io/nats.go"

	"agentleague/engine"
)

// backlog is the number of messages buffered for a subscriber. Further messages are dropped.
const backlog = 64

// subscription is one open channel.
type subscription struct {
	source *nats.Subscription
	forget func() bool // stops waiting for the end of the subscriber's context

	mu     sync.Mutex
	out    chan []byte
	closed bool
}

// subscriptions holds the open subscriptions of an engine.
type subscriptions struct {
	mu     sync.Mutex
	open   map[*subscription]struct{}
	closed bool
}

// add registers s, which ends with ctx or with the engine. After close it returns false and ignores s.
func (a *subscriptions) add(ctx context.Context, s *subscription) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return false
	}
	s.forget = context.AfterFunc(ctx, func() { a.end(s) })
	a.open[s] = struct{}{}
	return true
}

// end ends a subscription whose context ended.
func (a *subscriptions) end(s *subscription) {
	a.mu.Lock()
	delete(a.open, s)
	a.mu.Unlock()
	s.end()
}

// close ends all subscriptions and refuses new ones.
func (a *subscriptions) close() {
	a.mu.Lock()
	a.closed = true
	open := a.open
	a.open = nil
	a.mu.Unlock()
	for s := range open {
		s.end()
	}
}

// Publish sends b to all subscribers of subject in the cluster.
func (e *Engine) Publish(subject string, b []byte) error {
	err := engine.CheckName(subject)
	if err == nil {
		err = e.conn.enter(context.Background())
	}
	if err == nil {
		err = e.conn.nats.Publish(e.conn.subject("live", subject), b)
	}
	if err != nil {
		return fmt.Errorf("publish %s: %w", subject, e.conn.translate(err))
	}
	return nil
}

// Subscribe returns the messages published to subject anywhere in the cluster. The subscription is established when
// Subscribe returns.
func (e *Engine) Subscribe(ctx context.Context, subject string) (<-chan []byte, error) {
	err := engine.CheckName(subject)
	var s *subscription
	if err == nil {
		s, err = e.subscribe(ctx, subject)
	}
	if err != nil {
		return nil, fmt.Errorf("subscribe %s: %w", subject, e.conn.translate(err))
	}
	return s.out, nil
}

// subscribe returns after the server has confirmed the subscription.
func (e *Engine) subscribe(ctx context.Context, subject string) (_ *subscription, err error) {
	if err := e.conn.enter(ctx); err != nil {
		return nil, err
	}
	s := &subscription{out: make(chan []byte, backlog)}
	s.source, err = e.conn.nats.Subscribe(e.conn.subject("live", subject), func(m *nats.Msg) { s.offer(bytes.Clone(m.Data)) })
	if err != nil {
		return nil, err
	}
	within, cancel := context.WithTimeout(ctx, e.conn.o.Patience)
	defer cancel()
	if err := e.conn.nats.FlushWithContext(within); err != nil {
		_ = s.source.Unsubscribe()
		return nil, err
	}
	if !e.subs.add(ctx, s) {
		_ = s.source.Unsubscribe()
		return nil, engine.ErrClosed
	}
	return s, nil
}

// offer hands b over or loses it.
func (s *subscription) offer(b []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	select {
	case s.out <- b:
	default:
	}
}

// end closes the channel.
func (s *subscription) end() {
	s.forget()
	_ = s.source.Unsubscribe()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.closed = true
		close(s.out)
	}
}
