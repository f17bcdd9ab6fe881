package sim

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"iter"
	"slices"
	"time"

	"agentleague/engine"
	"agentleague/engine/line"
)

// Engine is one process's handle on a Store.
type Engine struct {
	store  *Store
	opts   Options
	live   engine.Fanout
	closed bool // guarded by store.mu
}

var _ engine.Engine = (*Engine)(nil)

// Append writes batch after prev and returns where it stands.
func (e *Engine) Append(ctx context.Context, log string, prev uint64, batch []byte) (engine.Mark, error) {
	if err := engine.CheckAppend(log, batch); err != nil {
		return engine.Mark{}, fmt.Errorf("append: %w", err)
	}
	var at engine.Mark
	err := e.write(ctx, fmt.Sprintf("append %s %d", log, prev+1), func() (err error) {
		at, err = e.store.log(log).add(prev, bytes.Clone(batch))
		return err
	})
	if err != nil {
		return engine.Mark{}, err
	}
	return at, nil
}

// Read yields the log from sequence from on.
func (e *Engine) Read(ctx context.Context, log string, from uint64) iter.Seq2[engine.Entry, error] {
	from = max(from, 1)
	key := fmt.Sprintf("read %s %d", log, from)
	return func(yield func(engine.Entry, error) bool) {
		entries, fault, err := e.snapshot(ctx, log, key)
		if err != nil {
			yield(engine.Entry{}, err)
			return
		}
		for _, entry := range entries[min(from-1, uint64(len(entries))):] {
			if ctx.Err() != nil {
				yield(engine.Entry{}, fmt.Errorf("%s: %w", key, ctx.Err()))
				return
			}
			if !yield(clone(entry), nil) {
				return
			}
		}
		if fault == FailAfter {
			yield(engine.Entry{}, fmt.Errorf("%s: %w", key, ErrFault))
		}
	}
}

// snapshot returns the whole log as it is now; the result is immutable.
func (e *Engine) snapshot(ctx context.Context, log, key string) (entries []engine.Entry, fault Fault, err error) {
	if err := engine.CheckName(log); err != nil {
		return nil, None, fmt.Errorf("read: %w", err)
	}
	fault, err = e.look(ctx, key, func() error {
		entries = e.store.log(log).entries
		return e.store.log(log).check()
	})
	return entries, fault, err
}

// Secret returns the secret of that name.
func (e *Engine) Secret(ctx context.Context, name string) ([]byte, error) {
	if err := engine.CheckName(name); err != nil {
		return nil, fmt.Errorf("secret: %w", err)
	}
	var secret []byte
	err := e.write(ctx, "secret "+name, func() error {
		secret = e.store.secret(name)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return secret, nil
}

// Close ends the handle and its subscriptions; the store lives on.
func (e *Engine) Close() error {
	e.store.mu.Lock()
	defer e.store.mu.Unlock()
	e.closed = true
	e.live.Close()
	e.store.open = slices.DeleteFunc(e.store.open, func(other *Engine) bool { return other == e })
	return nil
}

// add writes data after prev, the end of the log, or refuses it.
func (l *log) add(prev uint64, data []byte) (engine.Mark, error) {
	if err := l.check(); err != nil {
		return engine.Mark{}, err
	}
	if prev != l.head {
		return engine.Mark{}, fmt.Errorf("%w but at %d", engine.ErrFenced, l.head)
	}
	l.head++
	text := chained(l.entries, data)
	at := engine.Mark{Seq: l.head, Hash: line.Of(text).String()}
	l.entries = append(l.entries, engine.Entry{Mark: at, Data: data}.WithText(text))
	return at, nil
}

// chained returns the line of data after the entries before it. Its time is constant: a run depends on its seed alone.
func chained(before []engine.Entry, data []byte) []byte {
	var last engine.Mark
	if n := len(before); n > 0 {
		last = before[n-1].Mark
	}
	var prev line.Hash
	_, _ = hex.Decode(prev[:], []byte(last.Hash))
	return line.Append(nil, last.Seq+1, prev, time.Unix(0, 0), line.Ready(data))
}

// check refuses a log that lost an entry.
func (l *log) check() error {
	if uint64(len(l.entries)) == l.head {
		return nil
	}
	missing := uint64(1)
	for _, e := range l.entries {
		if e.Seq == missing {
			missing++
		}
	}
	return fmt.Errorf("%w: entry %d of %d is missing", engine.ErrDamaged, missing, l.head)
}
