package server

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"agentleague/engine/engines"
	"agentleague/host"
	"agentleague/league/manager"
	"agentleague/rpc"
	"agentleague/verify"
)

// A Server serves the leagues of one manager process on one port:
//
//	/mcp, /health, /metrics, /p/P01/mcp …        the first league, that of the root or of --league-id
//	/leagues/{id}/mcp, /leagues/{id}/health …    any league
//	/, /leagues/{id}, /api/v1/ …                 the pages
//	/livez, /readyz                              liveness and readiness probes
//	/metrics/leagues                             the metrics of all open leagues
//
// A message to /mcp that names another league of the server is forwarded to it. Each league has its own log, secrets,
// agents and metrics. A finished league is opened on demand, read-only. An idle league is closed after a while and
// opened again on demand. Calls go down:
//
//	Server ─▶ Pages ─▶ Organizer ─▶ Leagues ─▶ opener ─▶ seats ─▶ League
//	   └──────────┴────────┴── Placement ──────────┘
type Server struct {
	*process
	First     *League // the default if a request names none; nil: another process may run it
	At        *host.Served
	Away      string // names the log that was missing when the leagues were drained, in a sentence
	Leagues   *Leagues
	Organizer *Organizer

	placement Placement
	opener    *opener
	seats     *seats
	mail      *mailboxes
	port      *rpc.Server
	front     http.Handler // all requests other than probes
	pages     http.Handler
	allOpen   atomic.Bool // all leagues to be opened at the start are open
}

// Options configure a server.
type Options struct {
	Port   int
	Shared *host.PathMux          // where agents of the first league share the port; nil: they do not
	Edit   func(*manager.Options) // changes the first league's configured options; nil: no change
	Engine engines.Choice         // the storage engine of logs and secrets; default: a journal in the root's data folder
}

// Patience limits the wait for open matches at a shutdown.
const Patience = 35 * time.Second // so that a process ends within 40

// recordsTimeout limits the wait for the records of the last matches at a shutdown: the referees may be gone.
const recordsTimeout = 5 * time.Second

// Open opens the first league and serves it, with the other leagues of the data directory on demand. The server ends
// with ctx.
func Open(ctx context.Context, h *host.Env, o Options) (*Server, error) {
	first, err := newLeague(h, o.Shared, o.edit)
	if err != nil {
		return nil, err
	}
	disk, err := o.Engine.Open(ctx, h.DataDir(), first.opts.Logger)
	if err != nil {
		return nil, err
	}
	here := &local{first: first}
	s, err := New(ctx, h, o, Setup{Placement: here, Disk: disk, Logger: first.opts.Logger})
	if err != nil {
		return nil, errors.Join(err, disk.Close())
	}
	here.leagues, s.First, s.opener.first = s.Leagues, first, first
	if err := s.opener.moveIn(first, s.port.URL()); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.Leagues.Register(first.ID())
	s.Leagues.place(first.ID()).stays = true
	if err := s.Serve(); err != nil {
		return nil, err
	}
	s.background.Go(func() { s.Leagues.lookAfter(h.HasRoom) })
	return s, nil
}

// edit applies the options to the configured options of the first league.
func (o Options) edit(m *manager.Options) {
	if o.Edit != nil {
		o.Edit(m)
	}
}

// A Setup holds the parts of a server that its placement determines.
type Setup struct {
	Placement Placement
	Disk      engines.Engine // closed by the server, unless [New] fails
	Logger    *slog.Logger   // for events that concern no single league
	Sessions  []byte         // the key of the admin's sessions on the pages; nil: a new one
	Bots      []byte         // the source of the keys of built-in agents; nil: their keys are in the data directory
}

