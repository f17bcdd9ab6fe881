package placement

import (
	"context"
	"iter"
	"sync"
	"time"

	"agentleague/engine"
	"agentleague/league"
	"agentleague/league/view"
	"agentleague/protocol"
	"agentleague/server"
	"agentleague/web"
)

// A remoteLeague is a summary of a league that another manager runs, for lists. It reads the league's log at most once
// a second. Requests for its pages and orders are relayed to that manager. It is safe for concurrent use.
//
//	log of the league ── Read, at most once a second ─▶ state ─▶ lists
type remoteLeague struct {
	elsewhere
	id  string
	log engine.Engine

	view  *view.Cache
	mu    sync.RWMutex
	state *league.State
	seq   uint64
	read  time.Time // when the last read began
}

var _ web.Season = (*remoteLeague)(nil)

// maxAge limits the age of a summary. It bounds the reads, because any client may request lists often.
const maxAge = time.Second

// newRemote returns a league that has not been read yet.
func newRemote(id string, log engine.Engine) *remoteLeague {
	f := &remoteLeague{id: id, log: log, state: league.NewSummaryState()}
	f.view = view.NewCache(f)
	return f
}

// View returns the views of the league.
func (f *remoteLeague) View() *view.Cache { return f.view }

// refresh reads the new events of the log, if the last read is older than maxAge.
func (f *remoteLeague) refresh(ctx context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	began := time.Now()
	if began.Sub(f.read) < maxAge {
		return nil
	}
	for e, err := range f.log.Read(ctx, f.id, f.seq+1) {
		if err == nil {
			err = f.apply(e)
		}
		if err != nil {
			f.state, f.seq = league.NewSummaryState(), 0
			return err
		}
	}
	f.read = began
	return nil
}

// apply applies an entry to the state.
func (f *remoteLeague) apply(e engine.Entry) error {
	at, events, err := league.DecodeLean(e.Data)
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

// ID returns the league's id.
func (f *remoteLeague) ID() string { return f.id }

// Read calls look with the state that was read last.
func (f *remoteLeague) Read(look func(s *league.State)) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	look(f.state)
}

// Sequence returns the sequence of the newest entry that was read.
func (f *remoteLeague) Sequence() uint64 {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.seq
}

// Follow yields nothing: event streams are relayed to the manager of the league.
func (f *remoteLeague) Follow(context.Context, uint64) iter.Seq2[league.Happened, error] {
	return func(func(league.Happened, error) bool) {}
}

// Ended returns nil, a channel that is never closed: this manager does not run the league.
func (f *remoteLeague) Ended() <-chan struct{} { return nil }

// elsewhere implements the methods of [web.Season] that need the league's manager. They return empty results, and are
// called only if the league has just moved.
type elsewhere struct{}

func (elsewhere) Endpoint() string             { return "" }
func (elsewhere) Missing() string              { return "" }
func (elsewhere) Starts() league.Start         { return league.Start{} }
func (elsewhere) WaitsFor() string             { return "" }
func (elsewhere) Resting() string              { return "" }
func (elsewhere) Draining() bool               { return false }
func (elsewhere) Health(string) league.Health  { return league.Health{} }
func (elsewhere) Closed(*league.State) string  { return server.ErrElsewhere.Error() }
func (elsewhere) Refusals() []league.Refusal   { return nil }
func (elsewhere) Warnings() []protocol.Warning { return nil }
func (elsewhere) Owner(string) string          { return "" }
func (elsewhere) Suspect(string, string)       {}

func (elsewhere) Start(context.Context, string) error                   { return server.ErrElsewhere }
func (elsewhere) Pause(context.Context, string) error                   { return server.ErrElsewhere }
func (elsewhere) Resume(context.Context, string) error                  { return server.ErrElsewhere }
func (elsewhere) Cancel(context.Context, string) error                  { return server.ErrElsewhere }
func (elsewhere) PlaySeasons(context.Context, int, string) error        { return server.ErrElsewhere }
func (elsewhere) BeginDrain(context.Context, string)                    {}
func (elsewhere) Withdraw(context.Context, string, string) error        { return server.ErrElsewhere }
func (elsewhere) Rest(context.Context, string, int, string) error       { return server.ErrElsewhere }
func (elsewhere) Readmit(context.Context, string, string, string) error { return server.ErrElsewhere }
func (elsewhere) Rename(context.Context, string, string, string) error  { return server.ErrElsewhere }
func (elsewhere) Merge(context.Context, string, string, string) error   { return server.ErrElsewhere }
func (elsewhere) Annul(context.Context, string, string, string) error   { return server.ErrElsewhere }
func (elsewhere) Invite(context.Context, protocol.Role, []string, string) ([]protocol.Invitation, error) {
	return nil, server.ErrElsewhere
}
