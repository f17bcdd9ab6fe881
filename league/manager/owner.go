package manager

import (
	"time"

	"agentleague/league"
	"agentleague/protocol"
	"agentleague/rpc"
)

// Owner returns the id of the player whose token or join key this is, and "" if it is nobody's or has expired. It is
// for people who speak for their player: that the token was shown is not noted, as it is when the player shows it. The
// token of a foreign player proves nothing, because anybody gets it who registers in its place; its join key does.
func (m *Manager) Owner(secret string) string { return m.gate.owner(secret) }

// owner is the id of the player that a token or a join key belongs to, "" if it is nobody's or has expired. A
// foreign player has no secret, and so no owner.
func (g *gate) owner(secret string) (id string) {
	if a := g.invited(rpc.From{}, secret); a != nil && a.Role == protocol.RolePlayer {
		return a.ID
	}
	role, named := protocol.ParseSender(protocol.TokenOwner(secret))
	if last := g.lastUsed(secret); !last.IsZero() && g.opts.TokenTTL > 0 && time.Since(last) > g.opts.TokenTTL {
		return ""
	}
	g.Read(func(s *league.State) {
		if a := s.Agents[named]; a != nil && a.Role == role && role == protocol.RolePlayer && a.Native() &&
			g.keys.owns(a, secret) {
			id = a.ID
		}
	})
	return id
}
