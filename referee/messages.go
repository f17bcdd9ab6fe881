package referee

import (
	"time"

	"agentleague/protocol"
)

// envelope returns the envelope of a message to the seat's player.
func (s *seat) envelope(t protocol.Type) protocol.Envelope {
	return protocol.Envelope{
		Protocol: protocol.Version, MessageType: t, Sender: s.match.env.node.Sender(), Timestamp: protocol.Stamp(time.Now()),
		ConversationID: s.conversation, AuthToken: s.Token,
		LeagueID: s.match.start.LeagueID, RoundID: s.match.start.RoundID, MatchID: s.match.start.MatchID,
	}
}

// parityCall returns the question for even or odd. The stated deadline is rounded up to whole seconds, never down.
func (s *seat) parityCall(deadline time.Time) protocol.Message {
	return &protocol.ChooseParityCall{
		Envelope: s.envelope(protocol.TypeChooseParityCall), PlayerID: s.ID, GameType: s.match.start.GameType,
		Context:  protocol.ChooseContext{OpponentID: s.opponent, RoundID: s.match.start.RoundID, YourStandings: s.Standings},
		Deadline: protocol.StampUp(deadline), Attempt: s.match.start.Attempt,
	}
}

// moveCall returns the question for a move of any other game, with the seat's view and options.
func (s *seat) moveCall(deadline time.Time) protocol.Message {
	s.match.mu.Lock()
	v := s.match.state.View(s.index)
	s.match.mu.Unlock()
	return &protocol.GameMoveCall{
		Envelope: s.envelope(protocol.TypeGameMoveCall), PlayerID: s.ID, GameType: s.match.start.GameType,
		MoveRequest: protocol.MoveRequest{MoveType: v.Ask, ValidOptions: v.Options, Context: v.Context},
		OpponentID:  s.opponent, Turn: v.Turn, View: v.Text(), Deadline: protocol.StampUp(deadline), Attempt: s.match.start.Attempt,
	}
}

// gameOver returns the message that informs the seat's player of the result.
func (s *seat) gameOver(result protocol.GameResult) *protocol.GameOver {
	shown := result
	shown.Score, shown.Reason = nil, toldReason(result)
	return &protocol.GameOver{
		Envelope: s.envelope(protocol.TypeGameOver), GameType: s.match.start.GameType, PlayerID: s.ID, OpponentID: s.opponent,
		GameResult: shown, Result: heard(s.ID, result), Winner: result.WinnerPlayerID, DrawnNumber: result.DrawnNumber,
		YourChoice: result.Choices[s.ID], OpponentChoice: result.Choices[s.opponent], PointsEarned: result.Score[s.ID],
		Attempt:  s.match.start.Attempt,
		Fairness: new(s.match.fairness()), Score: result.Choices, Details: result.Ending(s.match.start.PlayerA.ID),
	}
}
