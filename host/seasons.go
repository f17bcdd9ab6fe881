package host

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"agentleague/config"
	"agentleague/rpc"
)

// A turn plays one season of an agent. It returns the league in which the agent continues, or "", and the id that the
// agent had.
type turn func(h *Env, f Agent) (next, id string, err error)

// everySeason plays the seasons of an agent one after the other, at the same endpoint, with the same key and, if it is
// free, the same id.
func (h *Env) everySeason(f Agent, play turn) error {
	f.kept = &keptListener{}
	for {
		next, id, err := play(h, f)
		if err != nil || next == "" {
			return errors.Join(err, f.kept.shut())
		}
		if f.Follows != nil {
			f.Follows(next)
		}
		h = h.Of(h.League.After(next))
		f = f.after(next, id)
	}
}

// after returns the configuration of an agent for the season next, in which it requests the same id.
func (f Agent) after(next, id string) Agent {
	f.ID, f.OnlyID, f.LeagueID, f.Taken, f.JoinKey, f.further = id, false, next, nil, "", true
	return f
}

// A LeftOutError means that an agent of the previous season could not register for the next one.
type LeftOutError struct {
	LeagueID string
	Err      error // why its registration failed
}

func (e *LeftOutError) Error() string { return "the next season, " + e.LeagueID + ": " + e.Err.Error() }
func (e *LeftOutError) Unwrap() error { return e.Err }

// admitted returns how a registration went.
func (f Agent) admitted(err error) error {
	if err == nil || !f.further || NotCancelled(err) == nil {
		return err
	}
	return &LeftOutError{f.LeagueID, err}
}

// goesOn returns next if the agent continues in that league, and "" if it plays one season only or next is invalid.
func (f Agent) goesOn(next string) string {
	if f.OneSeason || !config.ValidID(next) || next == f.LeagueID {
		return ""
	}
	return next
}

// A keptListener stays open between the seasons of an agent: its handler changes, its address does not.
type keptListener struct {
	Listener
	tunnel *tunnel // to a manager that cannot call it; nil: none

	mu    sync.Mutex
	now   *answerer     // nil: between two seasons
	comes chan struct{} // closed when the next agent is there
	life  context.Context
	stop  context.CancelFunc // ends the door, once it is served
	ended chan struct{}      // closed when it has
	err   error              // then: how
}

// An answerer is the agent of one season, with its open requests.
type answerer struct {
	life  context.Context
	agent http.Handler
	open  int           // requests
	last  chan struct{} // closed when the last is answered after its season; nil: the season is not over
}

// Serve passes requests to h until ctx ends, and then waits for open requests. Later requests wait for the agent of the
// next season.
func (k *keptListener) Serve(ctx context.Context, h http.Handler) error {
	a := k.admit(ctx, h)
	select {
	case <-ctx.Done():
	case <-k.ended:
	}
	return k.dismiss(a)
}

// admit makes h the agent of the endpoint, which it opens if needed. The agent answers until dismiss is called. When
// life ends, the contexts of its open requests are canceled.
func (k *keptListener) admit(life context.Context, h http.Handler) *answerer {
	a := &answerer{life: life, agent: h}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.now = a
	if k.ended != nil {
		close(k.comes)
		return a
	}
	k.life, k.stop = context.WithCancel(context.WithoutCancel(life))
	k.ended = make(chan struct{})
	if listener, quiet := k.Listener.(passiveListener); quiet {
		listener.attach(k)
		return a
	}
	go func() { defer close(k.ended); k.err = k.Listener.Serve(k.life, k) }()
	return a
}

// A passiveListener needs no goroutine while it is open, such as a path on another agent's port.
type passiveListener interface {
	attach(h http.Handler) // from now on h answers, until Close
	Close() error
}

// dismiss removes an agent from the endpoint and waits for its open requests, up to drainTimeout. If the endpoint has
// failed, it returns that error.
func (k *keptListener) dismiss(a *answerer) error {
	select {
	case <-k.ended:
		return k.err
	default:
	}
	late := time.NewTimer(drainTimeout)
	defer late.Stop()
	select {
	case <-k.leave(a):
	case <-late.C:
	}
	return nil
}

// drainTimeout limits the time of open requests after the end of a season.
const drainTimeout = 2 * time.Second

// leave removes an agent from the endpoint. The returned channel is closed when its last open request is answered.
func (k *keptListener) leave(a *answerer) <-chan struct{} {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.now, k.comes, a.last = nil, make(chan struct{}), make(chan struct{})
	if a.open == 0 {
		close(a.last)
	}
	return a.last
}

// ServeHTTP passes a request to the current agent. Between two seasons it waits for the next agent.
func (k *keptListener) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for {
		a, comes := k.enter()
		if a != nil {
			defer k.answered(a)
			a.agent.ServeHTTP(w, r.WithContext(rpc.ServedUntil(r.Context(), a.life)))
			return
		}
		select {
		case <-comes:
		case <-k.life.Done():
			http.Error(w, "this agent is shutting down", http.StatusServiceUnavailable)
			return
		case <-r.Context().Done():
			return
		}
	}
}

// ServePost implements [rpc.PostHandler]. Between two seasons ok is false, so that ServeHTTP waits for the next agent.
func (k *keptListener) ServePost(ctx context.Context, r *rpc.Post) (answer []byte, ok bool) {
	a, _ := k.enter()
	if a == nil {
		return nil, false
	}
	defer k.answered(a)
	h, ok := a.agent.(rpc.PostHandler)
	if !ok {
		return nil, false
	}
	return h.ServePost(ctx, r) // no such answer takes long enough to need the end of the season
}

// enter returns the current agent and counts a request, or nil and a channel that is closed when the next agent is
// there.
func (k *keptListener) enter() (a *answerer, comes <-chan struct{}) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.now != nil {
		k.now.open++
	}
	return k.now, k.comes
}

// answered counts a finished request. After the last one it wakes the caller of leave.
func (k *keptListener) answered(a *answerer) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if a.open--; a.open == 0 && a.last != nil {
		close(a.last)
	}
}

// shut closes the door for good.
func (k *keptListener) shut() error {
	if k.tunnel != nil {
		defer k.tunnel.close()
	}
	if k.ended == nil {
		return nil // it was given back
	}
	k.stop()
	if listener, quiet := k.Listener.(passiveListener); quiet {
		return listener.Close()
	}
	<-k.ended
	return k.err
}

// Close gives a door back that is not served.
func (k *keptListener) Close() error {
	if k.Listener == nil || k.ended != nil {
		return nil // its opener closes it
	}
	return k.Listener.Close()
}
