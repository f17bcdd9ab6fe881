package server

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"agentleague/cluster"
	"agentleague/cluster/shelf"
	"agentleague/config"
	"agentleague/engine"
	"agentleague/host"
	"agentleague/league"
	"agentleague/league/manager"
	"agentleague/metrics"
	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/server/faraway"
	"agentleague/server/relay"
	"agentleague/store"
	"agentleague/web"
)

// A shared is the cluster part of a server on a shared engine: it runs the leagues that the cluster assigns to it,
// and relays requests for the others.
type shared struct {
	*Server
	owners
	relay  *relay.Relay
	edit   func(*manager.Options) // for the first league
	say    func(line string)
	log    *store.Log
	keeper keeper
	far    sync.Map // summaries of the leagues that other managers run, by id

	bots     []byte         // the source of the keys of built-in agents
	sessions []byte         // the key of the admin's sessions on the pages
	figures  *metrics.Agent // the metrics of the process; those of a league have their own path
}

// openShared joins a cluster and runs the leagues that are assigned to this manager. It ends with ctx.
func openShared(ctx context.Context, h *host.Env, options Options) (_ *Server, err error) {
	c := newServer(ctx, h)
	s := &shared{Server: c, edit: options.Edit, say: options.Say, log: h.SystemLog(slog.LevelInfo), figures: metrics.New()}
	c.shared, c.logger = s, h.Logger(s.log, protocol.Manager)
	if s.say == nil {
		s.say = func(string) {}
	}
	if c.disk, err = options.Engine.Open(ctx, h.DataDir(), c.logger); err != nil {
		return nil, err
	}
	at, err := s.prepare(ctx, options.Port)
	if err != nil {
		return nil, errors.Join(err, c.disk.Close())
	}
	if err := s.join(ctx); err != nil {
		return nil, errors.Join(err, at.Close(), c.disk.Close())
	}
	c.watchIssuer()
	c.site = rpc.HostCheck{Hosts: h.Net.Names()}.Wrap(c.pages())
	s.look()
	c.At = host.Serve(ctx, at, c)
	close(c.ready)
	c.Opened() // the leagues of this manager vary over time
	c.background.Go(s.follow)
	c.background.Go(s.level)
	c.background.Go(func() { c.sweep(c.rests, c.logger) })
	return c, nil
}

// prepare fetches the secrets that all managers of the cluster share, and opens the port.
func (s *shared) prepare(ctx context.Context, port int) (*rpc.Server, error) {
	if err := s.takeAdminToken(ctx); err != nil {
		return nil, err
	}
	if _, err := s.disk.Secret(ctx, manager.RefereeSecret); err != nil { // the root's referees present it
		return nil, err
	}
	key, err := s.disk.Secret(ctx, "relay")
	if err != nil {
		return nil, err
	}
	s.relay = relay.New(key, s.env.Net.Trust)
	for name, secret := range map[string]*[]byte{"sessions": &s.sessions, "bots": &s.bots} {
		if *secret, err = s.disk.Secret(ctx, name); err != nil {
			return nil, err
		}
	}
	if s.usual, err = ManagerOptions(s.env); err != nil {
		return nil, err
	}
	if s.edit != nil {
		s.edit(&s.usual)
	}
	at, err := s.take(s.env, port)
	if err != nil {
		return nil, err
	}
	s.base = strings.TrimSuffix(at.URL(), "/mcp")
	if err := s.disk.HeldAt(at.URL()); err != nil {
		return nil, errors.Join(err, at.Close())
	}
	return at, nil
}

// takeAdminToken stores the cluster's admin token in the root.
func (s *shared) takeAdminToken(ctx context.Context) error {
	secret, err := s.disk.Secret(ctx, "admin")
	if err != nil {
		return err
	}
	err = s.env.KeepAdminToken("tok_admin_" + base64.RawURLEncoding.EncodeToString(secret))
	if errors.Is(err, store.ErrOtherAdmin) {
		return fmt.Errorf("%w: this root was used without the cluster. Remove data/admin.token if nobody needs the old token, "+
			"or use an empty root", err)
	}
	return err
}

// join joins the cluster, and creates the default league if there is none, with the settings of the first manager to
// do so.
func (s *shared) join(ctx context.Context) error {
	name := "m_" + strings.ToLower(rand.Text()[:12])
	var err error
	if s.member, err = cluster.Join(ctx, s.disk, cluster.Options{Name: name, Address: s.base, Logger: s.logger}); err != nil {
		return err
	}
	id := s.env.League.LeagueID
	if _, there := s.member.League(id); there {
		return nil
	}
	text, err := s.env.LeagueText(id)
	if err != nil {
		return err
	}
	if err := s.member.Make(ctx, id, text); err != nil && !errors.Is(err, cluster.ErrExists) { // another manager was faster
		return err
	}
	return nil
}

// open opens a league of this manager and watches it from then on, since it may be reassigned during the opening.
func (s *shared) open(id string) (*League, error) {
	l, err := s.openOwn(id)
	if err == nil {
		s.background.Go(func() { s.watch(l) })
		s.adjust(id)
	}
	return l, err
}

