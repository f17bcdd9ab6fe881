package enginetest_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"iter"
	"sync"
	"sync/atomic"
	"time"

	"agentleague/engine"
)

// giveMemoryAway makes an engine yield the same bytes to every reader.
func giveMemoryAway(e *broken) {
	var mu sync.Mutex
	memory := map[uint64]engine.Entry{}
	e.read = func(ctx context.Context, log string, from uint64) iter.Seq2[engine.Entry, error] {
		return func(yield func(engine.Entry, error) bool) {
			for entry, err := range e.Engine.Read(ctx, log, from) {
				mu.Lock()
				if kept, ok := memory[entry.Seq]; ok {
					entry = kept
				}
				memory[entry.Seq] = entry
				mu.Unlock()
				if !yield(entry, err) {
					return
				}
			}
		}
	}
}

// lockWhileReading makes appends wait for readers.
func lockWhileReading(e *broken) {
	lock := make(chan struct{}, 1)
	e.append = func(ctx context.Context, log string, prev uint64, batch []byte) (engine.Mark, error) {
		select {
		case lock <- struct{}{}:
			defer func() { <-lock }()
			return e.Engine.Append(ctx, log, prev, batch)
		case <-ctx.Done():
			return engine.Mark{}, ctx.Err()
		}
	}
	e.read = func(ctx context.Context, log string, from uint64) iter.Seq2[engine.Entry, error] {
		return func(yield func(engine.Entry, error) bool) {
			lock <- struct{}{}
			defer func() { <-lock }()
			e.Engine.Read(ctx, log, from)(yield)
		}
	}
}

// hashAlone makes an engine compute the hash of an entry from its batch alone, without the previous entries.
func hashAlone(e *broken) {
	alone := func(data []byte) string {
		sum := sha256.Sum256(data)
		return hex.EncodeToString(sum[:])
	}
	e.append = func(ctx context.Context, log string, prev uint64, batch []byte) (engine.Mark, error) {
		at, err := e.Engine.Append(ctx, log, prev, batch)
		at.Hash = alone(batch)
		return at, err
	}
	e.read = func(ctx context.Context, log string, from uint64) iter.Seq2[engine.Entry, error] {
		return func(yield func(engine.Entry, error) bool) {
			for entry, err := range e.Engine.Read(ctx, log, from) {
				entry.Hash = alone(entry.Data)
				if !yield(entry, err) {
					return
				}
			}
		}
	}
}

// waitForSubscribers makes publishers wait once a thousand messages are out, until the engine closes.
func waitForSubscribers(e *broken) {
	var published atomic.Int64
	done := make(chan struct{})
	e.publish = func(subject string, b []byte) error {
		if published.Add(1) > 1000 {
			<-done
		}
		return e.Engine.Publish(subject, b)
	}
	e.close = sync.OnceValue(func() error {
		close(done)
		return e.Engine.Close()
	})
}

// claim is a sound claim with some methods replaced.
type claim struct {
	engine.Claim
	renew, release func(ctx context.Context) error
}

func (c *claim) Renew(ctx context.Context) error {
	if c.renew != nil {
		return c.renew(ctx)
	}
	return c.Claim.Renew(ctx)
}

func (c *claim) Release(ctx context.Context) error {
	if c.release != nil {
		return c.release(ctx)
	}
	return c.Claim.Release(ctx)
}

// alterClaims makes an engine grant altered claims.
func alterClaims(alter func(*claim)) func(*broken) {
	return func(e *broken) {
		e.acquire = func(ctx context.Context, key, holder string, ttl time.Duration) (engine.Claim, error) {
			sound, err := e.Engine.Acquire(ctx, key, holder, ttl)
			if err != nil {
				return nil, err
			}
			c := &claim{Claim: sound}
			alter(c)
			return c, nil
		}
	}
}
