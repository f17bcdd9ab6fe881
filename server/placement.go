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

// A Placement decides which process runs a league. Without one, a server runs all leagues of its root itself. Its
// methods are safe for concurrent use.
type Placement interface {
	// Acquire prepares the opening of a league in this process and reports whether the league is only read. It returns
	// [ErrElsewhere] for a league of another process.
	Acquire(id string) (reading bool, err error)
	// Configure changes the options of a league before it is opened.
	Configure(id string, o *manager.Options) error
	// Opened is called after each opening of a league. Ctx ends when the league is closed.
	Opened(ctx context.Context, l *League)

	// Create creates a league. An existing one is [store.ErrLeagueExists].
	Create(ctx context.Context, id string, edit func(*config.League)) error
	// Start opens a created league in the process that runs it.
	Start(id string) error
	// Archive archives a league for all processes, or restores it.
	Archive(ctx context.Context, id string, away bool) error

	// State returns the state of a league by its protocol name; changing reports whether it may be outdated.
	State(id string) (state string, changing bool)
	// Remote summarizes a league of another process for the pages.
	Remote(id string) (web.Season, bool)

	// Route returns the handler of all requests other than probes; here answers those for leagues of this process.
	Route(here http.Handler) http.Handler
	// ServeFirst answers a request without a league in its path.
	ServeFirst(w http.ResponseWriter, r *http.Request)
	// Addressee returns the league of a request, where id is the league in its path, or "". The first league is "" if
	// this process always has it open. Here is false unless this process runs the league.
	Addressee(id string, body []byte) (to string, here bool)

	// Healthy returns the reason why other processes may take over the leagues of this one, or nil.
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
func (*local) Healthy() error                                       { return nil }
func (*local) Leave() error                                         { return nil }

// Acquire opens a finished league only for reading.
func (p *local) Acquire(id string) (reading bool, err error) {
	return store.IsOver(p.first.Env.Root, id), nil
}

// Create writes the settings of a league.
func (p *local) Create(_ context.Context, id string, edit func(*config.League)) error {
	_, err := p.first.Env.Leagues().Create(id, edit)
	return err
}

// Start leaves a finished league closed until the first request.
func (p *local) Start(id string) error {
	p.leagues.Register(id)
	if store.IsOver(p.first.Env.Root, id) {
		return nil
	}
	_, err := p.leagues.Visit(id)
	return err
}
