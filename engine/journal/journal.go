// Package journal is the default engine: every log is a file that a person can read and any program can verify.
//
//	Append ─▶ line ─▶ fsync ─▶ answer          leagues/<log>/journal.jsonl   one line per batch, each with the hash of the one before
//	              └─ at most 100 ms later ─▶   leagues/<log>/journal.head    an acknowledged line: the log cannot end before it
//	Secret ─▶ secrets/<name>                   0600, in no log
//	Open ───▶ journal.lock                     one process at a time
//
// A line is one JSON object with its members in this order and no space between them:
//
//	{"seq":3,"prev":"<SHA-256 of line 2>","timestamp":"2026-01-01T00:00:00.000000Z","events":<payload>,"sha256":"<SHA-256 of all before this member>"}
//
// A payload that is not JSON on one line is written as "data":"<base64>". The first line's prev is 64
// zeros. journal.head is {"seq":3,"line_sha256":"<SHA-256 of line 3>"}.
//
// To check a journal by hand, compare the hash of each line, without its newline, with the prev of the next,
// and that of the line the head names with the head; then hash each line without its last member:
//
//	sed -n 2p journal.jsonl | tr -d '\n' | sha256sum                                         # the prev of line 3
//	sed -n 3p journal.jsonl | sed 's/,"sha256":"[^"]*"}$//' | tr -d '\n' | sha256sum         # the sha256 of line 3
//
// A torn last line was never acknowledged: it is truncated. Any other inconsistency is refused as
// [engine.ErrDamaged], by file and line; other logs are unaffected. A damaged log is never written to.
package journal

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"

	"github.com/gofrs/flock"

	"agentleague/engine"
)

// Options describe the owner of a data directory. The zero value works.
type Options struct {
	// Logger logs truncated lines and heads that cannot be written; nil discards them.
	Logger *slog.Logger

	// Holder is the address of this process, such as "http://localhost:8000/mcp". Other processes get it in their
	// [InUseError]. If the address is known only later, call [Engine.HeldAt].
	Holder string
}

// An Engine stores logs, secrets and leases in the data/ folder of a data directory. Only one Engine can be open on a
// folder.
type Engine struct {
	*shared
	lock *flock.Flock

	live    engine.Fanout
	leases  leases
	secrets secrets

	mu     sync.Mutex
	logs   map[string]*log
	closed bool
}

var _ engine.Engine = (*Engine)(nil)

// Open locks dir, creating it if needed, and returns the engine that stores its logs and secrets there. If another
// process has dir open, the error is an [InUseError]. A damaged log is no error of Open, but of Read and Append.
func Open(dir string, o Options) (*Engine, error) {
	return open(dir, o, osDisk{})
}

// Path returns the path of a log's journal in the data/ folder dir.
func Path(dir, log string) string {
	return filepath.Join(dir, "leagues", log, journalFile)
}

// open is [Open] with a replaceable disk, so that tests can inject failures.
func open(dir string, o Options, d disk) (*Engine, error) {
	dir = filepath.Clean(dir)
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if err := makeFolder(dir, 0o755); err != nil {
		return nil, fmt.Errorf("open journal: %w", err)
	}
	lock, err := lockFolder(dir, o.Holder)
	if err != nil {
		return nil, fmt.Errorf("open journal: %w", err)
	}
	return &Engine{
		shared: &shared{dir: dir, logger: o.Logger, disk: d, late: newHeadWriter()}, lock: lock,
		secrets: secrets{folder: filepath.Join(dir, "secrets")}, logs: map[string]*log{},
	}, nil
}

// Publish sends b to all subscribers of subject in this process.
func (e *Engine) Publish(subject string, b []byte) error {
	return e.live.Publish(subject, b)
}

// Subscribe returns the messages published to subject in this process after the call.
func (e *Engine) Subscribe(ctx context.Context, subject string) (<-chan []byte, error) {
	return e.live.Subscribe(ctx, subject)
}

// Close waits for the appends in progress, updates every head and unlocks the data directory. It ignores a head for
// which the disk has no space.
func (e *Engine) Close() error {
	e.mu.Lock()
	again := e.closed
	e.closed = true
	e.mu.Unlock()
	if again {
		return nil
	}
	e.live.Close()
	e.late.stop()
	var errs []error
	for _, l := range e.logs { // a closed engine opens no more logs
		errs = append(errs, l.close())
	}
	if err := errors.Join(append(errs, unlockFolder(e.lock))...); err != nil {
		return fmt.Errorf("close journal: %w", err)
	}
	return nil
}

// enter refuses operations that cannot begin.
func (e *Engine) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return engine.ErrClosed
	}
	return nil
}

// log returns the log of that name.
func (e *Engine) log(name string) (*log, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil, engine.ErrClosed
	}
	if e.logs[name] == nil {
		path := Path(e.dir, name)
		e.logs[name] = &log{shared: e.shared, folder: filepath.Dir(path), path: path, turn: make(chan struct{}, 1)}
	}
	return e.logs[name], nil
}

// enterLog locks a log and verifies it if necessary. If it returns no error, the caller must call leave.
func (e *Engine) enterLog(ctx context.Context, name string) (*log, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l, err := e.log(name)
	if err != nil {
		return nil, err
	}
	select {
	case l.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if err := l.ready(ctx); err != nil {
		l.leave()
		return nil, err
	}
	return l, nil
}

// HeldAt stores the address of this process for the [InUseError] of other processes.
func (e *Engine) HeldAt(address string) error { return heldAt(e.lock, address) }
