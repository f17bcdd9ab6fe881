package host

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
)

// A Crew is agents of one process that are started together.
type Crew struct {
	Context context.Context // ends with the run's, or with the first agent that fails, which is its cause
	Fail    context.CancelCauseFunc
	Log     *slog.Logger // of whoever runs the crew; nil: nobody keeps one

	group  sync.WaitGroup
	coming sync.WaitGroup // those that have not registered yet
	last   chan struct{}  // of a queue: closed when the newest in it has registered
}

// NewCrew returns one whose first failure ends its context.
func NewCrew(ctx context.Context) *Crew {
	c := &Crew{}
	c.Context, c.Fail = context.WithCancelCause(ctx)
	return c
}

// Registered waits until everybody has registered, or has failed to.
func (c *Crew) Registered() { c.coming.Wait() }

// Wait waits until everybody has ended.
func (c *Crew) Wait() { c.group.Wait() }

// Then calls f when everyone has registered.
func (c *Crew) Then(f func()) {
	c.group.Go(func() {
		c.coming.Wait()
		f()
	})
}

// Start runs one agent; the first that fails ends the run.
func (c *Crew) Start(run func(ready func(id, at string)) error) {
	c.coming.Add(1)
	ready := sync.OnceFunc(c.coming.Done)
	c.group.Go(func() {
		defer ready()
		var granted atomic.Pointer[string]
		err := run(func(id, at string) {
			granted.Store(&id)
			c.note(slog.LevelInfo, "AGENT_READY", id+" registered and is ready, at "+at, slog.String("agent_id", id),
				slog.String("endpoint", at))
			ready()
		})
		who := "an agent that has no id yet"
		if id := granted.Load(); id != nil {
			who = *id
		}
		if err != nil {
			c.note(slog.LevelError, "AGENT_FAILED", who+" failed: "+err.Error(), slog.String("agent_id", who))
			c.Fail(err)
			return
		}
		c.note(slog.LevelInfo, "AGENT_ENDED", who+" ended", slog.String("agent_id", who))
	})
}

// note tells the log of whoever runs the crew.
func (c *Crew) note(level slog.Level, event, sentence string, facts ...slog.Attr) {
	if c.Log != nil {
		c.Log.LogAttrs(c.Context, level, sentence, append(facts, slog.String("event_type", event))...)
	}
}

// Queue runs one agent when the one before it in the queue has registered, so that their ids are in their order.
func (c *Crew) Queue(run func(ready func(id, at string)) error) {
	before, here := c.last, make(chan struct{})
	c.last = here
	c.Start(func(ready func(id, at string)) error {
		leave := sync.OnceFunc(func() { close(here) })
		defer leave()
		if before != nil {
			<-before
		}
		return run(func(id, at string) { leave(); ready(id, at) })
	})
}
