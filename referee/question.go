package referee

import (
	"time"

	"agentleague/protocol"
)

// A question is a message that all seats of one stage of the match must answer, such as an invitation or a move
// request.
type question struct {
	reply      protocol.Type
	timeout    time.Duration
	mayDecline bool
	message    func(s *seat, deadline time.Time) protocol.Message
	check      func(s *seat, answer protocol.Message) *protocol.Error
}

// errDeclined is the failure of a player that declines the invitation. It is not retried and not logged as an error.
var errDeclined = &protocol.Error{Kind: &protocol.Kind{Code: protocol.Declined, Name: "INVITATION_DECLINED"},
	Detail: "the player declined the invitation"}

// invitation returns the question by which the seats are invited to join the match.
func (m *match) invitation() question {
	return question{
		reply:      protocol.TypeGameJoinAck,
		timeout:    m.env.opts.Policy.JoinTimeout,
		mayDecline: true,
		message: func(s *seat, _ time.Time) protocol.Message {
			return &protocol.GameInvitation{
				Envelope: s.envelope(protocol.TypeGameInvitation), GameType: m.start.GameType,
				RoleInMatch: s.role, Role: s.role, PlayerID: s.ID, OpponentID: s.opponent, Attempt: m.start.Attempt,
				Fairness: protocol.Fairness{Commitment: m.commitment},
			}
		},
		check: func(s *seat, answer protocol.Message) *protocol.Error {
			ack := answer.(*protocol.GameJoinAck)
			if failure := s.checkAssumed(ack); failure != nil {
				return failure
			}
			if !ack.Accepts() {
				return errDeclined
			}
			m.mu.Lock()
			defer m.mu.Unlock()
			s.joined = true
			return nil
		},
	}
}

// choice returns the question for the next move. Even or odd has its own message type; all other moves use the general
// one.
func (m *match) choice() question {
	q := question{timeout: m.env.opts.Policy.MoveTimeout, message: (*seat).moveCall, reply: protocol.TypeGameMoveResponse,
		check: (*seat).checkMove}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.asksParity() {
		q.message, q.reply = (*seat).parityCall, protocol.TypeChooseParityResponse
	}
	return q
}

// asksParity reports whether the next question is for even or odd, which has its own message type.
func (m *match) asksParity() bool {
	seats := m.state.ToMove()
	return len(seats) > 0 && m.state.View(seats[0]).Ask == protocol.ParityMove
}
