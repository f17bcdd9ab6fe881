package manager

import (
	"context"
	"fmt"
	"iter"

	"agentleague/engine"
	"agentleague/league"
	"agentleague/league/keyring"
	"agentleague/league/outbox"
	"agentleague/league/registration"
	"agentleague/league/view"
	"agentleague/protocol"
	"agentleague/rpc"
)

// A Manager runs one league. It is made of parts, each with its own task and data, in the order of their dependencies.
type Manager struct {
	Node      *rpc.Node
	Orders    *Orders
	Registrar *registration.Registrar

	core       *core
	keys       *keyring.Keyring
	jobs       *jobs
	tasks      *matchTasks
	ledger     *ledger
	calls      *caller
	auth       *authenticator
	lobby      *lobby
	out        *outbox.Outbox
	news       *broadcaster
	drainState *drainState
	results    *results
	dispatch   *dispatcher
	watch      *watcher
	records    *collector
	queries    *queries
	router     *router
}

// Open takes over a league from its log, or creates it, and runs it until ctx ends. When Open returns, the manager
// answers requests.
func Open(ctx context.Context, log engine.Engine, o Options) (*Manager, error) {
	o = o.withDefaults()
	if err := league.CheckTiebreakers(o.Tiebreakers); err != nil {
		return nil, err
	}
	c := newCore(ctx, rpc.NewNode(protocol.Manager, o.Options), o)
	keys, err := keyring.Open(c.ctx, log, o.LeagueID, o.TokenBytes)
	if err != nil {
		c.stop(err)
		return nil, fmt.Errorf("league %s: %w", o.LeagueID, err)
	}
	m := assemble(c, keys, log)
	m.handle()
	if err := m.ledger.takeOver(); err != nil {
		c.stop(err)
		return nil, fmt.Errorf("league %s: %w", o.LeagueID, err)
	}
	if o.OpenDoors {
		c.warn("tokens are issued but not checked: anyone can act as any agent")
	}
	m.run()
	return m, nil
}

// assemble creates the parts of a manager, each after the parts that it depends on.
func assemble(c *core, keys *keyring.Keyring, log engine.Engine) *Manager {
	m := &Manager{Node: c.Node, core: c, keys: keys, jobs: newJobs(&c.running), tasks: newMatchTasks(),
		drainState: &drainState{on: c.opts.Hold}}
	m.ledger = newLedger(c, m.jobs, keys, m.tasks, m.drainState, log)
	m.calls = newCaller(c, m.ledger, keys)
	m.auth = newAuthenticator(c, m.ledger, keys)
	m.lobby = newLobby(c, m.ledger, m.jobs, m.calls)
	m.out = newOutbox(c, m.ledger, m.jobs, m.calls)
	m.news = newBroadcaster(c, m.ledger, m.jobs, m.out, m.tasks)
	m.records = newCollector(c, m.ledger, m.calls, &m.auth.warnings)
	m.news.settle = m.records.Settle
	m.results = &results{core: c, ledger: m.ledger, auth: m.auth, keys: keys, tasks: m.tasks,
		resolver: &matchResolver{core: c, ledger: m.ledger, tasks: m.tasks}}
	m.dispatch = &dispatcher{
		core: c, ledger: m.ledger, jobs: m.jobs, calls: m.calls, auth: m.auth, keys: keys, tasks: m.tasks,
		results: m.results, drain: m.drainState,
	}
	m.watch = &watcher{core: c, ledger: m.ledger, jobs: m.jobs, calls: m.calls, dispatch: m.dispatch,
		stuck: &m.results.obstacles}
	m.Registrar = newRegistrar(c, m.ledger, m.calls, m.auth, keys, m.lobby, m.dispatch)
	m.Orders = &Orders{
		core: c, ledger: m.ledger, jobs: m.jobs, auth: m.auth, lobby: m.lobby, registrar: m.Registrar,
		dispatch: m.dispatch, records: m.records, drainState: m.drainState,
	}
	m.queries = &queries{core: c, ledger: m.ledger, auth: m.auth, lobby: m.lobby, registrar: m.Registrar,
		drain: m.drainState, stuck: &m.results.obstacles, causes: &m.results.causes}
	m.queries.view = view.NewCache(m.queries)
	m.router = &router{core: c, ledger: m.ledger, handlers: map[protocol.Type]rpc.Handler{}}
	return m
}

