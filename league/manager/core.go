package manager

import (
	"context"
	"log/slog"
	"sync"

	"agentleague/rpc"
	"agentleague/rpc/workerpool"
)

// core is what every part of a manager has: what it was opened with, its node, and its life.
type core struct {
	Node *rpc.Node
	opts Options
	ctx  context.Context // ends with the manager; its cause says why
	stop context.CancelCauseFunc

	running crew // everything that runs in the background

	troubleMu sync.Mutex
	troubles  map[string]bool // what fails just now, and was said to
}

// newCore makes what all parts of a manager share. Its context is that of every call and job: with it, everything
// ends.
func newCore(ctx context.Context, node *rpc.Node, o Options) *core {
	c := &core{Node: node, opts: o, running: crew{workers: o.Workers}, troubles: map[string]bool{}}
	c.ctx, c.stop = context.WithCancelCause(ctx)
	node.Under(c.ctx)
	return c
}

// A crew is what a manager has under way, each on a goroutine of its own.
type crew struct {
	sync.WaitGroup
	workers *workerpool.Pool // nil: each goroutine is a new one
}

// Call runs f, a short function that calls agents, on the worker pool if there is one.
func (c *crew) Call(f func()) {
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

func (c *core) info(event string, attrs ...slog.Attr) {
	c.Node.Logger.LogAttrs(c.ctx, slog.LevelInfo, event, append(attrs, slog.String("league_id", c.opts.LeagueID))...)
}

func (c *core) warn(event string, attrs ...slog.Attr) {
	c.Node.Logger.LogAttrs(c.ctx, slog.LevelWarn, event, append(attrs, slog.String("league_id", c.opts.LeagueID))...)
}

// trouble says once that something fails, and once that it no longer does. It
// is tried again and again meanwhile, and nobody wants to read that each time.
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

// troubled reports whether something fails just now.
func (c *core) troubled(what string) bool {
	c.troubleMu.Lock()
	defer c.troubleMu.Unlock()
	return c.troubles[what]
}
