package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"sync"

	"agentleague/files"
	"agentleague/league"
	"agentleague/league/mcpserver"
	"agentleague/metrics"
	"agentleague/protocol"
)

// A hall is one league on a campus: its manager, the rooms of agents that share
// the port, and those agents that the manager's process runs itself.
type hall struct {
	house   *house
	log     *files.Log
	opts    league.Options
	figures *metrics.Agent
	rooms   *rooms
	manager *league.Manager
	crew    sync.WaitGroup // the agents of the house, and who follows their league
}

// hall furnishes one: all that a league needs before it is opened.
func (h *house) hall(shared *rooms, edit func(*league.Options)) (*hall, error) {
	o, err := h.managerOptions()
	if err != nil {
		return nil, err
	}
	edit(&o)
	log, err := h.LeagueLog(o.LeagueID, slog.LevelDebug)
	if err != nil {
		return nil, err
	}
	o.Logger, o.Observe = h.logger(log, protocol.Manager), logMessages(log)
	figures := metrics.New()
	o.Options = figures.Watch(o.Options)
	if shared == nil {
		shared = newRooms()
	}
	l := &hall{house: h, log: log, opts: o, figures: figures, rooms: shared}
	words := &lastWords{kept: h.LastWords(o.LeagueID), logger: o.Logger, start: func(f func()) { l.crew.Go(f) }}
	l.opts.LastWord = words.hear
	return l, nil
}

// show has the manager show its league over MCP.
func (l *hall) show(life context.Context) {
	show := mcpserver.Open(l.manager, mcpserver.Options{Record: l.house.record(l.opts.LeagueID)})
	l.crew.Go(func() { show.Follow(life) })
}

// ServeHTTP answers what comes for the manager or for an agent that has a room.
func (l *hall) ServeHTTP(w http.ResponseWriter, r *http.Request) { l.rooms.ServeHTTP(w, r) }

// over reports whether the league has been played to its end.
func (l *hall) over() (yes bool) {
	l.manager.Read(func(s *league.State) { yes = s.Completed() })
	return yes
}

// staff starts the agents of the house, unless the league is over. Matches start
// when all of them are there; they leave when the league is over.
func (l *hall) staff(life context.Context) {
	s := l.house.league.House
	if s == nil || l.over() {
		return
	}
	ctx, dismiss := context.WithCancel(life)
	c := &crew{ctx: ctx, fail: l.absent}
	for n := range s.Referees {
		f := l.flags(n, nameOf("House Referee", n))
		c.queue(func(ready func(id, at string)) error {
			return l.house.hostReferee(ctx, f, l.opts.Endpoint, max(2, len(s.Players)/(2*s.Referees)), ready)
		})
	}
	named := func(n int) string { return fmt.Sprintf("%s (%s)", nameOf("House", n), s.Players[n]) }
	keys := l.invite(ctx, len(s.Players), named)
	for n, strategy := range s.Players {
		f := l.flags(n, named(n))
		f.joinKey = keys[f.name]
		c.queue(func(ready func(id, at string)) error {
			mind, err := strategyNamed(strategy)
			if err != nil {
				return fmt.Errorf("config/leagues/%s.json: house.players: %w", l.opts.LeagueID, err)
			}
			return l.house.hostPlayer(ctx, f, l.opts.Endpoint, mind, ready)
		})
	}
	c.release(l.manager)
	l.crew.Go(func() {
		defer dismiss()
		defer c.group.Wait()
		select {
		case <-l.manager.Done():
			l.manager.Settle(life)
			dismiss()
		case <-life.Done():
		}
	})
}

// byItself is who invites the players that the manager's own process runs.
const byItself = "the manager itself"

// invite makes join keys for the players that the manager's own process runs, in a league for invited agents. One that
// is in the league without a key is known by its token.
func (l *hall) invite(ctx context.Context, count int, named func(n int) string) (keys map[string]string) {
	if !l.opts.InvitedOnly || l.over() {
		return nil
	}
	in := map[string]bool{}
	l.manager.Read(func(s *league.State) {
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
	list, err := l.manager.Invite(ctx, protocol.RolePlayer, names, byItself)
	if err != nil {
		l.opts.Logger.Warn("the manager's own players have no join keys",
			slog.String("league_id", l.opts.LeagueID), slog.Any("error", err))
	}
	keys = map[string]string{}
	for _, i := range list {
		keys[i.DisplayName] = i.Key
	}
	return keys
}

// flags are those of the n-th agent of the house in its role.
func (l *hall) flags(n int, name string) agentFlags {
	return agentFlags{shared: l.rooms, room: fmt.Sprintf("house-%d", n+1), name: name, leagueID: l.opts.LeagueID, own: true, strict: l.opts.Strict}
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
