package manager

import (
	"context"
	"log/slog"
	"sync"

	"agentleague/rpc"
	"agentleague/rpc/workerpool"
)

// core is shared by all parts of a manager: its options, its node, and its context.
type core struct {
	Node *rpc.Node
	opts Options
	ctx  context.Context // ends with the manager; its cause is the reason
	stop context.CancelCauseFunc

	running taskGroup // everything that runs in the background

	troubleMu sync.Mutex
	troubles  map[string]bool // current failures that were logged
}

// newCore returns the core of a manager. Its context is the parent of every call and job: all end with it.
func newCore(ctx context.Context, node *rpc.Node, o Options) *core {
	c := &core{Node: node, opts: o, running: taskGroup{workers: o.Workers}, troubles: map[string]bool{}}
	c.ctx, c.stop = context.WithCancelCause(ctx)
	node.Under(c.ctx)
	return c
}

// A taskGroup tracks the background goroutines of a manager.
type taskGroup struct {
	sync.WaitGroup
	workers *workerpool.Pool // nil: each goroutine is a new one
}

// Call runs f, which calls agents and is short, on the worker pool, or without a pool on a new goroutine.
func (c *taskGroup) Call(f func()) {
	if c.workers == nil {
		c.Go(f)
		return
	}
	c.Add(1)
	c.workers.Go(func() {
		defer c.Done()
		f()
	})
}

// logEvent logs something about the league.
func (c *core) logEvent(level slog.Level, event string, attrs ...slog.Attr) {
	c.Node.Logger.LogAttrs(c.ctx, level, event, append(attrs, slog.String("league_id", c.opts.LeagueID))...)
}

func (c *core) info(event string, attrs ...slog.Attr) { c.logEvent(slog.LevelInfo, event, attrs...) }

func (c *core) warn(event string, attrs ...slog.Attr) { c.logEvent(slog.LevelWarn, event, attrs...) }

// note logs an event of the season: a sentence for people, and an event type and attributes for programs, such as
// ROUND_ANNOUNCEMENT_SENT with round_id and matches_count.
func (c *core) note(level slog.Level, event, sentence string, facts ...slog.Attr) {
	c.logEvent(level, sentence, append(facts, slog.String("event_type", event))...)
}

// trouble logs the first failure of the task what, and the next success (a nil err) after it. Failures in between are
// not logged.
func (c *core) trouble(what string, err error) {
	c.troubleMu.Lock()
	known := c.troubles[what]
	c.troubles[what] = err != nil
	c.troubleMu.Unlock()
	switch {
	case err != nil && !known:
		c.warn(what+"; trying again until it works", slog.Any("error", err))
	case err == nil && known:
		c.info("no longer: " + what)
	}
}

// troubled reports whether the last call of trouble for what had an error.
func (c *core) troubled(what string) bool {
	c.troubleMu.Lock()
	defer c.troubleMu.Unlock()
	return c.troubles[what]
}
