package referee

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"agentleague/game"
	"agentleague/protocol"
	"agentleague/rpc"
)

// A seat is one player of a match.
type seat struct {
	protocol.Contender
	match        *match
	index        game.Seat
	sender       string // its player's name as a sender
	role         string
	opponent     string
	peer         rpc.Peer
	conversation string
	registered   time.Time
	retries      int

	// Guarded by the lock of the match.
	joined, answered, reached bool
	doubted                   bool // a third party has answered in its name
	tries                     int
	lost                      *protocol.Error // why it has forfeited; nil: it has not
	signer                    *signer         // nil: it does not sign
}

// newSeat creates the seat of a player. A suspended player gets no retries, except in grading mode: it has not answered
// since its last forfeit, and the match does not wait for it.
func newSeat(m *match, role string, c protocol.Contender, opponent string) *seat {
	s := &seat{
		Contender: c, match: m, index: game.Seat(len(m.seats)), sender: protocol.Sender(protocol.RolePlayer, c.ID), role: role,
		opponent: opponent, peer: peerOf(&c),
		conversation: protocol.MatchConversation(m.start.MatchID, m.start.Attempt, m.env.node.Nonce(12)),
		retries:      m.env.opts.Policy.MaxRetries, signer: newSigner(m.start, c, m.env.id(), m.commitment),
	}
	if c.State == protocol.AgentSuspended && !m.env.node.IsStrict() {
		s.retries = 0
	}
	s.registered, _, _ = protocol.ParseTime(c.RegisteredAt)
	return s
}

// sent adds a message that was sent to the player to the transcript. whole means that the transcript has all of the
// message except its token.
func (s *seat) sent(msg protocol.Message) (whole bool) {
	return s.match.transcript.sent(s.match.env.node.Sender(), s.sender, msg)
}

// received adds a message from the player to the transcript.
func (s *seat) received(msg protocol.Message) {
	s.match.transcript.received(s.sender, s.match.env.node.Sender(), msg)
}

// checkMove returns an error with the reason for which an answer is not a legal move, or nil. An invalid signature is
// treated like an illegal move: the player can correct it in the next try.
func (s *seat) checkMove(answer protocol.Message) *protocol.Error {
	s.match.mu.Lock()
	defer s.match.mu.Unlock()
	if s.signer != nil {
		if failure := s.signer.take(s.match.turn, viewText(s.match.state, s.index), moveOf(answer), proofOf(answer)); failure != nil {
			failure.Kind = illegal(answer)
			return failure
		}
	}
	if err := s.match.state.Check(s.index, moveOf(answer)); err != nil {
		why := err.Error()
		if refused, ok := errors.AsType[*game.IllegalMove](err); ok {
			why = refused.Why
		}
		return protocol.Errorf(illegal(answer), "%s: %s", notAMove(answer), why)
	}
	s.answered = true
	return nil
}

// checkAssumed cancels the match if the player at an assumed port does not show the expected id, and returns an error.
func (s *seat) checkAssumed(ack *protocol.GameJoinAck) *protocol.Error {
	shown := shownID(ack.PlayerID, ack.Sender)
	if !s.Assumed || shown == s.ID {
		return nil
	}
	err := &elsewhereError{s.Endpoint, s.ID, shown}
	s.match.stop(err)
	return protocol.Errorf(protocol.PlayerNotRegistered, "%v", err)
}

// notItsOwn returns an error if a callback does not come from the seat's player. It prevents a third party that knows
// only the token of the match from using up the tries of a native player.
func (s *seat) notItsOwn(answer protocol.Message) error {
	s.match.mu.Lock()
	defer s.match.mu.Unlock()
	why := s.doubts(answer)
	if why == "" {
		return nil
	}
	if !s.doubted { // one warning is enough
		s.doubted = true
		s.match.env.node.Logger.Warn("someone else answers for a player",
			slog.String("match_id", s.match.start.MatchID), slog.String("player_id", s.ID), slog.String("why", why))
	}
	return protocol.Errorf(protocol.AuthTokenInvalid, "this is not the answer of %s: %s", s.ID, why)
}

// doubts returns the reason for which a callback cannot come from the seat's player, or "". A native player signs its
// moves, and declines an invitation only in the direct answer. The caller holds the lock.
func (s *seat) doubts(answer protocol.Message) (why string) {
	g := s.signer
	if g == nil {
		return ""
	}
	if ack, ok := answer.(*protocol.GameJoinAck); ok {
		if !ack.Accepts() {
			why = "a player with a registered key must decline in its answer to the invitation"
		}
		return why
	}
	if failure := g.doubts(s.match.turn, viewText(s.match.state, s.index), moveOf(answer), proofOf(answer)); failure != nil {
		why = failure.Detail
	}
	return why
}

// forfeit records that the seat's player has lost by forfeit, because of failure.
func (s *seat) forfeit(failure *protocol.Error) {
	s.match.mu.Lock()
	defer s.match.mu.Unlock()
	s.lost = forfeitFor(failure)
	s.match.env.node.Logger.LogAttrs(s.match.env.base, slog.LevelWarn, fmt.Sprintf("%s loses %s by technical loss: %s", s.ID,
		s.match.start.MatchID, protocol.Plain(s.lost.AboutPlayer(s.ID))),
		slog.String("event_type", protocol.TechnicalLoss), slog.String("match_id", s.match.start.MatchID),
		slog.String("player_id", s.ID), slog.String("error_code", s.lost.Kind.Code),
		slog.Float64("after_sec", inSeconds(time.Since(s.match.began))))
}

// inSeconds converts a duration into seconds for the log, with millisecond precision.
func inSeconds(d time.Duration) float64 {
	return float64(d.Round(time.Millisecond).Milliseconds()) / 1000
}
