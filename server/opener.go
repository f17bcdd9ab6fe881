package server

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"sync/atomic"

	"agentleague/host"
	"agentleague/league"
	"agentleague/league/manager"
	"agentleague/mailbox"
	"agentleague/mcpapp"
	"agentleague/metrics"
	"agentleague/oauth"
	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/rpc/workerpool"
	"agentleague/seat"
	"agentleague/store"
)

// An opener opens the leagues of a server from their configuration and closes them. The organizer sets its hooks.
type opener struct {
	*process
	placement Placement
	seats     *seats
	first     *League                // the first league, if it stays open; nil: it is opened like the others
	edit      func(*manager.Options) // changes the first league's configured options
	strict    bool                   // the first league's option applies to all leagues
	bots      []byte                 // the source of the keys of built-in agents; nil: their keys are in the root

	configure func(*League) error // hook before a league's manager is opened
	begin     func(*League)       // hook that starts the tasks of an open league

	shown   atomic.Int32    // the number of published leagues
	workers workerpool.Pool // for calls of all leagues to agents
	office  *mailbox.Office // of all leagues
	wires   *rpc.HTTP       // the shared connections for calls to agents: thousands of leagues need only a few
}

// open opens a league, or returns the first league if that stays open. rested reports whether this server closed the
// league because it was idle.
func (o *opener) open(id string, rested bool) (*League, error) {
	if o.first != nil && id == o.first.ID() {
		return o.first, nil
	}
	reading, err := o.placement.Acquire(id)
	if err != nil {
		return nil, err
	}
	settings, err := o.env.Config().League(id)
	if err != nil {
		return nil, err
	}
	endpoint := o.endpoint(id)
	l, err := newLeague(o.env.Of(settings), nil, func(m *manager.Options) {
		m.Reading = reading
		if id != o.env.League.LeagueID {
			m.Strict, m.Resumed = m.Strict || o.strict, rested
			return
		}
		endpoint = o.base + "/mcp"
		o.edit(m)
	})
	if err != nil {
		return nil, err
	}
	if err := o.moveIn(l, endpoint); err != nil {
		return nil, errors.Join(err, l.log.Close())
	}
	return l, nil
}

// moveIn opens a league with the given endpoint of its manager.
func (o *opener) moveIn(l *League, endpoint string) (err error) {
	m := &l.opts
	m.PublicEndpoint = o.outside(endpoint)
	if m.Network == nil {
		m.Network = o.wires
	}
	m.Mailboxes, m.Office, m.Guard.Named = o.office, o.office, o.base+"/mcp"
	files := store.NewProjector(l.Env.Root)
	files.ListsAgents = m.Profile.Rules().ListsAgents
	m.Endpoint, m.Holder, m.Projector = endpoint, endpoint, files
	agents, _ := l.Env.Config().Agents() // an unreadable file has no version
	m.Version = cmp.Or(agents.LeagueManager.Version, host.Version())
	m.Shown, m.Workers = &o.shown, &o.workers
	o.protect(l)
	m.Hold = m.Hold || l.Env.League.Bots != nil
	l.botSecret = o.bots
	if err := o.placement.Configure(l.ID(), m); err != nil {
		return err
	}
	if m.Reading || l.Env.Leagues().RecordsRemoved(l.ID()) { // no record is to be fetched
		m.Records, m.Room = nil, nil
	}
	if err := o.configure(l); err != nil {
		return err
	}
	m.KeepHead = func() error { return o.disk.KeepHead(l.life, m.LeagueID) }
	m.Intact, m.LookedAfter = func() error { return o.disk.Check(l.life, m.LeagueID) }, true
	l.life, l.end = context.WithCancelCause(o.life)
	m.Furnish = func() { o.furnish(l) }
	if l.Manager, err = manager.Open(l.life, l.figures.Engine(o.disk), *m); err != nil {
		return err
	}
	l.figures.Season(func() metrics.Season { return season(l.Manager) })
	context.AfterFunc(l.life, o.env.Net.Figures.Add(l.ID(), protocol.Manager, l.figures))
	l.mux.Open(endpoint, l.Manager.Node)
	o.placement.Opened(l.life, l)
	return nil
}

// furnish adds resources, tools for seats and views to the MCP server of a league's manager.
func (o *opener) furnish(l *League) {
	l.show()
	node := l.Manager.Node
	seat.AddTools(node.MCP(), seatsIn{o.seats, l.ID()}, host.BotNames(l.opts.Game.Type))
	mcpapp.Add(node.MCP(), mcpapp.Table, mcpapp.Turn)
	node.ListFor(func(ctx context.Context, from rpc.From) rpc.Audience { return o.audience(ctx, l, from) })
}

// audience returns the class of tools that a caller's tools/list contains, by its token. This is no access control:
// every tool call is authenticated.
func (o *opener) audience(ctx context.Context, l *League, from rpc.From) rpc.Audience {
	switch token := from.Token; {
	case token == "":
	case protocol.SameToken(token, l.opts.AdminToken):
		return rpc.ForAdmin
	case strings.HasPrefix(token, seat.KeyPrefix):
		if _, err := o.seats.Find(token); err == nil {
			return rpc.ForSeat
		}
	case l.knows(protocol.TokenOwner(token)):
		role, _ := protocol.ParseSender(protocol.TokenOwner(token))
		return rpc.Audience(role)
	case l.grants(ctx, token):
		return rpc.ForAdmin
	}
	return rpc.ForGuest
}

// protect accepts tokens of the authorization server as the admin's in a league. Unauthorized callers of the admin's
// tools get a challenge that names that server.
func (o *opener) protect(l *League) {
	if o.issuer == nil {
		return
	}
	m, base := &l.opts, cmp.Or(o.public, o.base)
	path := strings.TrimPrefix(m.Endpoint, o.base)
	r := &oauth.Resource{
		Issuer: o.issuer, ID: base + path, Metadata: base + oauth.WellKnown + path, Name: "League manager of " + m.LeagueID,
	}
	if path != "/mcp" {
		r.Whole = base + "/mcp"
	}
	l.resource = r
	m.Grants = func(ctx context.Context, token string) (string, error) {
		grant, err := r.Grant(ctx, token)
		return grant.Name(), err
	}
	m.Challenge = challenger(r, m, func(what, addr string) { l.Manager.Suspect(what, addr) })
}

// letGo waits until the tasks of a league have ended after the cancellation of its context, and closes the league's
// files.
func (o *opener) letGo(l *League) error {
	o.seats.close(l)
	err := l.wait()
	if disk, ok := o.disk.(rester); ok {
		err = errors.Join(err, disk.Rest(context.WithoutCancel(o.life), l.ID()))
	}
	return err
}

// A rester is a storage engine that can close the files of an unused log.
type rester interface {
	// Rest closes the engine's open files of a log. The next use opens them again.
	Rest(ctx context.Context, log string) error
}

// rests reports whether a league is idle: it has no work until the next request arrives.
func (o *opener) rests(l *League) bool {
	return l.busy.Load() == 0 && !o.seats.has(l.ID()) && l.Manager.Idle()
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
