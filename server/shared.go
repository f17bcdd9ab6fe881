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
	"agentleague/files"
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

// A shared is what a server on a shared engine has beyond others: it runs those leagues that are its own by the word of
// the cluster, and passes on what comes for the rest.
type shared struct {
	*Server
	owners
	relay  *relay.Relay
	edit   func(*manager.Options) // for the first league
	say    func(line string)
	log    *files.Log
	keeper keeper
	far    sync.Map // leagues that others run, as lists show them, by id

	bots     []byte         // of which built-in agents have their keys
	sessions []byte         // the key of the admin's sessions on the pages
	figures  *metrics.Agent // of the process; those of a league are at its own path
}

// openShared takes part in a cluster, and runs the leagues that it is given. It ends with ctx.
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
	c.Opened() // what is given to this manager comes and goes
	c.background.Go(s.follow)
	c.background.Go(s.level)
	c.background.Go(func() { c.sweep(c.rests, c.logger) })
	return c, nil
}

// prepare gets what all managers of the cluster have in common, and the port.
func (s *shared) prepare(ctx context.Context, port int) (*rpc.Server, error) {
	if err := s.takeAdminToken(ctx); err != nil {
		return nil, err
	}
	if _, err := s.disk.Secret(ctx, manager.RefereeSecret); err != nil { // the root's referees show it
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

// takeAdminToken gives the root the admin token of the cluster.
func (s *shared) takeAdminToken(ctx context.Context) error {
	secret, err := s.disk.Secret(ctx, "admin")
	if err != nil {
		return err
	}
	err = s.env.KeepAdminToken("tok_admin_" + base64.RawURLEncoding.EncodeToString(secret))
	if errors.Is(err, files.ErrOtherAdmin) {
		return fmt.Errorf("%w: this root was used without the cluster. Remove data/admin.token if nobody needs the old token, "+
			"or use an empty root", err)
	}
	return err
}

// join takes part in the cluster. The league that is meant when none is named is made unless there is one: its settings
// are those of the manager that came first.
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
	if err := s.member.Make(ctx, id, text); err != nil && !errors.Is(err, cluster.ErrExists) { // another was first
		return err
	}
	return nil
}

// open opens a league that is this manager's, and has it looked after from then on: it may be another's by the time
// that it is open.
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

// forwarder is by whom calls of tools reach the leagues of other managers.
func (s *shared) forwarder() *forwarder { return &forwarder{&s.owners, s.relay, s.base, s.logger} }

// errNotMine says that another manager runs a league.
var errNotMine = faraway.ErrElsewhere

// faraway returns a league that another manager runs, as lists show it.
func (s *shared) faraway(id string) (web.Season, bool) {
	found, _ := s.far.LoadOrStore(id, faraway.New(id, s.disk))
	f := found.(*faraway.League)
	if err := f.Refresh(s.life); err != nil || f.Sequence() == 0 {
		return nil, false // it has not begun, or cannot be read now
	}
	return f, true
}

// State is that of a league in the protocol's words. Changing reports whether it may be another by now: that of a
// league that is open, and of one that another manager runs until the cluster says that it is over. What this manager
// remembers of a league that it had before says nothing: others may have played it to its end.
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

// fetch brings to the root what is read there of leagues besides the one that is opened: of one that is over its own
// log, and of a further season that of the season before.
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

// over reports whether a league has been played to its end, with all its records kept.
func (s *shared) over(id string) bool {
	l, _ := s.member.League(id)
	return l.Over
}

// copyLog has a log copied to the root by reading it.
func (s *shared) copyLog(id string) error {
	for _, err := range s.disk.Read(s.life, id, 0) {
		if err != nil {
			return err
		}
	}
	return nil
}

// project writes the files of a league that is over, which its manager does not: it may have been played elsewhere.
func (s *shared) project(l *League) {
	var now league.Snapshot
	l.Manager.Read(func(state *league.State) { now = state.Snapshot() })
	if err := store.NewProjector(l.Env.Root).Project(now); err != nil {
		s.logger.Warn("the files of a league could not be written", slog.String("league_id", l.ID()), slog.Any("error", err))
	}
}

// keepRecords has the records of a league kept in the cluster too, and brings those to the root that others kept there.
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

// create makes a league in the cluster, and returns when this manager knows of it. Its settings are written by all
// managers when they hear of it.
func (s *shared) create(ctx context.Context, id string, edit func(*config.League)) error {
	text, err := config.NewLeague(id, edit)
	if err == nil {
		err = s.member.Make(ctx, id, text)
	}
	if errors.Is(err, cluster.ErrExists) {
		err = fmt.Errorf("%s: %w", id, files.ErrLeagueExists)
	}
	s.look()
	return err
}

// leaveWithin is how long it may take to tell the others that this manager leaves. They find out by themselves too.
const leaveWithin = 5 * time.Second

// leave hands the leagues on that this manager had, when it has stopped to work on them.
func (s *shared) leave() error {
	ctx, cancel := context.WithTimeout(context.Background(), leaveWithin)
	defer cancel()
	err := s.member.Leave(ctx)
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, engine.ErrClosed) {
		err = nil
	}
	return errors.Join(err, s.log.Close())
}
