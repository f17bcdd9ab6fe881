package cluster

import (
	"context"
	"errors"
	"time"

	"agentleague/engine"
)

// tries is how often a decision is made anew because others were first, or because its fate is unknown.
const tries = 50

// decide has something agreed on: f decides by the newest state, and its events are written unless somebody was
// first; then it decides again. After an error whose outcome is unknown the log is read, so f has to find what it
// wanted done.
func (m *Member) decide(ctx context.Context, f func(*State) ([]Event, error)) error {
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
			_ = m.log.Publish(logName, []byte(m.o.Name)) // who misses it looks soon
			return m.refresh(ctx)
		}
		if ctx.Err() != nil || errors.Is(failed, engine.ErrClosed) {
			return failed
		}
	}
	return failed
}

// refresh reads what was written since the last time.
func (m *Member) refresh(ctx context.Context) error {
	m.reading.Lock()
	defer m.reading.Unlock()
	m.mu.RLock()
	from := m.seq + 1
	m.mu.RUnlock()
	var news []Event
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
	if end < from {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, e := range news {
		m.state.Apply(e)
	}
	m.seq = end
	close(m.changed)
	m.changed = make(chan struct{})
	return nil
}

// isAlive notes that the lease was renewed just now.
func (m *Member) isAlive() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.alive, m.trouble = time.Now(), nil
}

// note notes why this member may not be alive to the others.
func (m *Member) note(err error) {
	if err == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.trouble = err
}
