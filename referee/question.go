package referee

import (
	"errors"
	"time"

	"agentleague/game"
	"agentleague/protocol"
)

// A question is sent to all seats of a stage.
type question struct {
	reply      protocol.Type
	timeout    time.Duration
	mayDecline bool
	message    func(s *seat, deadline time.Time) protocol.Message
	check      func(s *seat, answer protocol.Message) *protocol.Error
}

// errDeclined is a player's own no. It is not asked again, and it is not an error.
var errDeclined = &protocol.Error{Kind: &protocol.Kind{Code: protocol.Declined, Name: "INVITATION_DECLINED"},
	Detail: "the player declined the invitation"}

// invitation asks the seats to join.
func (m *match) invitation() question {
	return question{
		reply:      protocol.TypeGameJoinAck,
		timeout:    m.env.opts.Policy.JoinTimeout,
		mayDecline: true,
		message: func(s *seat, _ time.Time) protocol.Message {
			return &protocol.GameInvitation{
				Envelope: m.envelope(s, protocol.TypeGameInvitation), GameType: m.start.GameType,
				RoleInMatch: s.role, Role: s.role, PlayerID: s.ID, OpponentID: s.opponent, Attempt: m.start.Attempt,
				Fairness: protocol.Fairness{Commitment: m.commitment},
			}
		},
		check: func(s *seat, answer protocol.Message) *protocol.Error {
			ack := answer.(*protocol.GameJoinAck)
			if failure := m.checkAssumed(s, ack); failure != nil {
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

// choice asks the seats to move for their moves. A choice of parity has a separate message type; every other move
// uses the general form.
func (m *match) choice() question {
	q := question{timeout: m.env.opts.Policy.MoveTimeout, message: m.moveCall, reply: protocol.TypeGameMoveResponse,
		check: m.checkMove}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.asksParity() {
		q.message, q.reply = m.parityCall, protocol.TypeChooseParityResponse
	}
	return q
}

// asksParity reports whether the game asks for even or odd now: that question has a separate message type.
func (m *match) asksParity() bool {
	seats := m.state.ToMove()
	return len(seats) > 0 && m.state.View(seats[0]).Ask == protocol.ParityMove
}

// parityCall asks a seat for even or odd. The deadline is rounded up, so that it is never stated earlier than it is.
func (m *match) parityCall(s *seat, deadline time.Time) protocol.Message {
	return &protocol.ChooseParityCall{
		Envelope: m.envelope(s, protocol.TypeChooseParityCall), PlayerID: s.ID, GameType: m.start.GameType,
		Context:  protocol.ChooseContext{OpponentID: s.opponent, RoundID: m.start.RoundID, YourStandings: s.Standings},
		Deadline: protocol.StampUp(deadline), Attempt: m.start.Attempt,
	}
}

// moveCall asks a seat for a move of any other game, with its view and its options.
func (m *match) moveCall(s *seat, deadline time.Time) protocol.Message {
	m.mu.Lock()
	v := m.state.View(s.index)
	m.mu.Unlock()
	return &protocol.GameMoveCall{
		Envelope: m.envelope(s, protocol.TypeGameMoveCall), PlayerID: s.ID, GameType: m.start.GameType,
		MoveRequest: protocol.MoveRequest{MoveType: v.Ask, ValidOptions: v.Options, Context: v.Context},
		OpponentID:  s.opponent, Turn: v.Turn, View: v.Text(), Deadline: protocol.StampUp(deadline), Attempt: m.start.Attempt,
	}
}

// illegal returns the kind of error for an answer with an illegal move.
func illegal(answer protocol.Message) *protocol.Kind {
	if answer.Head().MessageType == protocol.TypeChooseParityResponse {
		return protocol.InvalidChoice
	}
	return protocol.InvalidMove
}

// notAMove begins the sentence about an answer that is no legal move.
func notAMove(answer protocol.Message) string {
	called, member := "legal move", "move_data.choice"
	if illegal(answer) == protocol.InvalidChoice {
		called, member = "choice", "parity_choice"
	}
	move := string(moveOf(answer))
	if move == "" || move == "null" {
		return "the answer has no " + member
	}
	return protocol.Clip(protocol.Plain(move), 60) + " is not a " + called
}

// checkMove decides whether an answer is a move. A signature that does not fit is refused like an illegal move, and
// can be corrected in the next try.
func (m *match) checkMove(s *seat, answer protocol.Message) *protocol.Error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s.signer != nil {
		if failure := s.signer.take(m.turn, viewText(m.state, s.index), moveOf(answer), proofOf(answer)); failure != nil {
			failure.Kind = illegal(answer)
			return failure
		}
	}
	if err := m.state.Check(s.index, moveOf(answer)); err != nil {
		why := err.Error()
		if refused, ok := errors.AsType[*game.IllegalMove](err); ok {
			why = refused.Why
		}
		return protocol.Errorf(illegal(answer), "%s: %s", notAMove(answer), why)
	}
	s.answered = true
	return nil
}
