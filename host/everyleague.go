package host

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"agentleague/metrics"
	"agentleague/referee"
)

// The interval at which a referee of every league polls for new leagues, and the backoff after a league that refused
// it.
const (
	leaguePollInterval = time.Second
	refusalBackoff     = time.Minute
)

// A Leagues function returns the ids of the unfinished leagues of a manager.
type Leagues func(ctx context.Context) ([]string, error)

// RunEveryLeague serves a referee in every league of a manager, including later ones, until ctx ends. In each league it
// is a separate agent, with its own key, id and path on one shared port. MaxMatches limits the concurrent matches of
// all leagues together, shared fairly. The referee leaves a league that is over. Ready is called after the first
// registration.
func (h *Env) RunEveryLeague(ctx context.Context, f Referee, manager string, list Leagues,
	ready func(league, id, at string)) error {
	e, err := h.newEveryLeague(ctx, f, manager)
	if err != nil {
		return err
	}
	e.ready = ready
	look := time.NewTicker(leaguePollInterval)
	defer look.Stop()
	for {
		ids, err := list(ctx)
		if ctx.Err() == nil {
			e.join(ids, err)
		}
		select {
		case <-look.C:
		case <-ctx.Done():
			return e.leave()
		}
	}
}

// An everyLeague is one referee in all leagues of a manager.
type everyLeague struct {
	env     *Env
	agent   Referee
	manager string // without /mcp
	mux     *PathMux
	at      *Served
	stop    context.CancelFunc // ends the port and the pulse, after the agents
	beating sync.WaitGroup
	crew    *Crew
	log     *slog.Logger
	close   func() error
	ready   func(league, id, at string)

	mu      sync.Mutex
	in      map[string]time.Time // leagues that it is in, zero, or that it leaves alone until then
	trouble bool                 // the list could not be had the last time
}

// newEveryLeague opens the port of the referee.
func (h *Env) newEveryLeague(ctx context.Context, f Referee, manager string) (*everyLeague, error) {
	started, err := h.Config().StartReferee(f.ID)
	if err != nil {
		return nil, errors.Join(err, f.giveBack())
	}
	if f.MaxMatches == 0 {
		f.MaxMatches = max(started.MaxMatches, 2)
	}
	server := f.Taken
	if server == nil {
		if server, err = h.Net.Listen(f.Port, f.Name); err != nil {
			return nil, err
		}
	}
	if f.Listening != nil {
		f.Listening(server.URL())
	}
	e := &everyLeague{env: h, agent: f, manager: strings.TrimSuffix(manager, "/mcp"), mux: NewPathMux(),
		in: map[string]time.Time{}, crew: &Crew{Context: ctx, Fail: func(error) {}}}
	life, stop := context.WithCancel(context.WithoutCancel(ctx))
	e.stop = stop
	pulse := &referee.Pulse{}
	e.beating.Go(func() { pulse.Beat(life) })
	e.agent.Slots, e.agent.Pulse, e.agent.Taken, e.agent.Listening = referee.NewSlots(f.MaxMatches), pulse, nil, nil
	orchestrator, log := h.Orchestrator()
	e.log, e.close, e.crew.Log = orchestrator, log.Close, orchestrator
	e.mux.Open(server.URL(), http.HandlerFunc(e.serveSharedPort))
	e.at = Serve(life, server, e.mux)
	return e, nil
}

// serveSharedPort serves health and metrics of the shared port. It answers any other request outside of the leagues'
// paths with a 404 that describes the addresses of the agents.
func (e *everyLeague) serveSharedPort(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/health" {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"status":"ok","role":"referee"}` + "\n"))
		return
	}
	if r.URL.Path == metrics.AllPath || r.URL.Path == "/metrics" {
		e.env.HostCheck().Wrap(&e.env.Net.Figures).ServeHTTP(w, r)
		return
	}
	http.Error(w, "a referee of many leagues; it is at /r/LEAGUE_ID/mcp in each of them", http.StatusNotFound)
}

// join starts the referee in those of the leagues in which it is not running. Leagues that refused it are skipped
// during the backoff. err is the error of listing the leagues; it is logged once.
func (e *everyLeague) join(ids []string, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err != nil && !e.trouble {
		e.log.Warn("the leagues of the manager cannot be listed; trying again", slog.Any("error", err))
	}
	e.trouble = err != nil
	for _, id := range ids {
		if until, known := e.in[id]; known && (until.IsZero() || time.Now().Before(until)) {
			continue
		}
		e.in[id] = time.Time{}
		e.crew.Start(func(ready func(id, at string)) error { return e.serve(id, ready) })
	}
}

// serve runs the referee in one league and its later seasons until they are over.
func (e *everyLeague) serve(league string, ready func(id, at string)) error {
	f := e.agent
	f.LeagueID, f.Suffix, f.Shared, f.Path, f.Leaves = league, league, e.mux, "/r/"+league, true
	f.Follows = func(next string) {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.in[next] = time.Time{}
	}
	err := e.env.Of(e.env.League.After(league)).RunReferee(e.crew.Context, f, e.manager+"/leagues/"+league+"/mcp",
		func(id, at string) {
			ready(id, at)
			e.ready(league, id, at)
		})
	if err != nil {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.in[league] = time.Now().Add(refusalBackoff)
	}
	return err
}

// leave waits until the referee has left all leagues, and closes its port.
func (e *everyLeague) leave() error {
	e.crew.Wait()
	e.stop()
	e.beating.Wait()
	return errors.Join(<-e.at.Ended, e.close())
}
