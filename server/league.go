package server

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
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
)

// A League is one league on a server: its manager, the agents that share the port, and the agents that run in the
// manager's process.
type League struct {
	Env     *host.Env
	Manager *manager.Manager

	log       *store.Log
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

// newLeague builds a league with all its parts, not opened yet.
func newLeague(h *host.Env, shared *host.PathMux, edit func(*manager.Options)) (*League, error) {
	o, err := ManagerOptions(h)
	if err != nil {
		return nil, err
	}
	edit(&o)
	if err := errors.Join(mayPlay(h, o), keepRules(h, o)); err != nil {
		return nil, err
	}
	log, err := h.LeagueLog(o.LeagueID, slog.LevelDebug)
	if err != nil {
		return nil, err
	}
	o.Logger, o.Observe = h.Logger(log, protocol.Manager), host.LogMessages(log)
	figures := metrics.New()
	o.Options = figures.Watch(o.Options)
	if shared == nil {
		shared = host.NewPathMux()
	}
	l := &League{Env: h, log: log, opts: o, figures: figures, mux: shared}
	words := &lastWords{kept: h.LastWords(o.LeagueID), logger: o.Logger, start: l.work}
	l.opts.LastWord = words.hear
	return l, nil
}

// mayPlay returns an error if the configuration excludes a league or its game from play. A finished league may always
// be read.
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

// keepRules stores a new league's rules with its evidence, if the rules are a file.
func keepRules(h *host.Env, o manager.Options) error {
	rules, err := h.Rules.Lookup(o.Game.Type)
	if from, ok := rules.(game.Outside); ok && err == nil && !o.Reading {
		return h.KeepRules(o.LeagueID, from.Code())
	}
	return nil // mayPlay has reported the error
}

// show publishes the league as MCP resources.
func (l *League) show() {
	show := mcpserver.Open(l.Manager, mcpserver.Options{Record: recordsOf(l.Env, l.opts.LeagueID)})
	l.crew.Go(func() { show.Follow(l.life) })
}

// work runs a task that must end before the league may be closed.
func (l *League) work(f func()) {
	l.busy.Add(1)
	l.crew.Go(func() {
		defer l.busy.Add(-1)
		f()
	})
}

// ServeHTTP answers requests for the manager and for the agents with a path on its port.
func (l *League) ServeHTTP(w http.ResponseWriter, r *http.Request) { l.mux.ServeHTTP(w, r) }

// ServePost answers the same requests from package gate.
func (l *League) ServePost(ctx context.Context, r *rpc.Post) (answer []byte, ok bool) {
	return l.mux.ServePost(ctx, r)
}

// ID returns the league's id.
func (l *League) ID() string { return l.opts.LeagueID }

// Endpoint returns the address of its manager: the public one, if there is one.
func (l *League) Endpoint() string { return l.Manager.Endpoint() }

// over reports whether the league is completed or cancelled.
func (l *League) over() (yes bool) {
	l.Manager.Read(func(s *league.State) { yes = s.Completed() })
	return yes
}

// vacant reports whether agents can join the league.
func (l *League) vacant() bool { return !l.closed() && !l.opts.InvitedOnly }

// state returns the state of the league by its protocol name.
func (l *League) state() (phase string) {
	l.Manager.Read(func(s *league.State) { phase = s.Phase(false) })
	return phase
}

// staff starts the built-in agents, unless the league is over. Matches start when all of them have joined; they leave
// when the league is over.
func (l *League) staff() {
	life, s := l.life, l.Env.League.Bots
	if s == nil || l.over() {
		return
	}
	usual, _ := l.Env.Config().StartReferee("") // each agent reports a bad configuration itself
	ctx, dismiss := context.WithCancel(life)
	c := &host.Crew{Context: ctx, Fail: l.absent}
	orchestrator, log := l.Env.Orchestrator()
	c.Log = orchestrator
	for n := range s.Referees {
		f := l.botAgent(n, host.NameOf("House Referee", n))
		c.Queue(func(ready func(id, at string)) error {
			return l.Env.RunReferee(ctx, host.Referee{Agent: f, MaxMatches: max(2, usual.MaxMatches, len(s.Players)/(2*s.Referees))},
				l.opts.Endpoint, ready)
		})
	}
	named := func(n int) string { return fmt.Sprintf("%s (%s)", host.NameOf("House", n), s.Players[n]) }
	keys := l.Invite(ctx, len(s.Players), named)
	for n, strategy := range s.Players {
		f := l.botAgent(n, named(n))
		f.JoinKey = keys[f.Name]
		c.Queue(func(ready func(id, at string)) error {
			mind, err := host.StrategyFor(strategy, l.opts.Game.Type)
			if err != nil {
				return fmt.Errorf("config/leagues/%s.json: house.players: %w", l.opts.LeagueID, err)
			}
			return l.Env.RunPlayer(ctx, host.Player{Agent: f, Strategy: mind}, l.opts.Endpoint, ready)
		})
	}
	c.Then(l.Manager.Release)
	l.bots.Add(1)
	l.work(func() {
		defer l.bots.Done()
		defer log.Close()
		defer dismiss()
		defer c.Wait()
		select {
		case <-l.Manager.Done():
			l.Manager.Settle(life)
			dismiss()
		case <-life.Done():
		}
	})
}

// byItself is the inviter of the players that run in the manager's process.
const byItself = "the manager itself"

// Invite makes join keys for the players that run in the manager's process, in a league for invited agents. A player
// that joined without a key is identified by its token.
func (l *League) Invite(ctx context.Context, count int, named func(n int) string) (keys map[string]string) {
	if !l.opts.InvitedOnly || l.over() {
		return nil
	}
	in := map[string]bool{}
	l.Manager.Read(func(s *league.State) {
		for _, a := range s.Roster(protocol.RolePlayer) {
			in[a.Name] = a.Invitation == ""
		}
	})
	var names []string
	for n := range count {
		if name := named(n); !in[name] {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	list, err := l.Manager.Invite(ctx, protocol.RolePlayer, names, byItself)
	if err != nil {
		l.opts.Logger.Warn("the manager's own players have no join keys", slog.String("league_id", l.opts.LeagueID),
			slog.Any("error", err))
	}
	keys = map[string]string{}
	for _, i := range list {
		keys[i.DisplayName] = i.Key
	}
	return keys
}

// inviteListed invites the players of the league's description.
func (l *League) inviteListed() {
	if len(l.Env.League.Invited) == 0 || l.closed() {
		return
	}
	if _, err := l.Manager.Invite(l.life, protocol.RolePlayer, l.Env.League.Invited, "the league's description"); err != nil {
		l.opts.Logger.Warn("the players of the description are not invited", slog.String("league_id", l.opts.LeagueID),
			slog.Any("error", err))
	}
}

// botAgent returns the configuration of the n-th built-in agent of its role.
func (l *League) botAgent(n int, name string) host.Agent {
	return host.Agent{
		Shared: l.mux, Path: fmt.Sprintf("house-%d", n+1), Name: name, LeagueID: l.opts.LeagueID, Own: true,
		Strict: l.opts.Strict, Game: l.opts.Game.Type, OneSeason: true, Seed: l.seed(name),
	}
}

// seed derives the key of a built-in agent in a cluster: every manager that runs the league runs the same agents. A
// manager without a cluster keeps their keys in its root.
func (l *League) seed(name string) []byte {
	if l.botSecret == nil {
		return nil
	}
	mac := hmac.New(sha256.New, l.botSecret)
	fmt.Fprintf(mac, "%s\n%s", l.Env.League.FirstSeason(), name)
	return mac.Sum(nil)
}

// absent logs that a built-in agent does not take part. The league goes on without it.
func (l *League) absent(err error) {
	if err != nil {
		l.opts.Logger.Warn("a built-in agent does not take part", slog.String("league_id", l.opts.LeagueID),
			slog.Any("error", err))
	}
}

// wait returns when the league's manager and crew have ended, and closes its files.
func (l *League) wait() error {
	l.Manager.Wait()
	l.crew.Wait()
	return errors.Join(l.Env.Matches(l.ID()).Close(), l.log.Close())
}
