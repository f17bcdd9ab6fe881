package cli

import (
	"context"
	"errors"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"

	"agentleague/engine/journal"
	"agentleague/host"
	"agentleague/league"
	"agentleague/metrics"
	"agentleague/rpc"
	"agentleague/seat"
	"agentleague/store"
	"agentleague/web"
)

// A campus is the leagues of one manager process, on one port:
//
//	/mcp, /health, /metrics, /p/P01/mcp …        the first league, that of the root or of --league-id
//	/leagues/{id}/mcp, /leagues/{id}/health …    any league
//	/, /leagues/{id}, /api/v1/ …                 the pages
//
// What comes to /mcp and names another league of the campus reaches that one.
// Each league has its own log and secrets, agents and figures. One that is over
// is opened when somebody asks for it, and only to be read.
type campus struct {
	first  *hall
	at     *host.Served
	site   http.Handler // the pages
	seats  *seats       // that people and models play from
	life   context.Context
	disk   *journal.Engine
	prover *prover // for the page
	base   string  // its address, without a path

	creating sync.Mutex     // one league is made at a time
	opening  sync.WaitGroup // leagues that are being opened
	errands  sync.WaitGroup // what the pages do in the background

	mu     sync.RWMutex
	sites  map[string]*site
	order  []string // the first league, then in the order of creation
	closed bool     // no further league is opened
	away   string   // in a sentence, which log is not where it was when the leagues were drained
}

var _ web.Host = (*campus)(nil)

// A site is the place of a league on a campus, whether it is open or not.
type site struct {
	once   sync.Once
	open   func() (*hall, error)
	opened chan struct{} // closed when it is, or could not be
	hall   *hall
	err    error
}

// openCampus takes the first league over and serves it. It ends with ctx.
func openCampus(ctx context.Context, h *host.Env, port int, shared *host.PathMux, edit func(*league.Options)) (*campus, error) {
	c := &campus{life: ctx, seats: newSeats(ctx), sites: map[string]*site{}, prover: newProver(os.DirFS(h.Dir()))}
	first, err := newHall(h, shared, func(o *league.Options) {
		edit(o)
		o.Elsewhere, o.Create = c.elsewhere, c.ordered
	})
	if err != nil {
		return nil, err
	}
	if c.disk, err = journal.Open(h.DataDir(), journal.Options{Logger: first.opts.Logger}); err != nil {
		return nil, err
	}
	server, err := c.take(h, port)
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
	c.first = first
	c.add(first.opts.LeagueID, func() (*hall, error) { return first, nil })
	c.site = rpc.Visitors{Hosts: []string{h.Net.Host}}.Let(c.pages())
	c.at = host.Serve(ctx, server, c)
	if _, err := c.visit(first.opts.LeagueID); err != nil {
		return nil, err
	}
	return c, nil
}

// take takes the port, on a disk that is not full.
func (c *campus) take(h *host.Env, port int) (*rpc.Server, error) {
	if err := h.HasRoom(); err != nil {
		return nil, err
	}
	return h.Net.Listen(port, "the manager")
}

// moveIn opens a league at an endpoint.
func (c *campus) moveIn(l *hall, endpoint string) (err error) {
	o := &l.opts
	o.Endpoint, o.Holder, o.Projector = endpoint, endpoint, store.NewProjector(l.house.Root, endpoint, host.Version())
	o.Hold = o.Hold || l.house.League.House != nil
	if o.Reading { // all records are there
		o.Records, o.Room = nil, nil
	}
	o.Intact = func() error { return c.disk.Check(c.life, o.LeagueID) }
	if l.manager, err = league.Open(c.life, l.figures.Engine(c.disk), *o); err != nil {
		return err
	}
	l.figures.Season(func() metrics.Season { return season(l.manager) })
	l.show(c.life)
	l.mux.Open(endpoint, l.manager.Node)
	seat.AddTools(l.manager.Node.MCP(), seatsIn{c.seats, o.LeagueID})
	return nil
}

// add puts a league on the campus, to be opened when somebody comes for it.
func (c *campus) add(id string, open func() (*hall, error)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sites[id] == nil {
		c.sites[id] = &site{open: open, opened: make(chan struct{})}
		c.order = append(c.order, id)
	}
}

