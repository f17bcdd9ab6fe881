package server

import (
	"context"
	"iter"
	"sync"
	"time"

	"agentleague/engine"
	"agentleague/league"
	"agentleague/protocol"
	"agentleague/web"
)

// A faraway is a league that another manager runs, as lists show it here: what its log says. Its own pages, and all that
// is done on them, are passed on to that manager.
type faraway struct {
	elsewhere
	id  string
	log engine.Engine

	mu    sync.RWMutex
	state *league.State
	seq   uint64
	read  time.Time // when the log was last looked at
}

var _ web.Season = (*faraway)(nil)

// farawayAge is how old a list may be, since lists are asked for by everybody who looks.
const farawayAge = time.Second

// faraway returns a league that another manager runs.
func (s *shared) faraway(id string) (web.Season, bool) {
	found, _ := s.far.LoadOrStore(id, &faraway{id: id, log: s.disk, state: league.NewLean()})
	f := found.(*faraway)
	if err := f.refresh(s.life); err != nil || f.Sequence() == 0 {
		return nil, false // it has not begun, or cannot be read now
	}
	return f, true
}

// refresh reads what was written since the last look.
func (f *faraway) refresh(ctx context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if time.Since(f.read) < farawayAge {
		return nil
	}
	for e, err := range f.log.Read(ctx, f.id, f.seq+1) {
		if err == nil {
			err = f.apply(e)
		}
		if err != nil {
			f.state, f.seq = league.NewLean(), 0
			return err
		}
	}
	f.read = time.Now()
	return nil
}

// apply brings the state forward by an entry.
func (f *faraway) apply(e engine.Entry) error {
	at, events, err := league.DecodeBatch(e.Data)
	if err != nil {
		return err
	}
	for _, event := range events {
		if err := f.state.Apply(at, event); err != nil {
			return err
		}
	}
	f.state.Written(e.Seq, e.Hash, events)
	f.seq = e.Seq
	return nil
}

// ID is that of the league.
func (f *faraway) ID() string { return f.id }

// Read lets look at the state as the log had it a moment ago.
func (f *faraway) Read(look func(s *league.State)) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	look(f.state)
}

// Sequence is the newest entry of the log that was read.
func (f *faraway) Sequence() uint64 {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.seq
}

// Follow ends at once: event streams are passed on to the manager of the league.
func (f *faraway) Follow(context.Context, uint64) iter.Seq2[league.Happened, error] {
	return func(func(league.Happened, error) bool) {}
}

// Ended is never closed: this manager does not run the league, so it does not stop to.
func (f *faraway) Ended() <-chan struct{} { return nil }

// elsewhere answers what only the manager of a league knows or can do: nothing. Nobody asks, unless the league has just
// moved.
type elsewhere struct{}

func (elsewhere) Endpoint() string            { return "" }
func (elsewhere) Missing() string             { return "" }
func (elsewhere) Starts() league.Start        { return league.Start{} }
func (elsewhere) Resting() string             { return "" }
func (elsewhere) Draining() bool              { return false }
func (elsewhere) Health(string) league.Health { return league.Health{} }
func (elsewhere) Refusals() []league.Refusal  { return nil }
func (elsewhere) Owner(string) string         { return "" }
func (elsewhere) Suspect(string, string)      {}

func (elsewhere) Start(context.Context, string) error                   { return errNotMine }
func (elsewhere) Pause(context.Context, string) error                   { return errNotMine }
func (elsewhere) Resume(context.Context, string) error                  { return errNotMine }
func (elsewhere) BeginDrain(context.Context, string)                    {}
func (elsewhere) Withdraw(context.Context, string, string) error        { return errNotMine }
func (elsewhere) Readmit(context.Context, string, string, string) error { return errNotMine }
func (elsewhere) Annul(context.Context, string, string, string) error   { return errNotMine }
func (elsewhere) Invite(context.Context, protocol.Role, []string, string) ([]protocol.Invitation, error) {
	return nil, errNotMine
}
