package sim

import "context"

// Publish offers b to every subscriber of every process.
func (e *Engine) Publish(subject string, b []byte) error {
	e.store.mu.Lock()
	defer e.store.mu.Unlock()
	if err := e.live.Publish(subject, b); err != nil {
		return err
	}
	for _, other := range e.store.open {
		if other == e {
			continue
		}
		if err := other.live.Publish(subject, b); err != nil {
			return err
		}
	}
	return nil
}

// Subscribe returns the messages published to subject from now on.
func (e *Engine) Subscribe(ctx context.Context, subject string) (<-chan []byte, error) {
	return e.live.Subscribe(ctx, subject)
}
