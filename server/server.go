package server

import (
	"cmp"
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
	"agentleague/league"
	"agentleague/league/manager"
	"agentleague/mcpapp"
	"agentleague/metrics"
	"agentleague/oauth"
	"agentleague/rpc"
	"agentleague/rpc/workerpool"
	"agentleague/seat"
	"agentleague/store"
	"agentleague/verify"
	"agentleague/web"
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
// opened again on demand.
type Server struct {
	First *League // the default if a request names none; nil in a cluster, where any manager may run it
	At    *host.Served
	*places
	probes
	Away string // names the log that was missing when the leagues were drained, in a sentence

	shared *shared         // its part in a cluster; nil: it is alone
	env    *host.Env       // of the first league, whichever manager runs it
	usual  manager.Options // the configured options of the first league
	logger *slog.Logger    // for events that concern no single league
	site   http.Handler    // the pages
	seats  *seats          // that people and models play from
	life   context.Context
	disk   engines.Engine // shared by all leagues; the server closes it
	prover *verify.Prover // for the page
	base   string         // its address, without a path
	public string         // the address for external clients; "": the same
	prefix string         // the path of that
	issuer *oauth.Issuer  // the issuer of tokens that count as the admin's; nil: none

	creating   sync.Mutex      // serializes the creation of leagues
	dialing    sync.Once       // guards wires
	shown      atomic.Int32    // the number of published leagues
	workers    workerpool.Pool // for calls of all leagues to agents
	wires      *rpc.HTTP       // the shared connections for calls to agents: thousands of leagues need only a few
	background sync.WaitGroup  // the background tasks of the pages
	ready      chan struct{}   // closed when the first league is served
	played     sync.Map        // the seasons that are over, by the ids of their leagues
}

var _ web.Host = (*Server)(nil)

// Options configure a server.
type Options struct {
	Port   int
	Shared *host.PathMux          // where agents of the first league share the port; nil: they do not
	Edit   func(*manager.Options) // changes the first league's configured options; nil: no change

	Engine engines.Choice    // the storage engine of logs and secrets; default: a journal in the root's data folder
	Say    func(line string) // receives a line for each league of a cluster that arrives or leaves; nil: discarded
}

// Patience limits the time for matches in hand to end.
const Patience = 40 * time.Second

// settleWithin limits the wait of an ending server for the records of the last matches: the referees may be gone.
const settleWithin = 5 * time.Second

// newServer returns a server that serves nothing yet.
func newServer(ctx context.Context, h *host.Env) *Server {
	c := &Server{
		life: ctx, prover: verify.NewProver(os.DirFS(h.Dir())),
		ready: make(chan struct{}), public: h.Net.Public, prefix: prefixOf(h.Net.Public),
		issuer: newIssuer(h.Net.AuthServer, h.Net.Trust), env: h,
	}
	context.AfterFunc(ctx, c.workers.Close)
	c.places = newPlaces(ctx, c.settle, c.letGo)
	c.seats = newSeats(c.visit)
	return c
}

// Open takes over the first league and serves it; on a shared engine it serves the leagues that the cluster assigns
// to it. It ends with ctx.
func Open(ctx context.Context, h *host.Env, options Options) (*Server, error) {
	if options.Engine.Shared() {
		return openShared(ctx, h, options)
	}
	c := newServer(ctx, h)
	first, err := newLeague(h, options.Shared, func(o *manager.Options) {
		if options.Edit != nil {
			options.Edit(o)
		}
		o.Elsewhere, o.Create = c.elsewhere, c.ordered
	})
	if err != nil {
		return nil, err
	}
	c.usual, c.logger = first.opts, first.opts.Logger
	if c.disk, err = options.Engine.Open(ctx, h.DataDir(), c.logger); err != nil {
		return nil, err
	}
	server, err := c.take(h, options.Port)
	if err != nil {
		return nil, errors.Join(err, c.disk.Close())
	}
	c.base = strings.TrimSuffix(server.URL(), "/mcp")
	if err = c.disk.HeldAt(server.URL()); err == nil {
		err = c.moveIn(first, server.URL())
	}
	if err != nil {
		return nil, errors.Join(err, server.Close(), c.disk.Close())
	}
	c.First = first
	c.watchIssuer()
	c.add(first.opts.LeagueID, func() (*League, error) { return first, nil })
	c.place(first.opts.LeagueID).stays = true
	c.site = rpc.HostCheck{Hosts: h.Net.Names()}.Wrap(c.pages())
	c.At = host.Serve(ctx, server, c)
	if _, err := c.visit(first.opts.LeagueID); err != nil {
		return nil, err
	}
	close(c.ready)
	c.background.Go(func() { c.sweep(c.rests, c.logger) })
	c.background.Go(func() { c.lookAfter(c.env.HasRoom) })
	return c, nil
}

// take opens the port, after checking that the disk is not full.
func (c *Server) take(h *host.Env, port int) (*rpc.Server, error) {
	if err := h.HasRoom(); err != nil {
		return nil, err
	}
	return h.Net.Listen(port, "the manager")
}

// moveIn opens a league at an endpoint.
func (c *Server) moveIn(l *League, endpoint string) (err error) {
	o := &l.opts
	o.PublicEndpoint = c.outside(endpoint)
	if c.dialing.Do(func() { c.wires = rpc.NewNetwork(o.Options) }); o.Network == nil {
		o.Network = c.wires
	}
	o.Endpoint, o.Holder, o.Projector = endpoint, endpoint, store.NewProjector(l.Env.Root)
	o.Version = version(l.Env)
	o.Shown, o.Workers = &c.shown, &c.workers
	c.protect(l)
	o.Hold = o.Hold || l.Env.League.Bots != nil
	if c.shared != nil {
		if err := c.shared.keepRecords(l); err != nil {
			return err
		}
	}
	if o.Reading { // all records are stored
		o.Records, o.Room = nil, nil
	}
	if err := c.inSeasons(l); err != nil {
		return err
	}
	o.KeepHead = func() error { return c.disk.KeepHead(l.life, o.LeagueID) }
	o.Intact, o.LookedAfter = func() error { return c.disk.Check(l.life, o.LeagueID) }, true
	l.life, l.end = context.WithCancelCause(c.life)
	o.Furnish = func() { c.furnish(l) }
	if l.Manager, err = manager.Open(l.life, l.figures.Engine(c.disk), *o); err != nil {
		return err
	}
	if c.shared != nil && o.Reading {
		c.shared.project(l)
	}
	l.figures.Season(func() metrics.Season { return season(l.Manager) })
	l.mux.Open(endpoint, l.Manager.Node)
	return nil
}

// furnish adds resources, seats and views to the MCP side of a league's manager.
func (c *Server) furnish(l *League) {
	l.show()
	node := l.Manager.Node
	seat.AddTools(node.MCP(), seatsIn{c.seats, l.ID()}, host.BotNames(l.opts.Game.Type))
	mcpapp.Add(node.MCP(), mcpapp.Table, mcpapp.Turn)
	node.ListFor(func(ctx context.Context, from rpc.From) rpc.Audience { return c.audience(ctx, l, from) })
}

// version returns the manager's version from its configuration, or that of the program.
func version(h *host.Env) string {
	agents, err := h.Config().Agents()
	if err != nil {
		return host.Version()
	}
	return cmp.Or(agents.LeagueManager.Version, host.Version())
}

// elsewhere returns another league, to which a message that reached the first league is forwarded.
func (c *Server) elsewhere(id string) manager.OtherLeague {
	l, err := c.visit(id)
	if errors.Is(err, errNotMine) {
		return c.abroad(id)
	}
	if err != nil {
		return nil
	}
	return l.Manager
}

// abroad returns a league of the cluster that another manager runs. Any manager of the cluster relays to it.
func (c *Server) abroad(id string) manager.OtherLeague {
	return manager.Abroad(id, cmp.Or(c.outside(c.endpoint(id)), c.endpoint(id)))
}

// open opens a league other than the first; a finished league is opened read-only.
func (c *Server) open(id string) (*League, error) {
	reading := store.IsOver(c.env.Root, id) && (c.shared == nil || c.shared.over(id))
	settings, err := c.env.Config().League(id)
	if err != nil {
		return nil, err
	}
	l, err := newLeague(c.env.Of(settings), nil, func(o *manager.Options) {
		o.Strict, o.Reading, o.Resumed = o.Strict || c.usual.Strict, reading, c.restedAt(id)
		o.Elsewhere = c.sibling(settings)
	})
	if err != nil {
		return nil, err
	}
	if err := c.moveIn(l, c.endpoint(id)); err != nil {
		return nil, errors.Join(err, l.log.Close())
	}
	return l, nil
}

// endpoint returns the address of a league other than the first.
func (c *Server) endpoint(id string) string { return c.base + "/leagues/" + id + "/mcp" }

// League returns the manager of a league, for the pages.
func (c *Server) League(id string) (web.Season, bool) {
	l, err := c.visit(id)
	if errors.Is(err, errNotMine) {
		return c.shared.faraway(id)
	}
	if err != nil {
		return nil, false
	}
	return l.Manager, true
}

// Finish lets the other unfinished leagues finish their matches in hand.
func (c *Server) Finish() {
	if !c.Busy() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	c.Drain(ctx)
}

// Drain lets every league finish its matches in hand, and permits no further opening.
func (c *Server) Drain(ctx context.Context) {
	c.shutDown()
	var leaving sync.WaitGroup
	for _, l := range c.Running() {
		leaving.Go(func() {
			_ = l.Manager.Drain(ctx, "an interrupt of the manager's process")
			settle, cancel := context.WithTimeout(ctx, settleWithin)
			defer cancel()
			l.Manager.Settle(settle)
		})
	}
	leaving.Wait()
	for _, l := range c.Running() {
		if away := l.Manager.Away(); away != "" {
			c.Away = away
		}
	}
}

// Wait returns when all leagues have ended after the end of the server.
func (c *Server) Wait() error {
	c.shutDown()
	var errs []error
	for _, l := range c.Running() {
		errs = append(errs, l.wait())
	}
	c.seats.wait()
	errs = append(errs, <-c.At.Ended)
	c.background.Wait() // no further request arrives
	if c.shared != nil {
		errs = append(errs, c.shared.leave())
	}
	return errors.Join(append(errs, c.disk.Close())...)
}

// season collects the metrics of a manager's league.
func season(m *manager.Manager) metrics.Season {
	now := metrics.Season{Agents: map[metrics.Group]int{}}
	m.Read(func(s *league.State) {
		now.Results = s.Recorded
		for _, a := range s.Agents {
			now.Agents[metrics.Group{Role: a.Role, State: a.State}]++
		}
	})
	return now
}
