package server

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"

	"agentleague/game"
	"agentleague/host"
	"agentleague/league"
	"agentleague/league/manager"
	"agentleague/league/mcpserver"
	"agentleague/metrics"
	"agentleague/oauth"
	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/store"
	"agentleague/store/logs"
)

// A League is one league on a server: its manager, the agents that share the port, and the agents that run in the
// manager's process.
type League struct {
	Env     *host.Env
	Manager *manager.Manager

	log       *logs.Log
	broken    *store.Conformance // the rules that agents break
	opts      manager.Options
	figures   *metrics.Agent
	mux       *host.PathMux
	botSecret []byte          // the source of the keys of a cluster's built-in agents; nil: their keys are in the root
	resource  *oauth.Resource // the audience of the authorization server's tokens; nil: none
	crew      sync.WaitGroup  // the built-in agents and the goroutines that follow the league
	bots      sync.WaitGroup  // the built-in agents alone
	seated    sync.WaitGroup  // the players of its seats
	busy      atomic.Int32    // the number of crew tasks that must end before the league may be closed

	life context.Context         // ends with the server, or when the league is closed
	end  context.CancelCauseFunc // ends it
}

// newLeague returns a league that is not open yet. edit changes its configured options.
func newLeague(h *host.Env, shared *host.PathMux, edit func(*manager.Options)) (*League, error) {
	o, err := ManagerOptions(h)
	if err != nil {
		return nil, err
	}
	edit(&o)
	if err := errors.Join(mayPlay(h, o), keepRules(h, o)); err != nil {
		return nil, err
	}
	log, err := h.Logs().League(o.LeagueID, slog.LevelDebug)
	if err != nil {
		return nil, err
	}
	broken := h.NewConformance(o.LeagueID, func() string { return "league_manager" }, h.Logger(log, protocol.Manager))
	o.Logger, o.Observe = h.Logger(log, protocol.Manager), host.LogMessages(log, broken)
	figures := metrics.New()
	o.Options = figures.Watch(o.Options)
	if shared == nil {
		shared = host.NewPathMux()
	}
	l := &League{Env: h, log: log, broken: broken, opts: o, figures: figures, mux: shared}
	signatures := &finalSignatures{kept: h.FinalSignatures(o.LeagueID), logger: o.Logger, start: l.work}
	l.opts.FinalSignature = signatures.add
	return l, nil
}

// mayPlay returns an error if the configuration forbids to play a league or its game. A finished league is exempt,
// because it is only read.
func mayPlay(h *host.Env, o manager.Options) error {
	if o.Reading {
		return nil
	}
	if err := h.Config().Played(o.LeagueID); err != nil {
		return err
	}
	_, err := h.Config().Game(o.Game.Type)
	return err
}

// keepRules copies the rules of a new league to its evidence, if they are a file.
func keepRules(h *host.Env, o manager.Options) error {
	rules, err := h.Rules.Lookup(o.Game.Type)
	if from, ok := rules.(game.Outside); ok && err == nil && !o.Reading {
		return h.Leagues().KeepRules(o.LeagueID, from.Code())
	}
	return nil // mayPlay has reported the error
}

// show adds the MCP resources and prompts of the league to its manager.
func (l *League) show() {
	show := mcpserver.Open(l.Manager, mcpserver.Options{Record: recordsOf(l.Env, l.opts.LeagueID)})
	l.crew.Go(func() { show.Follow(l.life) })
}

// work runs f in the background. The league is not closed as idle before f returns.
func (l *League) work(f func()) {
	l.busy.Add(1)
	l.crew.Go(func() {
		defer l.busy.Add(-1)
		f()
	})
}

// ServeHTTP answers requests for the manager and for the agents with a path on its port.
func (l *League) ServeHTTP(w http.ResponseWriter, r *http.Request) { l.mux.ServeHTTP(w, r) }

// ServePost implements [rpc.PostHandler] for the same requests.
func (l *League) ServePost(ctx context.Context, r *rpc.Post) (answer []byte, ok bool) {
	return l.mux.ServePost(ctx, r)
}

// Reading reports whether the league is open read-only.
func (l *League) Reading() bool { return l.opts.Reading }

// ID returns the league's id.
func (l *League) ID() string { return l.opts.LeagueID }

// Endpoint returns the address of the league's manager, the public one if it is configured.
func (l *League) Endpoint() string { return l.Manager.Endpoint() }

// stateOf calls of with the league's state, under the lock of that state, and returns the result.
func stateOf[T any](l *League, of func(*league.State) T) (out T) {
	l.Manager.Read(func(s *league.State) { out = of(s) })
	return out
}

// over reports whether the league is completed or cancelled.
func (l *League) over() bool { return stateOf(l, (*league.State).Completed) }

// closed reports whether registration is closed.
func (l *League) closed() bool {
	return stateOf(l, func(s *league.State) bool { return s.Started() || s.Completed() })
}

// announced reports whether the agents have been notified of the end of the league.
func (l *League) announced() (yes bool) {
	l.Manager.Read(func(s *league.State) { yes = s.Announced[league.Announced{What: "league"}] })
	return yes
}

// done reports whether a player plays no further match: the league is over, or the player is out of it.
func (l *League) done(id string) (yes bool) {
	l.Manager.Read(func(s *league.State) {
		a := s.Agents[id]
		yes = s.Completed() || a != nil && a.State == protocol.AgentShutdown
	})
	return yes
}

// vacant reports whether any agent may register: the league has not started, and does not require an invitation.
func (l *League) vacant() bool { return !l.closed() && !l.opts.InvitedOnly }

// state returns the state of the league by its protocol name.
func (l *League) state() string {
	return stateOf(l, func(s *league.State) string { return s.Phase(false) })
}

// wait waits until the league's manager and built-in agents have ended, and closes its files.
func (l *League) wait() error {
	l.Manager.Wait()
	l.crew.Wait()
	l.broken.Close()
	return errors.Join(l.Env.Matches(l.ID()).Close(), l.log.Close())
}

// grants reports whether the authorization server issued the token and it grants the admin's rights.
func (l *League) grants(ctx context.Context, token string) bool {
	if l.resource == nil {
		return false
	}
	_, err := l.resource.Grant(ctx, token)
	return err == nil
}

// knows reports whether sender, such as player:P01, is an agent of the league.
func (l *League) knows(sender string) bool {
	role, id := protocol.ParseSender(sender)
	return stateOf(l, func(s *league.State) bool { return s.Agents[id] != nil && s.Agents[id].Role == role })
}
