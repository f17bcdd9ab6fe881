package referee

import (
	"agentleague/protocol"
	"agentleague/rpc"
)

// peerOf returns the endpoint, dialect and credentials with which to call a player.
func peerOf(c *protocol.Contender) rpc.Peer {
	return rpc.Peer{Name: protocol.Sender(protocol.RolePlayer, c.ID), Endpoint: c.Endpoint, Dialect: c.Dialect, Token: c.Token}
}

// dialectsOf returns the detected dialects of third-party players by player id, so that other referees need not detect
// them again.
func dialectsOf(n *rpc.Node, start *protocol.StartMatch) map[string]string {
	out := map[string]string{}
	for _, c := range []*protocol.Contender{&start.PlayerA, &start.PlayerB} {
		if now := n.Dialect(peerOf(c)); now != "" && now != protocol.Canonical {
			out[c.ID] = now
		}
	}
	return out
}

// teach prepares a START_MATCH order for storage: it adds the detected dialects of the players and removes the
// manager's token.
func teach(n *rpc.Node, start *protocol.StartMatch) {
	start.AuthToken = ""
	start.PlayerA.Dialect = n.Dialect(peerOf(&start.PlayerA))
	start.PlayerB.Dialect = n.Dialect(peerOf(&start.PlayerB))
}

// hintDialect sets the manager's dialect as the first guess for each player whose dialect is unknown.
func hintDialect(start *protocol.StartMatch, manager string) {
	for _, c := range []*protocol.Contender{&start.PlayerA, &start.PlayerB} {
		if c.Dialect == "" {
			c.Dialect = manager
		}
	}
}
