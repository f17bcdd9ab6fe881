package manager

import (
	"slices"
	"strings"

	"agentleague/league"
	"agentleague/protocol"
	"agentleague/rpc"
)

// Some foreign referees keep no token: they show none, or another word in its place. Such a referee is identified by
// its address, like a player that answers by a call, and only for the messages that it needs for its work. Once a
// referee has shown its token, messages without it are refused.

// tokenless returns the third-party referee that sent a message without a token of this manager. The referee is
// identified by its address and by the sender or the match of the message. The result is nil if the message needs a
// token, or could be from several referees.
func (g *authenticator) tokenless(from rpc.From, h *protocol.Envelope) *league.Registered {
	if g.Node.Strict || !refereesWork[h.MessageType] || strings.HasPrefix(h.AuthToken, "tok_player_") ||
		strings.HasPrefix(h.AuthToken, "tok_referee_") {
		return nil
	}
	var found *league.Registered
	g.Read(func(s *league.State) {
		for _, a := range s.Roster(protocol.RoleReferee) {
			if a.Native() || g.showed(s, a) || !speaksFor(h, s, a) {
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

// refereesWork are the messages that a referee cannot do without.
var refereesWork = map[protocol.Type]bool{
	protocol.TypeMatchResultReport: true, protocol.TypeAssignedMatches: true, protocol.TypeLeagueQuery: true,
}

// showed reports whether an agent has ever shown its token.
func (g *authenticator) showed(s *league.State, a *league.Agent) bool {
	token := g.keys.Token(s, a)
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.shown[token]
}

// speaksFor reports whether a message can be from a referee: by its sender, or by a match that this referee holds.
// Only a referee with a match may query the players' addresses.
func speaksFor(h *protocol.Envelope, s *league.State, a *league.Agent) bool {
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
