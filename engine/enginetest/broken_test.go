package enginetest_test

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"iter"
	"strings"
	"testing"
	"time"

	"agentleague/engine"
	"agentleague/engine/enginetest"
	"agentleague/engine/sim"
)

// sound returns a store whose engines keep every law.
func sound(*testing.T) enginetest.Store {
	return altered(func(e *broken) {})(nil)
}

// altered returns stores whose engines are sound, except for the methods that alter replaces.
func altered(alter func(*broken)) func(*testing.T) enginetest.Store {
	return func(*testing.T) enginetest.Store {
		s := sim.New(1)
		return enginetest.Store{
			Open: func(*testing.T) engine.Engine {
				e := &broken{Engine: s.Open(sim.Options{})}
				alter(e)
				return e
			},
			Damage: func(_ *testing.T, log string, seq uint64) { s.Drop(log, seq) },
		}
	}
}

// broken is a sound engine with some methods replaced.
type broken struct {
	engine.Engine
	append    func(ctx context.Context, log string, prev uint64, batch []byte) (engine.Mark, error)
	read      func(ctx context.Context, log string, from uint64) iter.Seq2[engine.Entry, error]
	acquire   func(ctx context.Context, key, holder string, ttl time.Duration) (engine.Claim, error)
	secret    func(ctx context.Context, name string) ([]byte, error)
	publish   func(subject string, b []byte) error
	subscribe func(ctx context.Context, subject string) (<-chan []byte, error)
	close     func() error
	restore   func(ctx context.Context, log string, lines iter.Seq2[[]byte, error]) (engine.Mark, error)
	putSecret func(ctx context.Context, name string, secret []byte) error
}

func (b *broken) Append(ctx context.Context, log string, prev uint64, batch []byte) (engine.Mark, error) {
	if b.append != nil {
		return b.append(ctx, log, prev, batch)
	}
	return b.Engine.Append(ctx, log, prev, batch)
}

func (b *broken) Read(ctx context.Context, log string, from uint64) iter.Seq2[engine.Entry, error] {
	if b.read != nil {
		return b.read(ctx, log, from)
	}
	return b.Engine.Read(ctx, log, from)
}

func (b *broken) Acquire(ctx context.Context, key, holder string, ttl time.Duration) (engine.Claim, error) {
	if b.acquire != nil {
		return b.acquire(ctx, key, holder, ttl)
	}
	return b.Engine.Acquire(ctx, key, holder, ttl)
}

func (b *broken) Secret(ctx context.Context, name string) ([]byte, error) {
	if b.secret != nil {
		return b.secret(ctx, name)
	}
	return b.Engine.Secret(ctx, name)
}

func (b *broken) Publish(subject string, m []byte) error {
	if b.publish != nil {
		return b.publish(subject, m)
	}
	return b.Engine.Publish(subject, m)
}

func (b *broken) Subscribe(ctx context.Context, subject string) (<-chan []byte, error) {
	if b.subscribe != nil {
		return b.subscribe(ctx, subject)
	}
	return b.Engine.Subscribe(ctx, subject)
}

func (b *broken) Close() error {
	if b.close != nil {
		return b.close()
	}
	return b.Engine.Close()
}

