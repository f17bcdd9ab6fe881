package jetstream

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"agentleague/engine"
)

// A connection is a NATS connection with the names, retries and errors that all operations share. It is safe for
// concurrent use.
type connection struct {
	o       Options
	nats    *nats.Conn
	js      jetstream.JetStream
	closing chan struct{} // closed when no further operation may begin
	once    sync.Once     // closes closing
}

// connect dials the cluster.
func connect(o Options) (*connection, error) {
	conn, err := nats.Connect(o.Servers, o.dialing()...)
	if err != nil {
		return nil, fmt.Errorf("connect to NATS at %s: %w", o.place(), err)
	}
	js, err := jetstream.New(conn)
	if err != nil {
		conn.Close()
		return nil, fmt.Errorf("NATS at %s: %w", o.place(), err)
	}
	return &connection{o: o, nats: conn, js: js, closing: make(chan struct{})}, nil
}

// shut makes all further operations fail. It reports whether this is the first call.
func (c *connection) shut() (first bool) {
	c.once.Do(func() {
		close(c.closing)
		first = true
	})
	return first
}

// enter refuses operations that cannot begin.
func (c *connection) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case <-c.closing:
		return engine.ErrClosed
	default:
		return nil
	}
}

// translate maps an error of the NATS library to the engine's: [engine.ErrClosed] after shut, and an [engine.FullError]
// for a full disk.
func (c *connection) translate(err error) error {
	var api *jetstream.APIError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, nats.ErrConnectionClosed):
		return engine.ErrClosed
	case errors.As(err, &api) && isFull(api):
		return &engine.FullError{Place: "JetStream at " + c.o.place(), Err: err}
	}
	return err
}

// requestTimeout is the timeout of a single request. A disconnected node does not answer, and a retry may reach
// another.
const requestTimeout = 3 * time.Second

// retry calls do until it succeeds, returns a permanent error, or Patience or ctx ends.
func (c *connection) retry(ctx context.Context, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, c.o.Patience)
	defer cancel()
	for {
		one, cancel := context.WithTimeout(ctx, requestTimeout)
		err := do(one)
		cancel()
		if err == nil || isFinal(err) || !c.pause(ctx) {
			return err
		}
	}
}

// retryPause is the pause before a retry, for example while the cluster elects a leader.
const retryPause = 50 * time.Millisecond

// pause waits before a retry. It returns false if ctx has ended or the connection is shut: then no retry may follow.
func (c *connection) pause(ctx context.Context) bool {
	t := time.NewTimer(retryPause)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
	case <-c.closing:
	}
	return false
}

// warn logs a problem for the operator of the manager.
func (c *connection) warn(what string, args ...any) {
	c.o.Logger.LogAttrs(context.Background(), slog.LevelWarn, fmt.Sprintf(what, args...))
}

// stream returns the full name of a stream, such as LEAGUE_LOG_03.
func (c *connection) stream(what string) string {
	return strings.ToUpper(strings.ReplaceAll(c.o.Prefix, ".", "_")) + "_" + what
}

// subject returns the subject of a kind and name, such as league.log.03.<log>.
func (c *connection) subject(kind, name string) string { return c.o.Prefix + "." + kind + "." + name }
