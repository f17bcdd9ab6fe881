package server

import (
	"context"
	"errors"
	"net/http"

	"agentleague/config"
	"agentleague/league/manager"
	"agentleague/store"
	"agentleague/web"
)

// A Placement decides which process runs a league. The default runs all leagues in this process. Its methods are safe
// for concurrent use.
type Placement interface {
	// Acquire prepares the opening of a league in this process. reading reports whether the league must be opened
	// read-only. The error is [ErrElsewhere] if another process runs the league.
	Acquire(id string) (reading bool, err error)
	// Configure changes the options of a league before it is opened.
	Configure(id string, o *manager.Options) error
	// Opened is called after each opening of a league. ctx ends when that league is closed.
	Opened(ctx context.Context, l *League)

	// Create creates a league. edit changes the default settings. If the league exists the error is
	// [store.ErrLeagueExists].
	Create(ctx context.Context, id string, edit func(*config.League)) error
	// Start makes the process that is responsible for a created league open it.
	Start(id string) error
	// Archive archives a league for all processes, or restores it.
	Archive(ctx context.Context, id string, away bool) error

	// State returns the state of a league by its protocol name. changing reports whether the state may be outdated.
	State(id string) (state string, changing bool)
	// Remote returns a summary, for the pages, of a league that another process runs; false if there is none.
	Remote(id string) (web.Season, bool)

	// Route returns the handler of all requests except probes. It calls here for leagues of this process.
	Route(here http.Handler) http.Handler
	// ServeFirst answers a request without a league in its path.
	ServeFirst(w http.ResponseWriter, r *http.Request)
	// Addressee returns the league that a request is for, given the league in its path (or "") and its body. The result
	// "" is the first league, if this process always has it open. here reports whether this process runs the league.
	Addressee(id string, body []byte) (to string, here bool)

	// Others returns the addresses of the other managers that a league may move to, without a path.
	Others() []string
	// Healthy returns nil, or the reason why other processes may take over this one's leagues.
	Healthy() error
	// Leave ends the placement's tasks after all leagues have been closed.
	Leave() error
}

// ErrElsewhere means that another process runs a league.
var ErrElsewhere = errors.New("another manager of the cluster runs the league")

// local runs all leagues in this process. The first league stays open.
type local struct {
	leagues *Leagues
	first   *League
}

func (*local) Configure(string, *manager.Options) error             { return nil }
func (*local) Opened(context.Context, *League)                      {}
func (*local) Archive(context.Context, string, bool) error          { return nil }
func (p *local) State(id string) (state string, changing bool)      { return p.leagues.State(id) }
func (*local) Remote(string) (web.Season, bool)                     { return nil, false }
func (*local) Route(here http.Handler) http.Handler                 { return here }
func (p *local) ServeFirst(w http.ResponseWriter, r *http.Request)  { p.first.ServeHTTP(w, r) }
func (*local) Addressee(id string, _ []byte) (to string, here bool) { return id, true }
func (*local) Others() []string                                     { return nil }
func (*local) Healthy() error                                       { return nil }
func (*local) Leave() error                                         { return nil }

// Acquire returns reading = true for finished leagues, which are opened read-only.
func (p *local) Acquire(id string) (reading bool, err error) {
	return store.IsOver(p.first.Env.Root, id), nil
}

// Create writes the settings of a league.
func (p *local) Create(_ context.Context, id string, edit func(*config.League)) error {
	_, err := p.first.Env.Leagues().Create(id, edit)
	return err
}

// Start opens a league unless it is finished: that is opened by the first request.
func (p *local) Start(id string) error {
	p.leagues.Register(id)
	if store.IsOver(p.first.Env.Root, id) {
		return nil
	}
	_, err := p.leagues.Visit(id)
	return err
}
