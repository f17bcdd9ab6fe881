package jetstream

import (
	"context"
	"errors"
	"fmt"
	"time"

	"agentleague/engine"
)

// A lease is a value with a time to live, after which the server deletes it. It is renewed by overwriting the value and
// released by overwriting it with an empty one.

// shortestTTL is the minimum of the server, which counts in whole seconds.
const shortestTTL = time.Second

// whole rounds a ttl up to whole seconds.
func whole(ttl time.Duration) time.Duration {
	return max(shortestTTL, (ttl + time.Second - 1).Truncate(time.Second))
}

// claim is a lease that this process took.
type claim struct {
	leases *keys
	key    string
	holder string
	ttl    time.Duration

	turn chan struct{} // has an element while a goroutine uses the fields below
	at   uint64        // where it stands; 0: it is lost
}

// Acquire claims key for holder.
func (e *Engine) Acquire(ctx context.Context, key, holder string, ttl time.Duration) (engine.Claim, error) {
	err := engine.CheckAcquire(key, holder, ttl)
	var c *claim
	if err == nil {
		c, err = e.acquire(ctx, key, holder, whole(ttl))
	}
	if err != nil {
		return nil, fmt.Errorf("acquire %s: %w", key, e.conn.translate(err))
	}
	return c, nil
}

// acquire takes a lease. If it is held, the error is a [engine.HeldError]. It retries transient errors, such as during
// a leader election, up to Patience.
func (e *Engine) acquire(ctx context.Context, key, holder string, ttl time.Duration) (*claim, error) {
	if err := e.conn.enter(ctx); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, e.conn.o.Patience)
	defer cancel()
	tried := false
	for {
		at, err := e.tryAcquire(ctx, key, holder, ttl, &tried)
		if err == nil {
			return &claim{leases: e.leases, key: key, holder: holder, ttl: ttl, turn: make(chan struct{}, 1), at: at}, nil
		}
		var held *engine.HeldError
		if errors.As(err, &held) || isFinal(err) && !errors.Is(err, errChanged) || !e.conn.pause(ctx) {
			return nil, err
		}
	}
}

// tryAcquire makes one attempt to take a lease and returns its sequence. It sets tried if the lease may have been
// written although the answer was lost: the next attempt then accepts a lease held in the name of holder as its own.
func (e *Engine) tryAcquire(ctx context.Context, key, holder string, ttl time.Duration, tried *bool) (uint64, error) {
	is, err := e.leases.get(ctx, key)
	switch {
	case err != nil:
		return 0, err
	case *tried && string(is.data) == holder:
		return is.at, nil
	case len(is.data) > 0:
		return 0, &engine.HeldError{Key: key, Holder: string(is.data)}
	}
	at, err := e.leases.put(ctx, key, is.at, []byte(holder), ttl)
	*tried = *tried || err != nil && !errors.Is(err, errChanged)
	return at, err
}

// Holder returns the current holder of key.
func (e *Engine) Holder(ctx context.Context, key string) (string, error) {
	err := engine.CheckName(key)
	if err == nil {
		err = e.conn.enter(ctx)
	}
	var is value
	if err == nil {
		err = e.conn.retry(ctx, func(ctx context.Context) (err error) {
			is, err = e.leases.get(ctx, key)
			return err
		})
	}
	if err != nil {
		return "", fmt.Errorf("holder of %s: %w", key, e.conn.translate(err))
	}
	return string(is.data), nil
}

// Renew extends the lease by its ttl. It returns [engine.ErrLost] if the lease has expired or has changed.
func (c *claim) Renew(ctx context.Context) error {
	if err := c.replace(ctx, []byte(c.holder)); err != nil {
		return fmt.Errorf("renew %s: %w", c.key, c.leases.conn.translate(err))
	}
	return nil
}

// Release frees the key unless another holder has acquired it.
func (c *claim) Release(ctx context.Context) error {
	err := c.replace(ctx, nil)
	if err != nil && !errors.Is(err, engine.ErrLost) {
		return fmt.Errorf("release %s: %w", c.key, c.leases.conn.translate(err))
	}
	return nil
}

// replace overwrites the lease with holder; nil releases it.
func (c *claim) replace(ctx context.Context, holder []byte) error {
	if err := c.leases.conn.enter(ctx); err != nil {
		return err
	}
	select {
	case c.turn <- struct{}{}:
		defer func() { <-c.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if c.at == 0 {
		return engine.ErrLost
	}
	at, err := c.leases.put(ctx, c.key, c.at, holder, c.ttl)
	if errors.Is(err, errChanged) {
		c.at = 0
		return engine.ErrLost
	}
	if err != nil {
		return err
	}
	c.at = at
	if holder == nil {
		c.at = 0
	}
	return nil
}
