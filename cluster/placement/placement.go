// Package placement runs each league of a cluster on the manager that owns it. It implements [server.Placement] for
// managers that share an engine.
//
//	request ─▶ front ─┬─▶ a league of this manager
//	                  └─ relay ─▶ the manager that owns the league
//	cluster.Member ── changes ─▶ reconciler ── opens, closes ─▶ server.Leagues
package placement

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
	"agentleague/cluster/relay"
	"agentleague/cluster/shelf"
	"agentleague/config"
	"agentleague/engine"
	"agentleague/engine/engines"
	"agentleague/host"
	"agentleague/league"
	"agentleague/league/keyring"
	"agentleague/league/manager"
	"agentleague/protocol"
	"agentleague/server"
	"agentleague/store"
	"agentleague/store/logs"
	"agentleague/web"
)

// A placement runs the leagues that the cluster assigns to this manager, and relays requests for the others.
type placement struct {
	*front
	life       context.Context
	disk       engines.Engine
	log        *logs.Log
	reconciler *reconciler
	remote     sync.Map // summaries of the leagues that other managers run, by id
}

var _ server.Placement = (*placement)(nil)

// Open joins a cluster and runs the leagues that are assigned to this manager, until ctx ends. It calls say with a line
// of text for each league that arrives or leaves.
func Open(ctx context.Context, h *host.Env, o server.Options, say func(line string)) (*server.Server, error) {
	p, err := open(ctx, h, o, say)
	if err != nil {
		return nil, err
	}
	return p.server, nil
}

// open joins a cluster and serves its leagues.
func open(ctx context.Context, h *host.Env, o server.Options, say func(line string)) (_ *placement, err error) {
	log := h.Logs().System(slog.LevelInfo)
	p := &placement{
		front: &front{env: h, logger: h.Logger(log, protocol.Manager)},
		life:  ctx, log: log,
	}
	if p.disk, err = o.Engine.Open(ctx, h.DataDir(), p.logger); err != nil {
		return nil, err
	}
	setup := server.Setup{Placement: p, Disk: p.disk, Logger: p.logger}
	if err := p.fetchSecrets(&setup); err != nil {
		return nil, errors.Join(err, p.disk.Close())
	}
	if p.server, err = server.New(ctx, h, o, setup); err != nil {
		return nil, errors.Join(err, p.disk.Close())
	}
	if err := p.join(); err != nil {
		return nil, errors.Join(err, p.server.Close())
	}
	c := &reconciler{
		life: ctx, env: h, member: p.member, leagues: p.server.Leagues, address: p.server.Address(), logger: p.logger, say: say,
		working: map[string]bool{}, owners: map[string]owner{},
	}
	p.reconciler = c
	c.reconcileAll()
	if err := p.server.Serve(); err != nil {
		return nil, err
	}
	p.server.Opened() // the leagues of this manager vary over time
	c.tasks.Go(c.follow)
	c.tasks.Go(c.level)
	return p, nil
}

// fetchSecrets fetches the secrets that all managers of the cluster share.
func (p *placement) fetchSecrets(setup *server.Setup) error {
	if err := p.takeAdminToken(); err != nil {
		return err
	}
	if _, err := p.disk.Secret(p.life, keyring.RefereeSecret); err != nil { // the data directory's referees present it
		return err
	}
	var key []byte
	for name, secret := range map[string]*[]byte{"relay": &key, "sessions": &setup.Sessions, "bots": &setup.Bots} {
		var err error
		if *secret, err = p.disk.Secret(p.life, name); err != nil {
			return err
		}
	}
	p.relay = relay.New(key, p.env.Net.Trust)
	return nil
}

// takeAdminToken stores the cluster's admin token in the data directory.
func (p *placement) takeAdminToken() error {
	secret, err := p.disk.Secret(p.life, "admin")
	if err != nil {
		return err
	}
	err = p.env.KeepAdminToken("tok_admin_" + base64.RawURLEncoding.EncodeToString(secret))
	if errors.Is(err, store.ErrOtherAdmin) {
		return fmt.Errorf("%w: this root was used without the cluster. Remove data/admin.token if nobody needs the old token, "+
			"or use an empty root", err)
	}
	return err
}

// join joins the cluster. It creates the default league if the cluster has none, with the settings of this data
// directory.
func (p *placement) join() (err error) {
	p.member, err = cluster.Join(p.life, p.disk, cluster.Options{
		Name: "m_" + strings.ToLower(rand.Text()[:12]), Address: p.server.Address(), Version: host.Version(), Logger: p.logger,
	})
	if err != nil {
		return err
	}
	id := p.env.League.LeagueID
	if _, there := p.member.League(id); there {
		return nil
	}
	text, err := p.env.Leagues().Text(id)
	if err != nil {
		return err
	}
	if err := p.member.Make(p.life, id, text); err != nil && !errors.Is(err, cluster.ErrExists) { // another manager was faster
		return err
	}
	return nil
}

// Acquire copies the logs that this manager reads as files to the data directory, before the league is opened.
func (p *placement) Acquire(id string) (reading bool, err error) {
	if _, mine, _ := p.member.Owner(id); !mine {
		return false, server.ErrElsewhere
	}
	if err := p.fetch(id); err != nil {
		return false, err
	}
	return p.over(id) && (id == p.env.League.LeagueID || store.IsOver(p.env.Root, id)), nil
}

