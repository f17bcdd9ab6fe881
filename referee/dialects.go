package referee

import (
	"agentleague/protocol"
	"agentleague/rpc"
)

// peerOf returns how a player is reached.
func peerOf(c *protocol.Contender) rpc.Peer {
	return rpc.Peer{Endpoint: c.Endpoint, Dialect: c.Dialect, Token: c.Token}
}

// dialectsOf tells how players of other makes are spoken to, so that no other
// referee has to find out again.
func dialectsOf(n *rpc.Node, start *protocol.StartMatch) map[string]string {
	out := map[string]string{}
	for _, c := range []*protocol.Contender{&start.PlayerA, &start.PlayerB} {
		if now := n.Dialect(peerOf(c)); now != "" && now != protocol.Canonical {
			out[c.ID] = now
		}
	}
	return out
}

// teach makes an order what is kept of it: with all that is known by now of how its players are spoken to, without what
// the manager showed with it.
func teach(n *rpc.Node, start *protocol.StartMatch) {
	start.AuthToken = ""
	start.PlayerA.Dialect = n.Dialect(peerOf(&start.PlayerA))
	start.PlayerB.Dialect = n.Dialect(peerOf(&start.PlayerB))
}

// hintDialect has players of whom nothing is known spoken to first as their manager speaks.
func hintDialect(start *protocol.StartMatch, manager string) {
	for _, c := range []*protocol.Contender{&start.PlayerA, &start.PlayerB} {
		if c.Dialect == "" {
			c.Dialect = manager
		}
	}
}
