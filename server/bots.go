package server

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"log/slog"

	"agentleague/host"
	"agentleague/league"
	"agentleague/protocol"
)

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
	expected := max(len(s.Players), len(l.Env.League.Invited))
	for n := range s.Referees {
		f := l.botAgent(n, host.NameOf("House Referee", n))
		c.Queue(func(ready func(id, at string)) error {
			return l.Env.RunReferee(ctx, host.Referee{Agent: f, MaxMatches: max(2, usual.MaxMatches, expected/(2*s.Referees))},
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
	c.Then(l.Manager.Orders.Release)
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

// byItself is the origin, in the log, of invitations for the players that run in the manager's process.
const byItself = "the manager itself"

// Invite creates join keys for players that run in the manager's process, by name, if the league admits only invited
// agents; otherwise it returns nil. A player that has joined before without a key is identified by its token.
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
	list, err := l.Manager.Registrar.Invite(ctx, protocol.RolePlayer, names, byItself)
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

// inviteListed invites the players that the league's description lists.
func (l *League) inviteListed() {
	if len(l.Env.League.Invited) == 0 || l.closed() {
		return
	}
	if _, err := l.Manager.Registrar.Invite(l.life, protocol.RolePlayer, l.Env.League.Invited, "the league's description"); err != nil {
		l.opts.Logger.Warn("the players of the description are not invited", slog.String("league_id", l.opts.LeagueID),
			slog.Any("error", err))
	}
}

// botAgent returns the configuration of the n-th built-in agent of its role.
func (l *League) botAgent(n int, name string) host.Agent {
	return host.Agent{
		Shared: l.mux, Path: fmt.Sprintf("house-%d", n+1), Name: name, LeagueID: l.opts.LeagueID, Own: true,
		Strict: l.opts.Strict, Profile: l.Env.League.Profile, Game: l.opts.Game.Type, OneSeason: true, Seed: l.seed(name),
	}
}

// seed derives the private key of a built-in agent in a cluster, so that every manager that takes over the league runs
// the same agents. Without a cluster it returns nil: their keys are stored in the data directory.
func (l *League) seed(name string) []byte {
	if l.botSecret == nil {
		return nil
	}
	mac := hmac.New(sha256.New, l.botSecret)
	fmt.Fprintf(mac, "%s\n%s", l.Env.League.FirstSeason(), name)
	return mac.Sum(nil)
}

// absent logs that a built-in agent does not take part. The league continues without it.
func (l *League) absent(err error) {
	if err != nil {
		l.opts.Logger.Warn("a built-in agent does not take part", slog.String("league_id", l.opts.LeagueID),
			slog.Any("error", err))
	}
}
