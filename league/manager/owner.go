package manager

import (
	"agentleague/league"
	"agentleague/protocol"
)

// Owner returns the id of the player with this owner key or join key, and "" if it is neither. A ticket of a foreign
// player proves nothing: any caller that registers in its place gets it.
func (m *Manager) Owner(secret string) string { return m.gate.owner(secret) }

func (g *gate) owner(secret string) (id string) {
	g.Read(func(s *league.State) {
		if i := g.keys.invitationOf(s, protocol.RolePlayer, secret); i != nil {
			id = i.Agent
			return
		}
		a := s.Agents[protocol.OwnedBy(secret)]
		c := g.keys.credential(s, a)
		if c != nil && a.Role == protocol.RolePlayer &&
			protocol.SameToken(secret, protocol.OwnerKey(c.Token, c.LeagueID, a.ID)) {
			id = a.ID
		}
	})
	return id
}
