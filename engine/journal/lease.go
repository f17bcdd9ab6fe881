package journal

import (
	"context"
	"fmt"
	"sync"
	"time"

	"agentleague/engine"
)

// leases holds the claims by key. They are only in memory, because the lock of the data directory excludes other
// processes.
type leases struct {
	mu     sync.Mutex
	claims map[string]*claim
}

// claim is one granted lease.
type claim struct {
	engine *Engine
	key    string
	holder string
	ttl    time.Duration
	until  time.Time // guarded by leases.mu
}

// Acquire claims key for holder within this process.
func (e *Engine) Acquire(ctx context.Context, key, holder string, ttl time.Duration) (engine.Claim, error) {
	err := engine.CheckAcquire(key, holder, ttl)
	if err == nil {
		err = e.enter(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("acquire: %w", err)
	}
	c := &claim{engine: e, key: key, holder: holder, ttl: ttl}
	if err := e.leases.grant(c); err != nil {
		return nil, fmt.Errorf("acquire: %w", err)
	}
	return c, nil
}

// Holder returns the holder of key.
func (e *Engine) Holder(ctx context.Context, key string) (string, error) {
	err := engine.CheckName(key)
	if err == nil {
		err = e.enter(ctx)
	}
	if err != nil {
		return "", fmt.Errorf("holder: %w", err)
	}
	e.leases.mu.Lock()
	defer e.leases.mu.Unlock()
	if c := e.leases.live(key); c != nil {
		return c.holder, nil
	}
	return "", nil
}

// Renew holds the key for another ttl.
func (c *claim) Renew(ctx context.Context) error {
	if err := c.engine.enter(ctx); err != nil {
		return fmt.Errorf("renew %s: %w", c.key, err)
	}
	l := &c.engine.leases
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.live(c.key) != c {
		return fmt.Errorf("renew %s: %w", c.key, engine.ErrLost)
	}
	c.until = time.Now().Add(c.ttl)
	return nil
}

// Release frees the key if the claim still holds it.
func (c *claim) Release(ctx context.Context) error {
	if err := c.engine.enter(ctx); err != nil {
		return fmt.Errorf("release %s: %w", c.key, err)
	}
	l := &c.engine.leases
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.live(c.key) == c {
		delete(l.claims, c.key)
	}
	return nil
}

// grant gives the key to c unless it is held.
func (l *leases) grant(c *claim) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if held := l.live(c.key); held != nil {
		return &engine.HeldError{Key: c.key, Holder: held.holder}
	}
	c.until = time.Now().Add(c.ttl)
	if l.claims == nil {
		l.claims = map[string]*claim{}
	}
	l.claims[c.key] = c
	return nil
}

// live returns the unexpired claim on key, or nil. The caller holds the lock.
func (l *leases) live(key string) *claim {
	c := l.claims[key]
	if c == nil || !time.Now().Before(c.until) {
		return nil
	}
	return c
}
