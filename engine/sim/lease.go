package sim

import (
	"context"
	"fmt"
	"time"

	"agentleague/engine"
)

// lease is the holder of a key, its claim, and its expiry.
type lease struct {
	claim  uint64
	holder string
	until  time.Time
}

// claim is one granted lease, seen from its holder.
type claim struct {
	engine *Engine
	number uint64
	key    string
	holder string
	ttl    time.Duration
}

// Acquire claims key for holder.
func (e *Engine) Acquire(ctx context.Context, key, holder string, ttl time.Duration) (engine.Claim, error) {
	if err := engine.CheckAcquire(key, holder, ttl); err != nil {
		return nil, fmt.Errorf("acquire: %w", err)
	}
	c := &claim{engine: e, key: key, holder: holder, ttl: ttl}
	err := e.write(ctx, fmt.Sprintf("acquire %s %s", key, holder), func() error {
		return e.store.grant(c)
	})
	if err != nil {
		return nil, err
	}
	return c, nil
}

// Holder returns the holder of key.
func (e *Engine) Holder(ctx context.Context, key string) (holder string, err error) {
	if err := engine.CheckName(key); err != nil {
		return "", fmt.Errorf("holder: %w", err)
	}
	_, err = e.look(ctx, "holder "+key, func() error {
		l, _ := e.store.lease(key)
		holder = l.holder
		return nil
	})
	return holder, err
}

// Renew holds the key for another ttl.
func (c *claim) Renew(ctx context.Context) error {
	return c.engine.write(ctx, fmt.Sprintf("renew %s %s", c.key, c.holder), func() error {
		if !c.live() {
			return engine.ErrLost
		}
		c.hold()
		return nil
	})
}

// Release frees the key if the claim still holds it.
func (c *claim) Release(ctx context.Context) error {
	return c.engine.write(ctx, fmt.Sprintf("release %s %s", c.key, c.holder), func() error {
		if c.live() {
			delete(c.engine.store.leases, c.key)
		}
		return nil
	})
}

// grant gives the key to c unless it is held.
func (s *Store) grant(c *claim) error {
	if l, held := s.lease(c.key); held {
		return &engine.HeldError{Key: c.key, Holder: l.holder}
	}
	s.claims++
	c.number = s.claims
	c.hold()
	return nil
}

// lease returns the holder of key; an expired lease has none.
func (s *Store) lease(key string) (lease, bool) {
	l := s.leases[key]
	if !time.Now().Before(l.until) {
		return lease{}, false
	}
	return l, true
}

// live reports whether the lease is still this claim's: it has not expired or been taken over.
func (c *claim) live() bool {
	l, held := c.engine.store.lease(c.key)
	return held && l.claim == c.number
}

func (c *claim) hold() {
	c.engine.store.leases[c.key] = lease{claim: c.number, holder: c.holder, until: time.Now().Add(c.ttl)}
}