// New opens the port of a server, which answers after [Server.Serve] is called. The server ends with ctx.
func New(ctx context.Context, h *host.Env, o Options, with Setup) (*Server, error) {
	usual, err := ManagerOptions(h)
	if err != nil {
		return nil, err
	}
	o.edit(&usual)
	if err := h.HasRoom(); err != nil {
		return nil, err
	}
	port, err := h.Net.Listen(o.Port, "the manager")
	if err != nil {
		return nil, err
	}
	usual.Guard.Named, h.Net.Guard.Named = port.URL(), port.URL() // built-in agents are there
	if err := with.Disk.HeldAt(port.URL()); err != nil {
		return nil, errors.Join(err, port.Close())
	}
	p := &process{
		env: h, life: ctx, logger: with.Logger, disk: with.Disk, base: strings.TrimSuffix(port.URL(), "/mcp"),
		public: h.Net.Public, prefix: prefixOf(h.Net.Public), issuer: newIssuer(h.Net.AuthServer, h.Net.Trust, with.Logger),
	}
	s := &Server{process: p, port: port, placement: with.Placement, mail: newMailboxes(p, with.Placement.Others)}
	usual.Mailboxes = s.mail.office
	s.seats = newSeats(h.System.Security.SeatsPerAddress, func(id string) (*League, error) { return s.Leagues.Visit(id) })
	s.opener = &opener{
		process: p, placement: with.Placement, seats: s.seats, edit: o.edit, strict: usual.Strict, bots: with.Bots,
		wires: rpc.NewNetwork(usual.Options), office: s.mail.office,
	}
	context.AfterFunc(ctx, s.opener.workers.Close)
	s.Leagues = &Leagues{over: ctx, opener: s.opener, all: map[string]*place{}}
	s.mail.leagues = s.Leagues
	s.Organizer = &Organizer{process: p, placement: with.Placement, leagues: s.Leagues, ready: make(chan struct{})}
	s.opener.configure, s.opener.begin = s.Organizer.configure, s.Organizer.begin
	pages := &leaguePages{p, with.Placement, s.Leagues, s.Organizer, s.seats, verify.NewProver(os.DirFS(h.Dir()))}
	s.pages = pages.handler(usual.AdminToken, with.Sessions)
	s.front = with.Placement.Route(http.HandlerFunc(s.serveHere))
	return s, nil
}

// Serve starts to answer requests, and starts the tasks of the first league if that stays open. It does not block.
func (s *Server) Serve() error {
	s.At = host.Serve(s.life, s.port, s)
	if s.First != nil {
		if _, err := s.Leagues.Visit(s.First.ID()); err != nil {
			return err
		}
	}
	close(s.Organizer.ready)
	s.background.Go(s.Leagues.sweep)
	s.background.Go(s.removeRecords)
	return nil
}

// Close closes the port and the engine of a server that was not served.
func (s *Server) Close() error { return errors.Join(s.port.Close(), s.disk.Close()) }

// Endpoint returns the address of the first league, the public one if it is configured.
func (s *Server) Endpoint() string { return s.reachedAt(s.At.URL) }

// Finish drains all open leagues, for at most Patience, unless every one of them is over.
func (s *Server) Finish() {
	if !s.Leagues.Busy() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	s.Drain(ctx)
}

// Drain waits for the open matches of every league, until ctx ends, and rejects further openings.
func (s *Server) Drain(ctx context.Context) {
	s.Leagues.shutDown()
	var leaving sync.WaitGroup
	for _, l := range s.Leagues.Running() {
		leaving.Go(func() {
			_ = l.Manager.Orders.Drain(ctx, "an interrupt of the manager's process")
			settle, cancel := context.WithTimeout(ctx, recordsTimeout)
			defer cancel()
			l.Manager.Settle(settle)
		})
	}
	leaving.Wait()
	for _, l := range s.Leagues.Running() {
		if away := l.Manager.Away(); away != "" {
			s.Away = away
		}
	}
}

// Wait blocks until the HTTP server, all leagues and all players that are controlled from seats have ended, then closes
// the storage. It does not make the server end. It returns all errors, joined.
func (s *Server) Wait() error {
	s.Leagues.shutDown()
	var errs []error
	for _, l := range s.Leagues.Running() {
		errs = append(errs, l.wait())
	}
	s.seats.wait()
	errs = append(errs, <-s.At.Ended)
	s.background.Wait() // no further request arrives
	return errors.Join(append(errs, s.placement.Leave(), s.disk.Close())...)
}