// handle registers the message handlers of the manager.
func (m *Manager) handle() {
	take, org, admin := m.router.take, m.Orders, m.auth.admin
	take(protocol.TypeRefereeRegisterRequest, m.Registrar.RegisterReferee)
	take(protocol.TypeLeagueRegisterRequest, m.Registrar.RegisterPlayer)
	m.Node.Unreadable, m.Node.Whose = m.results.unreadable, m.auth.attributeMessage
	take(protocol.TypeMatchResultReport, m.results.report)
	take(protocol.TypeAssignedMatches, m.dispatch.assignedMatches)
	take(protocol.TypeLeagueQuery, m.queries.query)
	take(protocol.TypeQueryStandingsRequest, m.queries.query)
	for _, q := range protocol.Queries() {
		if q.Open != "" {
			m.router.takeOpen(q.Open, m.queries.publicQuery(q.Name))
		}
	}
	take(protocol.TypeCreateSchedule, admin(org.createSchedule))
	take(protocol.TypeStartLeague, admin(org.orderHandler(org.Start)))
	take(protocol.TypePauseLeague, admin(org.orderHandler(org.Pause)))
	take(protocol.TypeResumeLeague, admin(org.orderHandler(org.Resume)))
	take(protocol.TypeCancelLeague, admin(org.orderHandler(org.Cancel)))
	take(protocol.TypeDrainLeague, admin(org.orderHandler(org.drain)))
	take(protocol.TypeWithdrawPlayer, admin(org.withdraw))
	take(protocol.TypeRestPlayer, admin(org.rest))
	take(protocol.TypeEnlistAgent, admin(org.enlist))
	take(protocol.TypeReadmitAgent, admin(org.readmit))
	take(protocol.TypeRenameAgent, admin(org.rename))
	take(protocol.TypeMergeAgents, admin(org.merge))
	take(protocol.TypeAnnulMatch, admin(org.annul))
	take(protocol.TypeInviteAgents, admin(org.invite))
	take(protocol.TypeMatchMovesReport, m.results.moves)
	take(protocol.TypeMatchProtest, m.results.protest)
	if m.core.opts.Seasons != nil {
		take(protocol.TypeSetSeasons, admin(org.seasons))
	}
	if m.core.opts.Create != nil {
		m.Node.Handle(protocol.TypeCreateLeague, org.create)
	}
}

// run starts the background tasks. All end with the manager's context.
func (m *Manager) run() {
	c := m.core
	conductor := &conductor{
		core: c, ledger: m.ledger, jobs: m.jobs, tasks: m.tasks, lobby: m.lobby, news: m.news, dispatch: m.dispatch,
		watch: m.watch, drain: m.drainState,
	}
	c.running.Go(conductor.conduct)
	if c.opts.Projector != nil {
		c.running.Go((&projector{core: c, ledger: m.ledger}).project)
	}
	if c.opts.Records != nil {
		c.running.Go(m.records.collect)
	}
	if c.opts.Room != nil && !c.opts.LookedAfter {
		c.running.Go(m.ledger.watchRoom)
	}
	if c.opts.Intact != nil && !c.opts.LookedAfter {
		c.running.Go(m.ledger.watchLog)
	}
}

// ID returns the id of the league.
func (m *Manager) ID() string { return m.core.opts.LeagueID }

// Endpoint returns the manager's endpoint for agents: the public one if configured.
func (m *Manager) Endpoint() string { return m.core.outside() }

// Done returns a channel that is closed when the league is over and the agents have been notified.
func (m *Manager) Done() <-chan struct{} { return m.news.done }

// Ended returns a channel that is closed when the manager stops: with its context, or after a fatal error. Err then
// returns the reason.
func (m *Manager) Ended() <-chan struct{} { return m.core.ctx.Done() }

// Err returns why the manager has ended, or nil while it runs.
func (m *Manager) Err() error { return context.Cause(m.core.ctx) }

// Wait returns when all goroutines of the manager have ended, after the end of its context.
func (m *Manager) Wait() { m.core.running.Wait() }

// Read calls f with the durable state under a read lock. f must not modify the state or retain references to it.
func (m *Manager) Read(f func(s *league.State)) { m.ledger.Read(f) }

// View returns the cached views of the league. All readers share them.
func (m *Manager) View() *view.Cache { return m.queries.view }