// brokenEngines are ways to break the contract, and a law that has to catch each.
var brokenEngines = []struct {
	name, law string
	make      func(*testing.T) enginetest.Store
}{
	{"acknowledges what it does not write", "what is appended is read back", altered(func(e *broken) {
		e.append = func(_ context.Context, _ string, prev uint64, _ []byte) (engine.Mark, error) {
			return engine.Mark{Seq: prev + 1}, nil
		}
	})},
	{"appends wherever the log ends", "a stale append is fenced", altered(func(e *broken) {
		e.append = func(ctx context.Context, log string, _ uint64, batch []byte) (engine.Mark, error) {
			return e.Engine.Append(ctx, log, end(ctx, e, log), batch)
		}
	})},
	{"trims batches", "any bytes come back as they were", altered(func(e *broken) {
		e.append = func(ctx context.Context, log string, prev uint64, batch []byte) (engine.Mark, error) {
			return e.Engine.Append(ctx, log, prev, append(bytes.TrimSpace(batch), ' '))
		}
	})},
	{"takes an empty batch", "an empty batch is refused", altered(func(e *broken) {
		e.append = func(ctx context.Context, log string, prev uint64, batch []byte) (engine.Mark, error) {
			return e.Engine.Append(ctx, log, prev, append([]byte("x"), batch...))
		}
	})},
	{"always reads from the start", "read starts where it is told", altered(func(e *broken) {
		e.read = func(ctx context.Context, log string, _ uint64) iter.Seq2[engine.Entry, error] {
			return e.Engine.Read(ctx, log, 0)
		}
	})},
	{"gives its own memory away", "the log keeps its own copies", altered(giveMemoryAway)},
	{"is locked while it is read", "read can be broken off", altered(lockWhileReading)},
	{"hides damage", "a damaged log is refused", altered(func(e *broken) {
		e.read = func(ctx context.Context, log string, from uint64) iter.Seq2[engine.Entry, error] {
			return func(yield func(engine.Entry, error) bool) {
				for entry, err := range e.Engine.Read(ctx, log, from) {
					if errors.Is(err, engine.ErrDamaged) || !yield(entry, err) {
						return
					}
				}
			}
		}
	})},
	{"makes hashes up", "the hash of an append is the one that is read", altered(func(e *broken) {
		e.append = func(ctx context.Context, log string, prev uint64, batch []byte) (engine.Mark, error) {
			at, err := e.Engine.Append(ctx, log, prev, batch)
			at.Hash = strings.Repeat("0", len(at.Hash))
			return at, err
		}
	})},
	{"hashes each entry by itself", "a hash tells all that came before", altered(hashAlone)},
	{"forgets when it closes", "reopening sees everything acknowledged", func(*testing.T) enginetest.Store {
		return enginetest.Store{Open: func(*testing.T) engine.Engine { return sim.New(1).Open(sim.Options{}) }}
	}},
	{"makes a secret anew", "a secret is made once", altered(func(e *broken) {
		e.secret = func(context.Context, string) ([]byte, error) {
			b := make([]byte, engine.SecretSize)
			rand.Read(b)
			return b, nil
		}
	})},
	{"has one secret", "secrets differ by name", altered(func(e *broken) {
		e.secret = func(ctx context.Context, _ string) ([]byte, error) { return e.Engine.Secret(ctx, "one") }
	})},
	{"lets everyone in", "a held key is refused by its holder's name", altered(func(e *broken) {
		e.acquire = func(ctx context.Context, key, holder string, ttl time.Duration) (engine.Claim, error) {
			return e.Engine.Acquire(ctx, key+rand.Text(), holder, ttl)
		}
	})},
	{"lets the next in too early", "a claim runs out", altered(func(e *broken) {
		e.acquire = func(ctx context.Context, key, holder string, ttl time.Duration) (engine.Claim, error) {
			return e.Engine.Acquire(ctx, key, holder, ttl/2)
		}
	})},
	{"holds keys for ever", "a claim runs out", altered(func(e *broken) {
		e.acquire = func(ctx context.Context, key, holder string, ttl time.Duration) (engine.Claim, error) {
			return e.Engine.Acquire(ctx, key, holder, ttl*1000)
		}
	})},
	{"lets nobody hold a key", "a claim needs a holder and a ttl", altered(func(e *broken) {
		e.acquire = func(ctx context.Context, key, holder string, ttl time.Duration) (engine.Claim, error) {
			return e.Engine.Acquire(ctx, key, cmp.Or(holder, "nobody"), ttl)
		}
	})},
	{"does not renew", "renewing keeps a claim", altered(alterClaims(func(c *claim) {
		c.renew = func(context.Context) error { return nil }
	}))},
	{"renews what ran out", "a claim that ran out cannot be renewed", altered(alterClaims(func(c *claim) {
		c.renew = func(ctx context.Context) error { c.Claim.Renew(ctx); return nil }
	}))},
	{"does not release", "releasing frees the key", altered(alterClaims(func(c *claim) {
		c.release = func(context.Context) error { return nil }
	}))},
	{"tells nobody", "a message reaches every subscriber in order", altered(func(e *broken) {
		e.publish = func(string, []byte) error { return nil }
	})},
	{"tells everyone everything", "a message reaches its own subject only", altered(func(e *broken) {
		e.publish = func(_ string, b []byte) error { return e.Engine.Publish("all", b) }
		e.subscribe = func(ctx context.Context, _ string) (<-chan []byte, error) { return e.Engine.Subscribe(ctx, "all") }
	})},
	{"waits for subscribers", "a slow subscriber holds nobody up", altered(waitForSubscribers)},
	{"forgets to unsubscribe", "a subscription ends with its context", altered(func(e *broken) {
		e.subscribe = func(ctx context.Context, subject string) (<-chan []byte, error) {
			return e.Engine.Subscribe(context.WithoutCancel(ctx), subject)
		}
	})},
	{"closes nothing", "a closed engine answers that it is closed", altered(func(e *broken) {
		e.close = func() error { return nil }
	})},
	{"is deaf to cancelling", "a cancelled context is answered promptly", altered(func(e *broken) {
		e.secret = func(_ context.Context, name string) ([]byte, error) {
			return e.Engine.Secret(context.Background(), name)
		}
	})},
	{"takes any name", "bad names are refused", altered(func(e *broken) {
		e.append = func(ctx context.Context, log string, prev uint64, batch []byte) (engine.Mark, error) {
			return e.Engine.Append(ctx, "n"+hex.EncodeToString([]byte(log)), prev, batch)
		}
	})},
}

func end(ctx context.Context, e engine.Engine, log string) (last uint64) {
	for entry := range e.Read(ctx, log, 0) {
		last = max(last, entry.Seq)
	}
	return last
}
