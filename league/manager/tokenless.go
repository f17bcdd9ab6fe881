package manager

import (
	"slices"
	"strings"

	"agentleague/league"
	"agentleague/protocol"
	"agentleague/rpc"
)

// Some third-party referees send no token, or a placeholder. Such a referee is identified by its address, and only for
// the messages that it needs for its work. Once a referee has sent its token, messages without it are refused.

// tokenless returns the third-party referee that sent a message without a token of this manager. The referee is
// identified by its address and by the sender or the match of the message. The result is nil if the message needs a
// token, or could be from several referees.
func (g *authenticator) tokenless(from rpc.From, h *protocol.Envelope) *league.Registered {
	if g.Node.Strict || !tokenlessTypes[h.MessageType] || strings.HasPrefix(h.AuthToken, "tok_player_") ||
		strings.HasPrefix(h.AuthToken, "tok_referee_") {
		return nil
	}
	var found *league.Registered
	g.Read(func(s *league.State) {
		for _, a := range s.Roster(protocol.RoleReferee) {
			if a.Native() || g.hasSentToken(s, a) || !mayBeFrom(h, s, a) {
				continue
			}
			if found != nil { // it could be either
				found = nil
				return
			}
			found = registrationOf(a)
		}
	})
	if found == nil || !g.Node.ComesFrom(g.ctx, from, found.Endpoint) {
		return nil
	}
	return found
}

// tokenlessTypes lists the messages that a referee may send without a token.
var tokenlessTypes = map[protocol.Type]bool{
	protocol.TypeMatchResultReport: true, protocol.TypeAssignedMatches: true, protocol.TypeLeagueQuery: true,
}

// hasSentToken reports whether an agent has sent its token since the manager started.
func (g *authenticator) hasSentToken(s *league.State, a *league.Agent) bool {
	token := g.keys.Token(s, a)
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.shown[token]
}

// mayBeFrom reports whether a message can be from referee a, by its sender field or by its match, which must be
// assigned to a. For a query, a must have an open match, since the answer can contain the players' addresses.
func mayBeFrom(h *protocol.Envelope, s *league.State, a *league.Agent) bool {
	holds := func(match *league.Match) bool { return match.Attempt().Referee == a.ID }
	if h.MessageType == protocol.TypeLeagueQuery && !slices.ContainsFunc(s.Open(), holds) {
		return false
	}
	if role, id := protocol.ParseSender(h.Sender); h.Sender != "" {
		return role == protocol.RoleReferee && id == a.ID
	}
	if h.MessageType != protocol.TypeMatchResultReport || h.MatchID == "" {
		return true
	}
	match := s.Matches[h.MatchID]
	return match != nil && holds(match)
}
