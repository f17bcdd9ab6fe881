package cluster

import (
	"context"
	"errors"
	"time"

	"agentleague/engine"
)

// tries limits how often a decision is repeated after it was fenced or its outcome is unknown.
const tries = 50

// decide appends the events that f returns for the newest state. If another member wrote first, or the outcome is
// unknown, it reads the log and calls f again. So f must return no events if its goal is already reached.
func (m *Member) decide(ctx context.Context, f func(*clusterState) ([]event, error)) error {
	var failed error
	for range tries {
		if err := m.refresh(ctx); err != nil {
			return err
		}
		m.mu.RLock()
		events, err := f(m.state)
		prev := m.seq
		m.mu.RUnlock()
		if err != nil || len(events) == 0 {
			return err
		}
		entry, err := encode(events)
		if err != nil {
			return err
		}
		_, failed = m.log.Append(ctx, logName, prev, entry)
		if failed == nil {
			_ = m.log.Publish(logName, []byte(m.o.Name)) // a member that misses it polls soon
			return m.refresh(ctx)
		}
		if ctx.Err() != nil || errors.Is(failed, engine.ErrClosed) {
			return failed
		}
	}
	return failed
}

// refresh applies the new entries of the log. If a member with a newer format wrote some, the error is [ErrFormat].
func (m *Member) refresh(ctx context.Context) error {
	m.reading.Lock()
	defer m.reading.Unlock()
	m.mu.RLock()
	from := m.seq + 1
	m.mu.RUnlock()
	var news []event
	end := from - 1
	for entry, err := range m.log.Read(ctx, logName, from) {
		if err != nil {
			return err
		}
		events, err := decode(entry.Data)
		if err != nil {
			return err
		}
		news, end = append(news, events...), entry.Seq
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if end < from {
		return m.readable(m.state)
	}
	for _, e := range news {
		m.state.Apply(e)
	}
	m.seq = end
	close(m.changed)
	m.changed = make(chan struct{})
	return m.readable(m.state)
}

// isAlive records a successful renewal of the lease, which is valid for leaseTTL from began or longer.
func (m *Member) isAlive(began time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.alive, m.trouble = began, nil
}

// note records why this member may seem dead to the others.
func (m *Member) note(err error) {
	if err == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.trouble = err
}
