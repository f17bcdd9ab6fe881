// Package mirror keeps a copy of a cluster's logs in a data/ folder, in the form of a journal, so that readers of
// journals (verification, exports, pages, people) need no cluster.
//
//	cluster ── every line that is read or appended ─▶ leagues/<log>/journal.jsonl   the same bytes
//	                             every second and at the end ─▶ leagues/<log>/journal.head
//	        ── the secrets that agents of the root need ─▶ secrets/<name>
//
// The copy is best effort: it is not synced, nothing is read back from it, and its errors stop no league. Lines that do
// not fit the cluster's log are renamed, and never deleted.
package mirror

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"agentleague/engine"
	"agentleague/engine/journal"
)

// Options are the source and the destination of the copy.
type Options struct {
	// Dir is the data/ folder. No other process uses it while the engine is open.
	Dir string

	// Secrets are the names of the secrets that processes with this data/ folder need.
	Secrets []string

	// Logger logs failures of the copy; nil discards them.
	Logger *slog.Logger
}

// Engine is the engine of a cluster that is copied.
type Engine struct {
	engine.Engine
	o    Options
	lock *journal.Lock

	closing chan struct{}
	keeping sync.WaitGroup // the goroutine that keeps heads

	mu   sync.Mutex
	logs map[string]*file
}

// Open locks the data/ folder and opens the engine, whose lines go to copy: see Options.Copy of package jetstream.
func Open(o Options, open func(copy func(log string, seq uint64, line []byte)) (engine.Engine, error)) (*Engine, error) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	lock, err := journal.LockFolder(o.Dir)
	if err != nil {
		return nil, err
	}
	e := &Engine{o: o, lock: lock, closing: make(chan struct{}), logs: map[string]*file{}}
	if e.Engine, err = open(e.copy); err != nil {
		return nil, errors.Join(err, lock.Unlock())
	}
	e.keeping.Go(e.keepHeads)
	return e, nil
}

// HeldAt records the address of this process, for others that want the same data/ folder.
func (e *Engine) HeldAt(address string) error { return e.lock.HeldAt(address) }

// Check returns nil: the logs are in the cluster, and a moved copy is created again.
func (e *Engine) Check(context.Context, string) error { return nil }

// KeepHead brings the head of a copy up to date. It is not synced, as the copy is not.
func (e *Engine) KeepHead(_ context.Context, log string) error {
	e.mu.Lock()
	f := e.logs[log]
	e.mu.Unlock()
	if f != nil {
		f.keepHead()
	}
	return nil
}

// Secret returns the secret of that name. Secrets that agents of the data directory need are copied for them.
func (e *Engine) Secret(ctx context.Context, name string) ([]byte, error) {
	secret, err := e.Engine.Secret(ctx, name)
	if err != nil || !slices.Contains(e.o.Secrets, name) {
		return secret, err
	}
	if err := journal.CopySecret(e.o.Dir, name, secret); err != nil {
		return nil, fmt.Errorf("%w; a root that was used without the cluster cannot be one of its managers': take an empty "+
			"one, and bring the leagues along with a backup", err)
	}
	return secret, nil
}

// Close brings the heads up to date and closes the engine.
func (e *Engine) Close() error {
	e.mu.Lock()
	select {
	case <-e.closing:
		e.mu.Unlock()
		return nil
	default:
		close(e.closing)
	}
	e.mu.Unlock()
	err := e.Engine.Close()
	e.keeping.Wait()
	e.writeHeads()
	return errors.Join(err, e.lock.Unlock())
}

// copy adds a line to the copy of its log.
func (e *Engine) copy(log string, seq uint64, line []byte) {
	e.mu.Lock()
	f := e.logs[log]
	if f == nil {
		f = &file{path: journal.Path(e.o.Dir, log)}
		e.logs[log] = f
	}
	e.mu.Unlock()
	if err := f.add(seq, line); err != nil && f.complain() {
		e.o.Logger.Warn("the copy of a log cannot be kept; the league goes on without it", slog.String("log", log),
			slog.Any("error", err))
	}
}

// keepHeads writes heads once a second until the engine closes.
func (e *Engine) keepHeads() {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-e.closing:
			return
		case <-tick.C:
			e.writeHeads()
		}
	}
}

// writeHeads writes the heads of all copies that have grown. The list is copied first, so that no append waits for
// the disk.
func (e *Engine) writeHeads() {
	e.mu.Lock()
	all := make([]*file, 0, len(e.logs))
	for _, f := range e.logs {
		all = append(all, f)
	}
	e.mu.Unlock()
	for _, f := range all {
		f.keepHead()
	}
}
