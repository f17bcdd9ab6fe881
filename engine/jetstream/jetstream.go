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
	"fmt"
	"hash/fnv"
	"sync"

	"github.com/nats-io/nats.go/jetstream"

	"agentleague/engine"
)

// Engine is one process's handle on a cluster.
type Engine struct {
	conn *connection

	parts   []jetstream.Stream // of logs, by partition
	heads   *keys
	leases  *keys
	secrets *keys

	late *headWriter
	subs subscriptions

	mu   sync.Mutex
	logs map[string]*log
}

var _ engine.Engine = (*Engine)(nil)

// Open connects to a cluster and creates missing streams. It returns an error, with advice, if the cluster could lose
// acknowledged data.
func Open(ctx context.Context, o Options) (*Engine, error) {
	o = o.withDefaults()
	if err := o.CheckCredentials(); err != nil {
		return nil, err
	}
	conn, err := connect(o)
	if err != nil {
		return nil, err
	}
	e := &Engine{conn: conn, logs: map[string]*log{}, subs: subscriptions{open: map[*subscription]struct{}{}}}
	if err := e.prepare(ctx); err != nil {
		conn.nats.Close()
		return nil, fmt.Errorf("NATS at %s: %w", o.place(), err)
	}
	e.late = newHeadWriter(conn)
	return e, nil
}

// prepare checks the cluster and opens its streams.
func (e *Engine) prepare(ctx context.Context) error {
	if err := e.conn.check(ctx); err != nil {
		return err
	}
	return e.openStreams(ctx)
}

// openStreams opens the engine's streams and creates missing ones.
func (e *Engine) openStreams(ctx context.Context) error {
	c := e.conn
	for i := range c.o.Partitions {
		part := fmt.Sprintf("%02d", i)
		s, err := c.openStream(ctx, c.durable("LOG_"+part, c.subject("log", part+".>")))
		if err != nil {
			return err
		}
		e.parts = append(e.parts, s)
	}
	var err error
	if e.heads, err = c.openKeys(ctx, "head", c.durable("HEAD", c.subject("head", ">"))); err != nil {
		return err
	}
	if e.secrets, err = c.openKeys(ctx, "secret", c.durable("SECRET", c.subject("secret", ">"))); err != nil {
		return err
	}
	lease := c.durable("LEASE", c.subject("lease", ">"))
	lease.Storage, lease.AllowMsgTTL, lease.DenyDelete, lease.DenyPurge = jetstream.MemoryStorage, true, false, false
	e.leases, err = c.openKeys(ctx, "lease", lease)
	return err
}

// Close writes the heads, ends every subscription and closes the connection. It ignores a head that cannot be written:
// the next process that opens the log updates it.
func (e *Engine) Close() error {
	if !e.conn.shut() {
		return nil
	}
	e.subs.close()
	e.late.done.Wait()
	e.conn.nats.Close()
	return nil
}

// log returns the state of a log.
func (e *Engine) log(name string) *log {
	e.mu.Lock()
	defer e.mu.Unlock()
	l := e.logs[name]
	if l == nil {
		l = e.newLog(name)
		e.logs[name] = l
	}
	return l
}

// newLog returns the state of an unread log.
func (e *Engine) newLog(name string) *log {
	part := e.partition(name)
	return &log{
		conn: e.conn, heads: e.heads, name: name, stream: e.parts[part], turn: make(chan struct{}, 1),
		subject: e.conn.subject("log", fmt.Sprintf("%02d.%s", part, name)),
	}
}

// partition returns the stream of a log.
func (e *Engine) partition(log string) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(log))
	return int(h.Sum32() % uint32(e.conn.o.Partitions))
}
