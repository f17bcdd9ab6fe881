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

// A connection is the link to a cluster, with the names, retries and errors that all operations share. It is safe for
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

// shut refuses further operations. It reports whether it is the first call.
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

// translate converts an error of the library: an error caused by closing is ErrClosed, one for a full disk a FullError.
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

// oneTry is how long one request waits for its answer. A node that was cut off gives none; another one may.
const oneTry = 3 * time.Second

// retry does something until it succeeds, trying again makes no sense, or the engine's patience ends.
func (c *connection) retry(ctx context.Context, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, c.o.Patience)
	defer cancel()
	for {
		one, cancel := context.WithTimeout(ctx, oneTry)
		err := do(one)
		cancel()
		if err == nil || isFinal(err) || !c.pause(ctx) {
			return err
		}
	}
}

// retryPause is how long to wait before something is tried again that a cluster without a leader refused.
const retryPause = 50 * time.Millisecond

// pause waits before the next try. It returns false when there is none.
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

// stream is the name of a stream, such as LEAGUE_LOG_03.
func (c *connection) stream(what string) string {
	return strings.ToUpper(strings.ReplaceAll(c.o.Prefix, ".", "_")) + "_" + what
}

// subject is the name under which something is published, such as league.log.03.<log>.
func (c *connection) subject(kind, name string) string { return c.o.Prefix + "." + kind + "." + name }
