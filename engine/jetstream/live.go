package jetstream

import (
	"bytes"
	"context"
	"fmt"
	"sync"

	"github.com/nats-io/nats.go"

	"agentleague/engine"
)

// backlog is how many messages wait for a subscriber; more are lost.
const backlog = 64

// subscription is one open channel.
type subscription struct {
	source *nats.Subscription
	forget func() bool // stops waiting for the end of the subscriber's context

	mu     sync.Mutex
	out    chan []byte
	closed bool
}

// Publish sends b to all subscribers of subject in the cluster.
func (e *Engine) Publish(subject string, b []byte) error {
	err := engine.CheckName(subject)
	if err == nil {
		err = e.enter(context.Background())
	}
	if err == nil {
		err = e.conn.Publish(e.subject("live", subject), b)
	}
	if err != nil {
		return fmt.Errorf("publish %s: %w", subject, e.told(err))
	}
	return nil
}

// Subscribe returns the messages published to subject anywhere in the cluster. When it returns, the subscription is
// established.
func (e *Engine) Subscribe(ctx context.Context, subject string) (<-chan []byte, error) {
	err := engine.CheckName(subject)
	var s *subscription
	if err == nil {
		s, err = e.subscribe(ctx, subject)
	}
	if err != nil {
		return nil, fmt.Errorf("subscribe %s: %w", subject, e.told(err))
	}
	return s.out, nil
}

// subscribe returns once the subscription is established: all later messages arrive.
func (e *Engine) subscribe(ctx context.Context, subject string) (_ *subscription, err error) {
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	s := &subscription{out: make(chan []byte, backlog)}
	s.source, err = e.conn.Subscribe(e.subject("live", subject), func(m *nats.Msg) { s.offer(bytes.Clone(m.Data)) })
	if err != nil {
		return nil, err
	}
	within, cancel := context.WithTimeout(ctx, e.o.Patience)
	defer cancel()
	if err := e.conn.FlushWithContext(within); err != nil {
		_ = s.source.Unsubscribe()
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		_ = s.source.Unsubscribe()
		return nil, engine.ErrClosed
	}
	s.forget = context.AfterFunc(ctx, func() { e.forget(s) })
	e.subs[s] = struct{}{}
	return s, nil
}

// forget ends a subscription whose context ended, unless Close was first.
func (e *Engine) forget(s *subscription) {
	e.mu.Lock()
	delete(e.subs, s)
	e.mu.Unlock()
	s.end()
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
