package server

import (
	"context"
	"strings"

	"agentleague/league"
	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/seat"
)

// audience classifies the caller of a tools list by its token. It only decides on the list: every tool call is
// authenticated again.
func (c *Server) audience(ctx context.Context, l *League, from rpc.From) rpc.Audience {
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
	case l.grants(ctx, token):
		return rpc.ForAdmin
	}
	return rpc.ForGuest
}

// grants reports whether a token is a valid token of the authorization server for the admin.
func (l *League) grants(ctx context.Context, token string) bool {
	if l.resource == nil {
		return false
	}
	_, err := l.resource.Grant(ctx, token)
	return err == nil
}

// knows reports whether a sender is an agent of the league.
func (l *League) knows(sender string) (yes bool) {
	role, id := protocol.ParseSender(sender)
	l.Manager.Read(func(s *league.State) { yes = s.Agents[id] != nil && s.Agents[id].Role == role })
	return yes
}
