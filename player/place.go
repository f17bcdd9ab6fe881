package player

import (
	"agentleague/protocol"
	"agentleague/rpc"
)

// A place is the identity of a player in a league: its id, token and keys. Guarded by the agent's lock.
type place struct {
	id     string // granted, or before that the one to ask for
	token  string
	league string
	seal   string // of the league; "": no manager has challenged it
	native bool   // the manager is one of ours, and proves it
}

// showsReferee reports whether a message has the token of the referee that the manager has assigned to attempt b.
func (p *place) showsReferee(h *protocol.Envelope, b matchAttempt) bool {
	if !p.native || p.token == "" {
		return false
	}
	_, referee := protocol.ParseSender(h.Sender)
	return protocol.IsMatchToken(h.AuthToken, p.token, p.league, b.match, b.attempt, referee)
}

// showsManager reports whether a message has the token of this player's manager.
func (p *place) showsManager(h *protocol.Envelope) bool {
	return protocol.IsManagerToken(h.AuthToken, p.token, p.league, h.MessageType, h.RoundID)
}

// peer returns the address of the manager, with the player's credentials.
func (p *place) peer(manager string) rpc.Peer {
	if p.seal == "" {
		return rpc.Peer{Endpoint: manager, Token: p.token}
	}
	return rpc.Peer{Endpoint: manager, Dialect: protocol.Canonical,
		Auth: &protocol.Credential{Token: p.token, LeagueID: p.league, AgentID: p.id}}
}
