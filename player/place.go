package player

import (
	"agentleague/protocol"
)

// A place is who a player is in a league. Guarded by its agent.
type place struct {
	id     string // granted, or before that the one to ask for
	token  string
	league string
	seal   string // of the league; "": no manager has welcomed it
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