// openOwn opens a league that is this manager's.
func (s *shared) openOwn(id string) (*League, error) {
	if _, mine, _ := s.member.Owner(id); !mine {
		return nil, errNotMine
	}
	if err := s.fetch(id); err != nil {
		return nil, err
	}
	if id != s.env.League.LeagueID {
		return s.Server.open(id)
	}
	settings, err := s.env.Config().League(id)
	if err != nil {
		return nil, err
	}
	l, err := newLeague(s.env.Of(settings), nil, func(o *manager.Options) {
		if s.edit != nil {
			s.edit(o)
		}
		o.Elsewhere, o.Create, o.Reading, o.Forward = s.elsewhere, s.ordered, s.over(id), s.forwarder().forward
	})
	if err != nil {
		return nil, err
	}
	if err := s.moveIn(l, s.base+"/mcp"); err != nil {
		return nil, errors.Join(err, l.log.Close())
	}
	return l, nil
}

// forwarder returns a forwarder of tool calls to the leagues of other managers.
func (s *shared) forwarder() *forwarder { return &forwarder{&s.owners, s.relay, s.base, s.logger} }

// errNotMine means that another manager runs a league.
var errNotMine = faraway.ErrElsewhere

// faraway returns a summary of a league that another manager runs, for lists.
func (s *shared) faraway(id string) (web.Season, bool) {
	found, _ := s.far.LoadOrStore(id, faraway.New(id, s.disk))
	f := found.(*faraway.League)
	if err := f.Refresh(s.life); err != nil || f.Sequence() == 0 {
		return nil, false // it has not started, or cannot be read now
	}
	return f, true
}

// State returns the state of a league by its protocol name. Changing reports whether it may be outdated: true for an
// open league, and for a remote league until the cluster reports its end. The state that this manager cached before
// it lost a league is ignored, because another manager may have finished it.
func (s *shared) State(id string) (state string, changing bool) {
	if state, changing = s.places.State(id); changing {
		return state, true
	}
	if s.over(id) {
		return protocol.LeagueIsCompleted, false
	}
	if _, mine, known := s.member.Owner(id); mine || !known {
		return state, false
	}
	if far, ok := s.faraway(id); ok {
		far.Read(func(now *league.State) { state = now.Phase(false) })
	}
	return state, true
}

// fetch copies to the root the logs that are read there: the own log of a finished league, and for a further season
// the log of the season before.
func (s *shared) fetch(id string) error {
	settings, err := s.env.Config().League(id)
	if err != nil {
		return err
	}
	if s.over(id) {
		err = s.copyLog(id)
	}
	if settings.Season == nil || err != nil {
		return err
	}
	before, err := seasonBefore(s.env.Of(settings))
	if err != nil {
		return err
	}
	return s.copyLog(before)
}

// over reports whether a league is finished, with all its records stored.
func (s *shared) over(id string) bool {
	l, _ := s.member.League(id)
	return l.Over
}

// copyLog copies a log to the root by reading it.
func (s *shared) copyLog(id string) error {
	for _, err := range s.disk.Read(s.life, id, 0) {
		if err != nil {
			return err
		}
	}
	return nil
}

// project writes the derived files of a finished league, which may have been played on another manager.
func (s *shared) project(l *League) {
	var now league.Snapshot
	l.Manager.Read(func(state *league.State) { now = state.Snapshot() })
	if err := store.NewProjector(l.Env.Root).Project(now); err != nil {
		s.logger.Warn("the files of a league could not be written", slog.String("league_id", l.ID()), slog.Any("error", err))
	}
}

// keepRecords stores the records of a league in the cluster too, and copies the cluster's existing records to the
// root.
func (s *shared) keepRecords(l *League) error {
	o, root := &l.opts, l.Env.Root
	kept, err := shelf.Open(s.life, s.disk, o.LeagueID, root.Matches(o.LeagueID))
	if err != nil {
		return err
	}
	l.botSecret = s.bots
	o.Records, o.Adopt = kept, store.NewAdopter(root, o.LeagueID, kept).Adopt
	return nil
}

// create creates a league in the cluster, and returns when this manager has seen it. Every manager writes its
// settings when it sees the league.
func (s *shared) create(ctx context.Context, id string, edit func(*config.League)) error {
	text, err := config.NewLeague(id, edit)
	if err == nil {
		err = s.member.Make(ctx, id, text)
	}
	if errors.Is(err, cluster.ErrExists) {
		err = fmt.Errorf("%s: %w", id, store.ErrLeagueExists)
	}
	s.look()
	return err
}

// leaveWithin limits the announcement of this manager's departure. The others detect it without an announcement too.
const leaveWithin = 5 * time.Second

// leave hands on the leagues of this manager, after it has stopped working on them.
func (s *shared) leave() error {
	ctx, cancel := context.WithTimeout(context.Background(), leaveWithin)
	defer cancel()
	err := s.member.Leave(ctx)
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, engine.ErrClosed) {
		err = nil
	}
	return errors.Join(err, s.log.Close())
}
