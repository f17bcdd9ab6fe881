package host

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"
)

// A Crew is a group of agents of one process. Only a few of them register at a time, because concurrent registration of
// all would delay each of them.
type Crew struct {
	Context context.Context // ends with the run, or when an agent fails: the error is its cause
	Fail    context.CancelCauseFunc
	Log     *slog.Logger // of the operator of the crew; may be nil
	Bounded bool         // a slow registration keeps its slot: the manager answers, but is busy

	group  sync.WaitGroup
	coming sync.WaitGroup // agents that have not registered yet
	last   chan struct{}  // of Queue: closed when the agent queued last has registered

	mu      sync.Mutex
	waiting []func() // agents that wait for a registration slot, in order
	inSlots int      // agents that hold a slot
}

// slots limits the agents of a crew that register concurrently. Unless the crew is bounded, an agent that takes
// longer than slotTimeout no longer counts: it may be waiting for its manager or for a person.
const (
	slots       = 32
	slotTimeout = 2 * time.Second
)

// NewCrew returns an empty group of agents. Its Context is derived from ctx and is canceled when the first agent fails;
// that agent's error is the cause.
func NewCrew(ctx context.Context) *Crew {
	c := &Crew{}
	c.Context, c.Fail = context.WithCancelCause(ctx)
	return c
}

// Registered waits until every agent has registered or failed.
func (c *Crew) Registered() { c.coming.Wait() }

// Wait waits until all agents have ended.
func (c *Crew) Wait() { c.group.Wait() }

// Then calls f in the background when all agents have registered or failed. No agent may be added after this call.
func (c *Crew) Then(f func()) {
	c.group.Go(func() {
		c.coming.Wait()
		f()
	})
}

// Start runs one agent in the background. Run calls ready when the agent has registered, and returns when the agent has
// ended. The first error cancels the crew's context.
func (c *Crew) Start(run func(ready func(id, at string)) error) {
	c.Enter(func(ready func(id, at string), ended func(error)) { ended(run(ready)) })
}

// Enter starts one agent in the background. Start calls ready when the agent has registered, and ended exactly once
// when the agent has ended; it may return in between, so that an idle agent needs no goroutine. The first error cancels
// the crew's context.
func (c *Crew) Enter(start func(ready func(id, at string), ended func(error))) {
	c.coming.Add(1)
	c.group.Add(1)
	c.schedule(func(release func()) { c.enter(start, release) })
}

// enter starts an agent. It calls release when the agent has registered or ended, which frees its registration slot.
func (c *Crew) enter(start func(ready func(id, at string), ended func(error)), release func()) {
	registered := sync.OnceFunc(func() { release(); c.coming.Done() })
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

// ended logs the end of an agent. An error cancels the crew's context.
func (c *Crew) ended(who string, err error) {
	if err != nil {
		c.note(slog.LevelError, "AGENT_FAILED", who+" failed: "+err.Error(), slog.String("agent_id", who))
		c.Fail(err)
		return
	}
	c.note(slog.LevelInfo, "AGENT_ENDED", who+" ended", slog.String("agent_id", who))
}

// schedule runs enter on a new goroutine as soon as a registration slot is free. enter must call release when it no
// longer needs the slot.
func (c *Crew) schedule(enter func(release func())) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting = append(c.waiting, func() {
		release := sync.OnceFunc(c.releaseSlot)
		if !c.Bounded {
			slow := time.AfterFunc(slotTimeout, release)
			defer slow.Stop()
		}
		enter(release)
	})
	c.startWaiting()
}

// releaseSlot frees a registration slot and starts the next agent.
func (c *Crew) releaseSlot() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.inSlots--
	c.startWaiting()
}

// startWaiting starts waiting agents while slots are free. The caller holds the lock.
func (c *Crew) startWaiting() {
	for c.inSlots < slots && len(c.waiting) > 0 {
		c.inSlots++
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

// Queue runs one agent after the agent queued before it has registered, so that ids are granted in the order of the
// calls.
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
