package manager

import (
	"context"

	"agentleague/league"
	"agentleague/protocol"
)

// Glimpse asks the referee of a match in play for its public state. The answer is optional and has no effect: the log
// holds the results. Only native referees are asked.
func (m *Manager) Glimpse(ctx context.Context, match string) (*protocol.MatchState, error) {
	var referee string
	var round, attempt int
	m.Read(func(s *league.State) {
		played := s.Matches[match]
		if played == nil || played.Outcome != nil || len(played.Assigned) == 0 {
			return
		}
		at := played.Attempt()
		if a := s.Agents[at.Referee]; a != nil && a.Native() {
			referee, round, attempt = at.Referee, played.Round, at.Attempt
		}
	})
	if referee == "" {
		return nil, protocol.Errorf(protocol.MatchNotFound, "no referee of this league is playing the match %q", match)
	}
	reply, err := m.Node.Call(ctx, m.calls.peer(referee), &protocol.Tool{Envelope: protocol.Envelope{
		MessageType: protocol.TypeGetMatchState, ConversationID: "conv-glimpse-" + match, LeagueID: m.ID(),
		RoundID: protocol.Round(round), MatchID: match,
	}})
	if err != nil {
		return nil, err
	}
	told, ok := reply.(*protocol.MatchState)
	if !ok || told.MatchID != match || told.Attempt != attempt {
		return nil, protocol.Errorf(protocol.MatchNotFound, "%s tells of another match", referee)
	}
	return told, nil
}
