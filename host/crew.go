package host

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"
)

// A Crew is a group of agents of one process that are started together. Only a few of them register at a time:
// concurrent registration of all would delay each of them.
type Crew struct {
	Context context.Context // ends with the run's, or with the first agent that fails, which is its cause
	Fail    context.CancelCauseFunc
	Log     *slog.Logger // of the operator of the crew; may be nil
	Bounded bool         // slow agents block others too: the manager is there, and too busy for more

	group  sync.WaitGroup
	coming sync.WaitGroup // those that have not registered yet
	last   chan struct{}  // of a queue: closed when the newest in it has registered

	mu      sync.Mutex
	waiting []func() // those that have not come in yet, in their order
	inside  int      // that are coming in now
}

// The number of agents of a crew that register at a time, and the time after which a waiting one does not block the
// next, unless the crew is bounded: agents that wait for their manager, or for a person, do so concurrently.
const (
	entrance    = 32
	entranceFor = 2 * time.Second
)

// NewCrew returns a crew that cancels its context at the first failure.
func NewCrew(ctx context.Context) *Crew {
	c := &Crew{}
	c.Context, c.Fail = context.WithCancelCause(ctx)
	return c
}

// Registered waits until every agent has registered or failed.
func (c *Crew) Registered() { c.coming.Wait() }

// Wait waits until all agents have ended.
func (c *Crew) Wait() { c.group.Wait() }

// Then calls f when all agents have registered. No agent may be added after it is called.
func (c *Crew) Then(f func()) {
	c.group.Go(func() {
		c.coming.Wait()
		f()
	})
}

// Start runs one agent; the first that fails ends the run.
func (c *Crew) Start(run func(ready func(id, at string)) error) {
	c.Enter(func(ready func(id, at string), ended func(error)) { ended(run(ready)) })
}

// Enter starts one agent; the first agent that fails ends the run. Start calls ready when the agent has registered, and
// ended exactly once when the agent has ended. It may return between the two if an idle agent needs no goroutine.
func (c *Crew) Enter(start func(ready func(id, at string), ended func(error))) {
	c.coming.Add(1)
	c.group.Add(1)
	c.comeIn(func(in func()) { c.enter(start, in) })
}

// enter starts an agent and calls in when it has registered or ended, so that the next agent may start.
func (c *Crew) enter(start func(ready func(id, at string), ended func(error)), in func()) {
	registered := sync.OnceFunc(func() { in(); c.coming.Done() })
	if c.Context.Err() != nil { // it would only be stopped
		registered()
		c.group.Done()
		return
	}
	granted := ""
	start(func(id, at string) {
		granted = id
		c.note(slog.LevelInfo, "AGENT_READY", id+" registered and is ready, at "+at, slog.String("agent_id", id),
			slog.String("endpoint", at))
		registered()
	}, func(err error) {
		defer c.group.Done()
		defer registered()
		c.ended(cmp.Or(granted, "an agent that has no id yet"), err)
	})
}

// ended notes how an agent has ended.
func (c *Crew) ended(who string, err error) {
	if err != nil {
		c.note(slog.LevelError, "AGENT_FAILED", who+" failed: "+err.Error(), slog.String("agent_id", who))
		c.Fail(err)
		return
	}
	c.note(slog.LevelInfo, "AGENT_ENDED", who+" ended", slog.String("agent_id", who))
}

// comeIn runs enter on a new goroutine, at once or when a slot is free.
func (c *Crew) comeIn(enter func(in func())) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting = append(c.waiting, func() {
		in := sync.OnceFunc(c.makeRoom)
		if !c.Bounded {
			slow := time.AfterFunc(entranceFor, in)
			defer slow.Stop()
		}
		enter(in)
	})
	c.letIn()
}

// makeRoom lets the next one in.
func (c *Crew) makeRoom() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.inside--
	c.letIn()
}

// letIn starts agents while slots are free. The caller holds the lock.
func (c *Crew) letIn() {
	for c.inside < entrance && len(c.waiting) > 0 {
		c.inside++
		go c.waiting[0]() // the crew's group waits for it
		c.waiting[0] = nil
		c.waiting = c.waiting[1:]
	}
}

// note writes to the log of the operator.
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
