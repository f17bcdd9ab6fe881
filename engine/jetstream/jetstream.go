// Package jetstream is the engine of a cluster: logs, leases and secrets live in NATS JetStream, and any
// number of managers share them.
//
//	Append ─▶ line ─▶ LEAGUE_LOG_<partition>   subject league.log.<partition>.<log>, on a quorum of disks before the answer
//	              └─ at most 100 ms later ─▶   LEAGUE_HEAD        an acknowledged line: the log cannot end before it
//	Secret ─▶ LEAGUE_SECRET                    created once, in no log
//	Acquire ─▶ LEAGUE_LEASE                    in memory, with a time to live
//	Publish ─▶ league.live.<subject>           plain NATS, to the current subscribers
//
// A message of a log is a line as package line writes it, so a log that is moved here from a journal keeps
// its hashes. The engine does not rely on JetStream alone for acknowledged data: a record that fails its
// checksum on every node is dropped there silently. So every line has the hash of the one before, the head
// has the end, and an append names the line that it follows by its place in the stream. The first line of a
// log follows none, and a fence on "nothing yet" would also hold for a log that was lost; so it is stored in
// the head too, before it is appended, and nothing else can ever be the first line of that log.
package jetstream

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"agentleague/engine"
)

// Engine is one process's handle on a cluster.
type Engine struct {
	o    Options
	conn *nats.Conn
	js   jetstream.JetStream

	parts   []jetstream.Stream // of logs, by partition
	heads   *keys
	leases  *keys
	secrets *keys

	behind  chan struct{} // has an element when a log goes on after its head
	closing chan struct{}
	keeping sync.WaitGroup // the goroutine that keeps heads

	mu     sync.Mutex
	logs   map[string]*log
	late   map[*log]struct{} // logs that go on after their heads
	subs   map[*subscription]struct{}
	closed bool
}

var _ engine.Engine = (*Engine)(nil)

// Open connects to a cluster, creates missing streams, and refuses a cluster that cannot keep acknowledged data, with
// advice.
func Open(ctx context.Context, o Options) (*Engine, error) {
	o = o.withDefaults()
	if err := o.CheckCredentials(); err != nil {
		return nil, err
	}
	conn, err := nats.Connect(o.Servers, o.connection()...)
	if err != nil {
		return nil, fmt.Errorf("connect to NATS at %s: %w", o.place(), err)
	}
	e := &Engine{
		o: o, conn: conn,
		behind: make(chan struct{}, 1), closing: make(chan struct{}),
		logs: map[string]*log{}, late: map[*log]struct{}{}, subs: map[*subscription]struct{}{},
	}
	if err := e.prepare(ctx); err != nil {
		conn.Close()
		return nil, fmt.Errorf("NATS at %s: %w", o.place(), err)
	}
	e.keeping.Go(e.keepHeads)
	return e, nil
}

// prepare checks the cluster and finds or makes its streams.
func (e *Engine) prepare(ctx context.Context) error {
	js, err := jetstream.New(e.conn)
	if err != nil {
		return err
	}
	e.js = js
	if err := e.checkCluster(ctx); err != nil {
		return err
	}
	return e.openStreams(ctx)
}

// Close writes the heads, ends every subscription and closes the connection. A head that cannot be written stays
// outdated, which is no error: the next process that opens the log updates it.
func (e *Engine) Close() error {
	e.mu.Lock()
	again := e.closed
	e.closed = true
	subs := e.subs
	e.subs = nil
	e.mu.Unlock()
	if again {
		return nil
	}
	for s := range subs {
		s.end()
	}
	close(e.closing)
	e.keeping.Wait()
	e.conn.Close()
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

// told translates an error of the library: an error caused by closing is ErrClosed, one for a full disk a FullError.
func (e *Engine) told(err error) error {
	var api *jetstream.APIError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, nats.ErrConnectionClosed):
		return engine.ErrClosed
	case errors.As(err, &api) && isFull(api):
		return &engine.FullError{Place: "JetStream at " + e.o.place(), Err: err}
	}
	return err
}

// oneTry is how long one request waits for its answer. A node that was cut off gives none; another one may.
const oneTry = 3 * time.Second

// retry does something until it succeeds, trying again makes no sense, or the engine's patience ends.
func (e *Engine) retry(ctx context.Context, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, e.o.Patience)
	defer cancel()
	for {
		one, cancel := context.WithTimeout(ctx, oneTry)
		err := do(one)
		cancel()
		if err == nil || isFinal(err) || !e.pause(ctx) {
			return err
		}
	}
}

// retryPause is how long to wait before something is tried again that a cluster without a leader refused.
const retryPause = 50 * time.Millisecond

// pause waits before the next try. It returns false when there is none.
func (e *Engine) pause(ctx context.Context) bool {
	t := time.NewTimer(retryPause)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
	case <-e.closing:
	}
	return false
}

// warn logs a problem for the operator of the manager.
func (e *Engine) warn(what string, args ...any) {
	e.o.Logger.LogAttrs(context.Background(), slog.LevelWarn, fmt.Sprintf(what, args...))
}