// fetch copies logs to the data directory: that of a finished league, and for a further season that of the season
// before.
func (p *placement) fetch(id string) error {
	settings, err := p.env.Config().League(id)
	if err != nil {
		return err
	}
	if p.over(id) {
		err = p.copyLog(id)
	}
	if settings.Season == nil || err != nil {
		return err
	}
	before, err := server.SeasonBefore(p.env.Of(settings))
	if err != nil {
		return err
	}
	return p.copyLog(before)
}

// over reports whether a league is finished, with all its records stored.
func (p *placement) over(id string) bool {
	l, _ := p.member.League(id)
	return l.Over
}

// copyLog copies a log to the data directory. Reading it through the engine does that.
func (p *placement) copyLog(id string) error {
	for _, err := range p.disk.Read(p.life, id, 0) {
		if err != nil {
			return err
		}
	}
	return nil
}

// Configure stores the records of a league in the cluster too, and copies the cluster's existing records to the data
// directory. The first league forwards tool calls that name a league of another manager.
func (p *placement) Configure(id string, o *manager.Options) error {
	root := p.env.Root
	kept, err := shelf.Open(p.life, p.disk, id, root.Matches(id))
	if err != nil {
		return err
	}
	o.Records, o.Adopt = kept, store.NewAdopter(root, id, kept).Adopt
	if id == p.env.League.LeagueID {
		o.Forward = p.forward
	}
	return nil
}

// Opened writes the derived files of a finished league, which another manager may have played, and starts to watch the
// league, which may have been reassigned during the opening.
func (p *placement) Opened(ctx context.Context, l *server.League) {
	if l.Reading() {
		var now league.Snapshot
		l.Manager.Read(func(state *league.State) { now = state.Snapshot() })
		if err := store.NewProjector(p.env.Root).Project(now); err != nil {
			p.logger.Warn("the files of a league could not be written", slog.String("league_id", l.ID()), slog.Any("error", err))
		}
	}
	p.reconciler.tasks.Go(func() { p.reconciler.watch(ctx, l) })
	p.reconciler.tasks.Go(func() { p.reconciler.report(ctx, l) })
	p.reconciler.adjust(l.ID())
}

// Create creates a league in the cluster, and returns after this manager has registered it. Every manager writes the
// settings to its data directory when it learns of the league.
func (p *placement) Create(ctx context.Context, id string, edit func(*config.League)) error {
	text, err := config.NewLeague(id, edit)
	if err == nil {
		err = p.member.Make(ctx, id, text)
	}
	switch {
	case errors.Is(err, cluster.ErrExists):
		err = fmt.Errorf("%s: %w", id, store.ErrLeagueExists)
	case errors.Is(err, cluster.ErrReserved):
		err = protocol.Errorf(protocol.InvalidMessage, "league_id: %v", err).With("field", "league_id")
	}
	p.reconciler.reconcileAll()
	return err
}

// Start does nothing: the manager that owns a league opens it.
func (*placement) Start(string) error { return nil }

// Archive archives a league for all managers, or restores it.
func (p *placement) Archive(ctx context.Context, id string, away bool) error {
	return p.member.Archive(ctx, id, away)
}

// State returns the state of a league by its protocol name. changing reports whether it may be outdated: true for an
// open league, and for a remote league until the cluster reports its end. The state that this manager cached before it
// lost a league is ignored, because another manager may have finished it.
func (p *placement) State(id string) (state string, changing bool) {
	if state, changing = p.server.Leagues.State(id); changing {
		return state, true
	}
	if p.over(id) {
		return protocol.LeagueIsCompleted, false
	}
	if _, mine, known := p.member.Owner(id); mine || !known {
		return state, false
	}
	if l, ok := p.Remote(id); ok {
		l.Read(func(now *league.State) { state = now.Phase(false) })
	}
	return state, true
}

// Remote returns a summary of a league that another manager runs, for lists.
func (p *placement) Remote(id string) (web.Season, bool) {
	found, _ := p.remote.LoadOrStore(id, newRemote(id, p.disk))
	l := found.(*remoteLeague)
	if err := l.refresh(p.life); err != nil || l.Sequence() == 0 {
		return nil, false // it has not started, or cannot be read now
	}
	return l, true
}

// Healthy returns an error while the other members may consider this manager dead.
func (p *placement) Healthy() error {
	err := p.member.Healthy()
	if errors.Is(err, cluster.ErrFormat) {
		return err
	}
	if err != nil {
		return errors.New("this manager does not reach the engine; the others take its leagues over")
	}
	return nil
}

// leaveTimeout limits the time for leaving the cluster. Without it the others detect the departure by the lease.
const leaveTimeout = 5 * time.Second

// Leave transfers the leagues of this manager to others. The manager must have closed them.
func (p *placement) Leave() error {
	p.reconciler.tasks.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), leaveTimeout)
	defer cancel()
	err := p.member.Leave(ctx)
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, engine.ErrClosed) {
		err = nil
	}
	return errors.Join(err, p.log.Close())
}
