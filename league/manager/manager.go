package manager

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"agentleague/engine"
	"agentleague/league"
	"agentleague/protocol"
	"agentleague/rpc"
)

// A Manager runs one league.
type Manager struct {
	Node *rpc.Node
	opts Options
	log  engine.Engine
	ctx  context.Context
	stop context.CancelCauseFunc

	tokenKey   []byte
	inviteKey  []byte // of all join keys
	passes     passes
	drawSecret []byte

	refereeSecret []byte // by which the organiser's referees are known

	handlers map[protocol.Type]rpc.Handler
	commands chan *command
	running  sync.WaitGroup
	done     chan struct{} // closed when the league is over and everybody has been told
	over     sync.Once
	resting  atomic.Bool // nothing has been written since a league that is over was opened

	mu       sync.RWMutex
	state    *league.State // what is durable
	changed  chan struct{} // closed when the state changes; nil: nobody waits
	lastUse  map[string]time.Time
	asked    *rpc.Limiter    // by agent
	suspects *rpc.Limiter    // by what is tried, and from where
	shown    map[string]bool // tokens that were used after they were handed out
	volatile volatile
	feed     feed
}

// Endpoint is where agents reach the manager.
func (m *Manager) Endpoint() string { return m.opts.Endpoint }

// Missing says in a sentence what the league lacks before it can start, or nothing.
func (m *Manager) Missing() (what string) {
	m.Read(func(s *league.State) {
		if !s.Started() {
			what = m.missing(s)
		}
	})
	return what
}

// Awaits is how many players and referees the league waits for before it starts by itself; 0 players: it does not.
func (m *Manager) Awaits() (players, referees int) { return m.opts.StartPlayers, m.opts.StartReferees }

// ID is the league's.
func (m *Manager) ID() string { return m.opts.LeagueID }

// Open takes a league over from its log, or creates it, and runs it until ctx
// ends. The manager answers from then on.
func Open(ctx context.Context, log engine.Engine, o Options) (*Manager, error) {
	o = o.withDefaults()
	if err := league.CheckTiebreakers(o.Tiebreakers); err != nil {
		return nil, err
	}
	m := &Manager{
		opts: o, log: log, handlers: map[protocol.Type]rpc.Handler{}, commands: make(chan *command, maxBatch), done: make(chan struct{}),
		lastUse: map[string]time.Time{}, shown: map[string]bool{}, volatile: newVolatile(),
	}
	m.ctx, m.stop = context.WithCancelCause(ctx)
	m.Node = rpc.NewNode(protocol.Manager, o.Options)
	m.asked, m.suspects = rpc.NewLimiter(m.Node.Limits.Agent), rpc.NewLimiter(suspicions)
	m.handle()
	if err := m.takeOver(); err != nil {
		m.stop(err)
		return nil, fmt.Errorf("league %s: %w", o.LeagueID, err)
	}
	if o.OpenDoors {
		m.warn("tokens are issued but not checked: anybody can speak for anybody")
	}
	m.volatile.draining = o.Hold
	m.running.Go(m.conduct)
	if o.Projector != nil {
		m.running.Go(m.project)
	}
	if o.Records != nil {
		m.running.Go(m.collect)
	}
	if o.Room != nil {
		m.running.Go(m.watchRoom)
	}
	if o.Intact != nil {
		m.running.Go(m.watchLog)
	}
	return m, nil
}

// takeOver reads the secrets and the log, and marks the log as this manager's own.
func (m *Manager) takeOver() (err error) {
	if m.tokenKey, err = m.log.Secret(m.ctx, "token."+m.opts.LeagueID); err != nil {
		return err
	}
	if m.drawSecret, err = m.log.Secret(m.ctx, "draw."+m.opts.LeagueID); err != nil {
		return err
	}
	if m.inviteKey, err = m.log.Secret(m.ctx, "invite."+m.opts.LeagueID); err != nil {
		return err
	}
	if m.refereeSecret, err = m.log.Secret(m.ctx, RefereeSecret); err != nil {
		return err
	}
	w := &writer{m: m}
	if err := w.reload(); err != nil {
		return err
	}
	m.inherit(w.work)
	if m.opts.Reading && w.work.Completed() && w.work.Announced[league.Announced{What: "league"}] {
		m.resting.Store(true)
		m.running.Go(func() { w.run(m.ctx) })
		return nil
	}
	var events []league.Event
	if w.seq == 0 {
		events = append(events, m.created())
	}
	b := &batch{}
	if err := w.add(b, append(events, league.Epoch{Holder: m.opts.Holder})); err != nil {
		return err
	}
	if err := w.commit(b); err != nil {
		return err
	}
	m.running.Go(func() { w.run(m.ctx) })
	return nil
}

