package server

import (
	"strings"

	"agentleague/league"
	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/seat"
)

// audience tells what kind of caller asks for the tools of a league's manager,
// by the token that it shows. It decides on what is listed and on nothing else:
// whoever calls a tool shows its token again, and there it is checked.
func (c *Server) audience(l *League, from rpc.From) rpc.Audience {
	switch token := from.Token; {
	case token == "":
	case protocol.SameToken(token, l.opts.AdminToken):
		return rpc.ForAdmin
	case strings.HasPrefix(token, seat.KeyPrefix):
		if _, err := c.seats.Find(token); err == nil {
			return rpc.ForSeat
		}
	case l.knows(protocol.TokenOwner(token)):
		role, _ := protocol.ParseSender(protocol.TokenOwner(token))
		return rpc.Audience(role)
	}
	return rpc.ForGuest
}

// knows reports whether a sender is an agent of the league.
func (l *League) knows(sender string) (yes bool) {
	role, id := protocol.ParseSender(sender)
	l.Manager.Read(func(s *league.State) { yes = s.Agents[id] != nil && s.Agents[id].Role == role })
	return yes
}
