package manager

import (
	"slices"
	"strings"

	"agentleague/league"
	"agentleague/protocol"
	"agentleague/rpc"
)

// Some referees of other makes keep no token: they show none, or a word of
// their own in its place. Such a one is believed by its address, as a player is
// that answers by a call, and only for what a referee needs to do its work. One
// that has shown its token is not believed without it any more.

// tokenless returns the referee that a message without a token of ours comes
// from, or nil if it has to show one.
func (m *Manager) tokenless(from rpc.From, h *protocol.Envelope) *league.Agent {
	if m.Node.Strict || !refereesWork[h.MessageType] || strings.HasPrefix(h.AuthToken, "tok_player_") || strings.HasPrefix(h.AuthToken, "tok_referee_") {
		return nil
	}
	var found *league.Agent
	m.Read(func(s *league.State) {
		for _, a := range s.Roster(protocol.RoleReferee) {
			if a.Native() || m.showed(a) || !m.speaksFor(h, s, a) {
				continue
			}
			if found != nil { // it could be either
				found = nil
				return
			}
			found = a
		}
	})
	if found == nil || !m.Node.ComesFrom(m.ctx, from, found.Endpoint) {
		return nil
	}
	return found
}

// refereesWork are the messages that a referee cannot do without.
var refereesWork = map[protocol.Type]bool{
	protocol.TypeMatchResultReport: true, protocol.TypeAssignedMatches: true, protocol.TypeLeagueQuery: true,
}

// showed reports whether an agent has ever shown its token. The caller holds the lock.
func (m *Manager) showed(a *league.Agent) bool {
	return m.shown[m.token(a)]
}

// speaksFor reports whether a message can be from a referee: it says so, or it
// is about a match that this referee holds. Where the players are is asked only
// by one that has a match to play.
func (m *Manager) speaksFor(h *protocol.Envelope, s *league.State, a *league.Agent) bool {
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

// onlyMatch returns the match that a referee has been told to play, if it is one and no more.
func (m *Manager) onlyMatch(referee string) string {
	var held, told []league.MatchAssigned
	m.Read(func(s *league.State) {
		for _, match := range s.Open() {
			if a := match.Attempt(); a.Referee == referee {
				held = append(held, a)
			}
		}
	})
	m.locked(func(v *volatile) {
		for _, a := range held {
			if v.ordered[a] {
				told = append(told, a)
			}
		}
	})
	if len(told) != 1 {
		return ""
	}
	return told[0].Match
}

// foreign reports whether an agent is of another make.
func (m *Manager) foreign(id string) (yes bool) {
	m.Read(func(s *league.State) { yes = s.Agents[id] != nil && !s.Agents[id].Native() })
	return yes
}

// organisers reports whether a referee is the organiser's.
func (m *Manager) organisers(id string) (yes bool) {
	m.Read(func(s *league.State) { yes = s.Agents[id] != nil && s.Agents[id].Organiser })
	return yes
}

// played records the result that a referee told in its answer to the order.
func (m *Manager) played(referee string, r *protocol.MatchResultReport) error {
	return m.count(m.ctx, referee, r)
}
