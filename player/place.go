package player

import (
	"agentleague/protocol"
	"agentleague/rpc"
)

// A place is who a player is in a league. Guarded by its agent.
type place struct {
	id     string // granted, or before that the one to ask for
	token  string
	league string
	seal   string // of the league; "": no manager has challenged it
	native bool   // the manager is one of ours, and so shows what only it can
}

// showsReferee reports whether a message shows what only a referee that our
// manager has given the match to can.
func (p *place) showsReferee(h *protocol.Envelope, b bout) bool {
	if !p.native || p.token == "" {
		return false
	}
	_, referee := protocol.ParseSender(h.Sender)
	return protocol.IsMatchToken(h.AuthToken, p.token, p.league, b.match, b.attempt, referee)
}

// showsManager reports whether a message shows what only this player's manager
// can.
func (p *place) showsManager(h *protocol.Envelope) bool {
	return protocol.IsManagerToken(h.AuthToken, p.token, p.league, h.MessageType, h.RoundID)
}

// byManager reports whether a message is authenticated by the player's manager. If that is the manager of another of its
// places, the player is the one of that place from then on. The caller holds the lock.
func (a *Agent) byManager(h *protocol.Envelope) bool {
	return a.native && a.showsManager(h) || a.recognise(func(token, league string) bool {
		return (&place{token: token, league: league}).showsManager(h)
	})
}

// byReferee is byManager for the referee of a bout. The caller holds the lock.
func (a *Agent) byReferee(h *protocol.Envelope, b bout) bool {
	return a.showsReferee(h, b) || a.recognise(func(token, league string) bool {
		return (&place{token: token, league: league, native: true}).showsReferee(h, b)
	})
}

// recognise makes the player the one that it is in the league under whose token a message is authenticated, and reports
// whether there is one. The caller holds the lock.
func (a *Agent) recognise(authentic func(token, league string) bool) bool {
	p, ok := a.who.Recognise(authentic)
	if ok {
		a.takePlace(p)
	}
	return ok
}

// toManager is how the player calls its manager, with what authenticates it there. The caller holds the lock.
func (a *Agent) toManager() rpc.Peer {
	if a.seal == "" {
		return rpc.Peer{Endpoint: a.manager, Token: a.token}
	}
	return rpc.Peer{Endpoint: a.manager, Dialect: protocol.Canonical,
		Auth: &protocol.Credential{Token: a.token, LeagueID: a.league, AgentID: a.id}}
}
