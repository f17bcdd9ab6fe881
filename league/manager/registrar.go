package manager

import (
	"context"
	"time"

	"agentleague/league"
	"agentleague/league/keyring"
	"agentleague/league/registration"
)

// newRegistrar returns the registrar of a league, connected with the parts that it needs.
func newRegistrar(
	c *core, l *ledger, calls *caller, auth *authenticator, keys *keyring.Keyring, lobby *lobby, d *dispatcher,
) *registration.Registrar {
	o := c.opts
	return registration.New(registration.Config{
		LeagueID: o.LeagueID, Endpoint: o.Endpoint, PublicURL: c.outside(), Node: c.Node, Life: c.ctx, Guard: o.Guard,
		Asks: o.Game.Asks, League: l, Agents: &registered{calls, lobby, d}, Auth: auth, Keys: keys, Log: c.logEvent,
		Limits: func() league.Limits {
			return league.Limits{
				MaxPlayers: o.MaxPlayers, MaxReferees: o.MaxReferees, Closed: lobby.isStarting(),
				InvitedOnly: o.InvitedOnly, Guests: o.GuestReferees, Regulars: o.Regulars,
				UniqueNames: o.Profile.Rules().UniqueNames,
				Late:        o.scheduling(),
				Answered:    func(id string) bool { return lobby.probeState(id) == probeReached },
			}
		},
		Asked: c.asked, IsPublic: c.isPublic, IsRelay: c.isRelay, Dialect: o.Dialect, Next: o.Next, Vacant: o.Vacant,
	})
}

// registered implements the interface through which package registration reaches the agents of a league.
type registered struct {
	calls    *caller
	lobby    *lobby
	dispatch *dispatcher
}

// Answers reports whether an agent still answers at its registered endpoint; see caller.answers.
func (r *registered) Answers(ctx context.Context, a league.Registered) (signed league.Found, there bool) {
	return r.calls.answers(ctx, a)
}

// Arrived restarts the probe of an agent that has registered from an address, and orders its matches again.
func (r *registered) Arrived(id, addr string) {
	r.lobby.restartProbe(id, addr)
	r.dispatch.restartMatches(id)
}

// Returned handles a repeated registration that changed nothing: it restarts a failed probe of the agent and orders the
// agent's matches again.
func (r *registered) Returned(id, addr string) {
	r.lobby.recordCaller(id, addr)
	r.dispatch.Read(func(s *league.State) {
		if a := s.Agents[id]; a != nil {
			r.dispatch.returned.Store(id, repeated{time.Now(), a.RegisteredAt})
		}
	})
	r.LookAgain(id)
}

// LookAgain restarts a failed probe of an agent after an unauthenticated claim that it is back, and orders its matches
// again.
func (r *registered) LookAgain(id string) {
	r.lobby.lookAgain(id)
	r.dispatch.restartMatches(id)
}