// Changed returns a channel that is closed when the durable state changes next. To miss no change, take the channel
// before reading the state.
func (m *Manager) Changed() <-chan struct{} { return m.ledger.Changed() }

// Sequence returns the number of the newest visible entry of the log.
func (m *Manager) Sequence() uint64 { return m.ledger.Sequence() }

// Follow yields the entries after number after, 0 for all, in order and without a gap: first the past entries, then new
// ones. It ends without an error when ctx or the manager ends. A slow follower reads older entries from the log;
// nothing is buffered for it.
func (m *Manager) Follow(ctx context.Context, after uint64) iter.Seq2[league.Happened, error] {
	return m.ledger.Follow(ctx, after)
}

// Status returns the progress of the league.
func (m *Manager) Status() (out protocol.LeagueStatus) {
	m.Read(func(s *league.State) { out = m.queries.status(s) })
	return out
}

// Resting returns a sentence that explains why the league pauses without an order, or "" if it does not.
func (m *Manager) Resting() string { return m.ledger.pauseReason() }

// Away returns a sentence if the log is missing or was changed, or "" if it is intact.
func (m *Manager) Away() string { return m.ledger.logProblem() }

// Look pauses the league if its log is missing, or if the disk is full, which the caller passes as the error room. The
// league continues automatically when the cause is gone. With Options.LookedAfter the caller must call Look about once
// a second.
func (m *Manager) Look(room error) { m.ledger.lookAt(room) }

// Settle waits until the record of every counted match is stored or known to be unobtainable, until the disk is full,
// or until ctx or the manager ends. It returns the number of records that are still missing.
func (m *Manager) Settle(ctx context.Context) (missing int) { return m.records.Settle(ctx) }

// Suspect warns the organizer of a refused attempt from an address, at most once per minute.
func (m *Manager) Suspect(what, address string) { m.auth.Suspect(what, address) }

// Owner returns the id of the player with this owner key or join key, or "". It does not accept the token of a
// third-party player: any client that registers at its endpoint receives that token.
func (m *Manager) Owner(secret string) string { return m.auth.owner(secret) }

// Warnings returns recent refused attempts for the organizer, the newest last. They contain addresses.
func (m *Manager) Warnings() []protocol.Warning { return m.auth.warnings.All() }

// The methods wants, serve and acknowledge make the manager an [OtherLeague].

func (m *Manager) wants(msg protocol.Message) bool { return m.router.wants(msg) }

// serve answers a message of type t to this league, or passes the message to the league with its id.
func (m *Manager) serve(
	ctx context.Context, t protocol.Type, from rpc.From, msg protocol.Message,
) (protocol.Message, error) {
	return m.router.serve(ctx, t, from, msg)
}

func (m *Manager) acknowledge() (*protocol.LeagueControlAck, error) { return m.Orders.acknowledge() }

// Health returns when agent id was last seen, how it is reached, its last failed probe, and the number of its queued
// messages.
func (m *Manager) Health(id string) (h league.Health) {
	m.Read(func(s *league.State) {
		if a := s.Agents[id]; a != nil {
			h.Seen, h.Way = m.auth.lastUsed(m.keys.Token(s, a)), m.core.wayTo(a.Endpoint)
		}
	})
	h.Unreached, h.Waiting = m.lobby.trouble(id), m.out.Waiting(id)
	return h
}

// Idle reports whether the manager only waits for the next request, so that it can be closed and the league reopened
// without loss. This is so if the league is over, its end announced and every record stored. It is also so if the
// league waits for agents without a timer and every registered agent was reached.
func (m *Manager) Idle() bool {
	var started, over, ordered bool
	m.Read(func(s *league.State) { started, over, ordered = s.Started(), s.Completed(), s.Ordered })
	switch {
	case m.jobs.anyUnder() || m.out.Busy() || m.ledger.pauseReason() != "":
		return false
	case over:
		return m.news.endAnnounced() && (m.core.opts.Records == nil || m.records.isComplete())
	}
	// Reopening the league would lose a drain and the codes of refused applicants.
	return !started && !ordered && m.lobby.allFound() && !m.drainState.isOn() && len(m.Registrar.Refusals()) == 0
}

// MatchProgress returns the public state of a match in play, from its referee. The answer is optional and has no effect:
// the log holds the results. Only native referees are asked.
func (m *Manager) MatchProgress(ctx context.Context, match string) (*protocol.MatchState, error) {
	return m.calls.matchState(ctx, match)
}