func (m *Manager) created() league.Created {
	o := m.opts
	return league.Created{
		Schema: 1, LeagueID: o.LeagueID, GameType: o.Game.Type, SeatMatters: o.Game.SeatMatters, Cycles: o.Cycles, Rounds: o.Rounds,
		Scoring: *o.Scoring, Tiebreakers: o.Tiebreakers, MaxForfeits: max(o.MaxForfeits, 0), GuestsMayJudge: o.Game.GuestsMayJudge,
		DrawCommitment: protocol.DrawCommitment(o.LeagueID, m.drawSecret), By: signed(o.CreatedBy),
	}
}

// Done is closed when the league is over and everybody has been told.
func (m *Manager) Done() <-chan struct{} { return m.done }

// Ended is closed when the manager stops: with its context, or because it must
// not go on. Err then says why.
func (m *Manager) Ended() <-chan struct{} { return m.ctx.Done() }

// Err says why the manager has ended, or nil while it runs.
func (m *Manager) Err() error { return context.Cause(m.ctx) }

// Wait returns when the manager has come to rest after its context's end.
func (m *Manager) Wait() { m.running.Wait() }

// Read lets f look at the durable state. It must not keep or change it.
func (m *Manager) Read(f func(s *league.State)) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	f(m.state)
}

// Changed returns a channel that is closed when the durable state changes next.
// Who wants to miss nothing takes the channel first and reads the state then.
func (m *Manager) Changed() <-chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.changed == nil {
		m.changed = make(chan struct{})
	}
	return m.changed
}

// tellChanged wakes those who wait for a change. The caller holds the lock.
func (m *Manager) tellChanged() {
	if m.changed != nil {
		close(m.changed)
		m.changed = nil
	}
}

// Status tells how far the league is.
func (m *Manager) Status() (out protocol.LeagueStatus) {
	m.Read(func(s *league.State) { out = m.status(s) })
	return out
}

// handle registers what the manager answers.
func (m *Manager) handle() {
	m.take(protocol.TypeRefereeRegisterRequest, m.registerReferee)
	m.take(protocol.TypeLeagueRegisterRequest, m.registerPlayer)
	m.take(protocol.TypeMatchResultReport, m.report)
	m.take(protocol.TypeAssignedMatches, m.assignedMatches)
	m.take(protocol.TypeLeagueQuery, m.query)
	m.take(protocol.TypeQueryStandingsRequest, m.query)
	m.Node.HandleOpen(protocol.TypeGetStandings, m.route(protocol.TypeGetStandings, m.publicQuery(protocol.QueryStandings)))
	m.Node.HandleOpen(protocol.TypeGetLeagueStatus, m.route(protocol.TypeGetLeagueStatus, m.publicQuery(protocol.QueryStatus)))
	m.Node.HandleOpen(protocol.TypeGetGames, m.route(protocol.TypeGetGames, m.publicQuery(protocol.QueryGames)))
	m.take(protocol.TypeCreateSchedule, m.admin(m.createSchedule))
	m.take(protocol.TypeStartLeague, m.admin(m.obeys(m.Start)))
	m.take(protocol.TypePauseLeague, m.admin(m.obeys(m.Pause)))
	m.take(protocol.TypeResumeLeague, m.admin(m.obeys(m.Resume)))
	m.take(protocol.TypeDrainLeague, m.admin(m.obeys(m.drain)))
	m.take(protocol.TypeWithdrawPlayer, m.admin(m.withdraw))
	m.take(protocol.TypeEnlistAgent, m.admin(m.enlist))
	m.take(protocol.TypeReadmitAgent, m.admin(m.readmit))
	m.take(protocol.TypeAnnulMatch, m.admin(m.annul))
	m.take(protocol.TypeInviteAgents, m.admin(m.invite))
	m.take(protocol.TypeMatchMovesReport, m.moves)
	m.take(protocol.TypeMatchProtest, m.protest)
	if m.opts.Create != nil {
		m.Node.Handle(protocol.TypeCreateLeague, m.create)
	}
}

// take makes h answer the messages of type t.
func (m *Manager) take(t protocol.Type, h rpc.Handler) { m.Node.Handle(t, m.route(t, h)) }

func (m *Manager) info(event string, attrs ...slog.Attr) {
	m.Node.Logger.LogAttrs(m.ctx, slog.LevelInfo, event, append(attrs, slog.String("league_id", m.opts.LeagueID))...)
}

func (m *Manager) warn(event string, attrs ...slog.Attr) {
	m.Node.Logger.LogAttrs(m.ctx, slog.LevelWarn, event, append(attrs, slog.String("league_id", m.opts.LeagueID))...)
}
