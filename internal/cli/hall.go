package cli

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"sync"

	"agentleague/files"
	"agentleague/host"
	"agentleague/league"
	"agentleague/league/mcpserver"
	"agentleague/metrics"
	"agentleague/protocol"
)

// A hall is one league on a campus: its manager, the rooms of agents that share
// the port, and those agents that the manager's process runs itself.
type hall struct {
	house   *host.Env
	log     *files.Log
	opts    league.Options
	figures *metrics.Agent
	mux     *host.PathMux
	manager *league.Manager
	crew    sync.WaitGroup // the agents of the house, and who follows their league
}

// newHall furnishes one: all that a league needs before it is opened.
func newHall(h *host.Env, shared *host.PathMux, edit func(*league.Options)) (*hall, error) {
	o, err := managerOptions(h)
	if err != nil {
		return nil, err
	}
	edit(&o)
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
	l := &hall{house: h, log: log, opts: o, figures: figures, mux: shared}
	words := &lastWords{kept: h.LastWords(o.LeagueID), logger: o.Logger, start: func(f func()) { l.crew.Go(f) }}
	l.opts.LastWord = words.hear
	return l, nil
}

// show has the manager show its league over MCP.
func (l *hall) show(life context.Context) {
	show := mcpserver.Open(l.manager, mcpserver.Options{Record: recordsOf(l.house, l.opts.LeagueID)})
	l.crew.Go(func() { show.Follow(life) })
}

// ServeHTTP answers what comes for the manager or for an agent that has a room.
func (l *hall) ServeHTTP(w http.ResponseWriter, r *http.Request) { l.mux.ServeHTTP(w, r) }

// over reports whether the league has been played to its end.
func (l *hall) over() (yes bool) {
	l.manager.Read(func(s *league.State) { yes = s.Completed() })
	return yes
}

// staff starts the agents of the house, unless the league is over. Matches start
// when all of them are there; they leave when the league is over.
func (l *hall) staff(life context.Context) {
	s := l.house.League.House
	if s == nil || l.over() {
		return
	}
	ctx, dismiss := context.WithCancel(life)
	c := &host.Crew{Context: ctx, Fail: l.absent}
	for n := range s.Referees {
		f := l.flags(n, host.NameOf("House Referee", n))
		c.Queue(func(ready func(id, at string)) error {
			return l.house.RunReferee(ctx, host.Referee{Agent: f, MaxMatches: max(2, len(s.Players)/(2*s.Referees))}, l.opts.Endpoint, ready)
		})
	}
	for n, strategy := range s.Players {
		f := l.flags(n, fmt.Sprintf("%s (%s)", host.NameOf("House", n), strategy))
		c.Queue(func(ready func(id, at string)) error {
			mind, err := host.Strategy(strategy)
			if err != nil {
				return fmt.Errorf("config/leagues/%s.json: house.players: %w", l.opts.LeagueID, err)
			}
			return l.house.RunPlayer(ctx, host.Player{Agent: f, Strategy: mind}, l.opts.Endpoint, ready)
		})
	}
	c.Then(l.manager.Release)
	l.crew.Go(func() {
		defer dismiss()
		defer c.Wait()
		select {
		case <-l.manager.Done():
			l.manager.Settle(life)
			dismiss()
		case <-life.Done():
		}
	})
}

// flags are those of the n-th agent of the house in its role.
func (l *hall) flags(n int, name string) host.Agent {
	return host.Agent{Shared: l.mux, Path: fmt.Sprintf("house-%d", n+1), Name: name, LeagueID: l.opts.LeagueID, Own: true, Strict: l.opts.Strict}
}

// absent notes that an agent of the house does not take part. The league goes on without it.
func (l *hall) absent(err error) {
	if err != nil {
		l.opts.Logger.Warn("an agent of the house does not take part", slog.String("league_id", l.opts.LeagueID), slog.Any("error", err))
	}
}

// wait returns when the league has come to rest.
func (l *hall) wait() error {
	l.manager.Wait()
	l.crew.Wait()
	return l.log.Close()
}