// place returns that of a league, or nil.
func (c *campus) place(id string) *site {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.sites[id]
}

// errNoLeague says that a league is not on a campus.
var errNoLeague = errors.New("no such league is here")

// visit returns a league, which is opened if it was not.
func (c *campus) visit(id string) (*hall, error) {
	s := c.place(id)
	if s == nil {
		return nil, errNoLeague
	}
	s.once.Do(func() {
		defer close(s.opened)
		if s.err = c.enter(); s.err != nil {
			return
		}
		defer c.opening.Done()
		if s.hall, s.err = s.open(); s.err == nil {
			s.hall.staff(c.life)
			c.seats.open(s.hall)
		}
	})
	return s.hall, s.err
}

// enter lets a league be opened unless the campus is closed.
func (c *campus) enter() error {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.closed {
		return errors.New("the manager is about to end; ask again when it is back")
	}
	c.opening.Add(1)
	return nil
}

// close lets no further league be opened, and returns when those that are being opened are.
func (c *campus) close() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.opening.Wait()
}

// elsewhere returns a league of the campus to which a message is for that came to the first.
func (c *campus) elsewhere(id string) *league.Manager {
	m, _ := c.League(id)
	return m
}

// open opens a league besides the first.
func (c *campus) open(id string, reading bool) (*hall, error) {
	settings, err := c.first.house.Config().League(id)
	if err != nil {
		return nil, err
	}
	l, err := newHall(c.first.house.Of(settings), nil, func(o *league.Options) {
		o.Strict, o.Reading = c.first.opts.Strict, reading
	})
	if err != nil {
		return nil, err
	}
	if err := c.moveIn(l, c.endpoint(id)); err != nil {
		return nil, errors.Join(err, l.log.Close())
	}
	return l, nil
}

// endpoint is where a league besides the first is reached.
func (c *campus) endpoint(id string) string { return c.base + "/leagues/" + id + "/mcp" }

// Leagues lists the leagues of the campus: the first, and the others in the order of their creation.
func (c *campus) Leagues() []string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return slices.Clone(c.order)
}

// League returns the manager of a league.
func (c *campus) League(id string) (*league.Manager, bool) {
	l, err := c.visit(id)
	if err != nil {
		return nil, false
	}
	return l.manager, true
}

// halls lists the leagues that are open.
func (c *campus) halls() (out []*hall) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, id := range c.order {
		s := c.sites[id]
		select {
		case <-s.opened:
			if s.err == nil {
				out = append(out, s.hall)
			}
		default:
		}
	}
	return out
}

// busy reports whether a league is not over.
func (c *campus) busy() bool {
	return slices.ContainsFunc(c.halls(), func(l *hall) bool { return !l.over() })
}

// finish has the other leagues, those that are not over, finish what they have in hand.
func (c *campus) finish() {
	if !c.busy() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	c.drain(ctx)
}

// drain has every league finish what it has in hand. None is opened any more.
func (c *campus) drain(ctx context.Context) {
	c.close()
	var leaving sync.WaitGroup
	for _, l := range c.halls() {
		leaving.Go(func() { drained(l.manager)(ctx) })
	}
	leaving.Wait()
	for _, l := range c.halls() {
		if away := l.manager.Away(); away != "" {
			c.away = away
		}
	}
}

// wait returns when all leagues have come to rest after the campus has ended.
func (c *campus) wait() error {
	c.close()
	var errs []error
	for _, l := range c.halls() {
		errs = append(errs, l.wait())
	}
	c.seats.wait()
	errs = append(errs, <-c.at.Ended)
	c.errands.Wait() // nobody asks for more
	return errors.Join(append(errs, c.disk.Close())...)
}

// season counts what the metrics of a manager show of its league.
func season(m *league.Manager) metrics.Season {
	now := metrics.Season{Agents: map[metrics.Group]int{}}
	m.Read(func(s *league.State) {
		now.Results = s.Recorded
		for _, a := range s.Agents {
			now.Agents[metrics.Group{Role: a.Role, State: a.State}]++
		}
	})
	return now
}
