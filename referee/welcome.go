package referee

import (
	"cmp"
	"fmt"

	"agentleague/protocol"
	"agentleague/rpc"
)

// A manager of ours gives the token by a welcome at the referee's endpoint,
// one of another make in its answer.
//
//	referee ── register_referee {public_key} ─▶ manager
//	referee ◀─ welcome {id, token} ───────────         from here on the token counts
//	referee ◀─ ACCEPTED ──────────────────────

// taken takes the place of a welcome: the manager may speak with its token at once.
func (r *Referee) taken(id rpc.Identity) {
	r.mu.Lock()
	r.welcomed = &id
	r.mu.Unlock()
	r.settleIn(protocol.Grant{ID: id.ID, Token: id.Token, League: id.LeagueID, Native: true})
}

// settleIn makes the referee the one that a grant names.
func (r *Referee) settleIn(g protocol.Grant) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.grant, r.registered = g, true
	r.Node.SetSender(protocol.Sender(protocol.RoleReferee, g.ID))
}

// unwelcome forgets the welcome of an earlier registration. What it returns
// puts the referee back where it was, for a registration that is refused after
// its welcome.
func (r *Referee) unwelcome() (back func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.welcomed = nil
	g, registered, sender := r.grant, r.registered, r.Node.Sender()
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.welcomed == nil {
			return
		}
		r.grant, r.registered = g, registered
		r.Node.SetSender(sender)
	}
}

// place returns what the manager has granted, by its answer and its welcome
// together, to a referee that showed this token.
func (r *Referee) place(answer *protocol.RefereeRegisterResponse, shown string) (protocol.Grant, error) {
	r.mu.Lock()
	welcomed := r.welcomed
	r.mu.Unlock()
	g, err := answer.Granted(r.id())
	switch {
	case err != nil:
		return g, err
	case welcomed != nil && welcomed.ID != g.ID:
		return g, fmt.Errorf("the manager welcomed this referee as %s but then registered it as %q; start it again",
			welcomed.ID, g.ID)
	case welcomed != nil:
		g.Token, g.League, g.Native = welcomed.Token, cmp.Or(g.League, welcomed.LeagueID), true
	case g.Token == "" && protocol.TokenOwner(shown) == protocol.Sender(protocol.RoleReferee, g.ID):
		g.Token = shown // it is known by its token, and nothing has changed
	case g.Token == "" && g.Native:
		return g,
			fmt.Errorf("the manager accepted the registration and gave no token, neither in its answer nor by a welcome at %s; "+
				"make sure that the manager can reach this address, and start the referee again", r.endpoint())
	}
	return g, nil
}

// endpoint is where the referee registers as being.
func (r *Referee) endpoint() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.url
}
