package rpc

import (
	"errors"
	"net"

	"agentleague/dialect"
	"agentleague/protocol"
	"agentleague/rpc/lifetime"
)

// Some players answer a call with an empty response and send their answer by a callback. Callbacks are accepted only
// while an expectation is open.

// ErrAnswered is the cause with which the context of [Node.Expect] ends when the answer has arrived as a callback.
var ErrAnswered = errors.New("answered by a call of the player's own")

// A Want describes an expected answer and its sender.
type Want struct {
	Type         protocol.Type
	Peer         Peer // its endpoint's address, and the token that it may show
	PlayerID     string
	CallsItself  string // another id that the player has for itself
	LeagueID     string
	MatchID      string
	Conversation string
	Derive       func(token string) string // derives the token of the match from a player's own token
	Asked        protocol.Message          // the question, whose options a move may name in other words; nil: it offers none

	// AnyToken means that the player belongs to a third-party manager. The token and conversation id in its callbacks
	// may then be those of that manager and prove nothing. Strict mode requires those of this node nevertheless.
	AnyToken bool

	// Refuse returns an error for an answer that is not accepted although its token is valid, since any reader of the
	// network may know the token. A nil Refuse accepts all such answers.
	Refuse func(answer protocol.Message) error
}

// An Expectation accepts a callback, from [Node.Expect] until Close.
type Expectation struct {
	Want
	among  *expectations
	life   lifetime.Context // ends when the answer has come
	addrs  []string
	answer protocol.Message
	calls  int              // to the player that have not come back
	empty  bool             // the newest has, without an answer: that may come by a call
	weak   protocol.Message // an answer that shows nothing but an id, while they have not
	closed bool
}

// Answer returns the answer that has arrived as a callback, or nil.
func (e *Expectation) Answer() protocol.Message {
	e.among.mu.Lock()
	defer e.among.mu.Unlock()
	return e.answer
}

// Close ends the expectation: later callbacks are refused.
func (e *Expectation) Close() {
	e.among.forget(e)
	e.life.End(nil)
}

// Settle closes the expectation because the answer was the response to the call. If the player also sends its
// acceptance of an invitation as a callback, the callback is acknowledged and ignored.
func (e *Expectation) Settle() {
	e.Close()
	if e.Type == protocol.TypeGameJoinAck {
		e.among.settle(e)
	}
}

// unexpected returns the error for a callback without an open expectation.
func unexpected(h *protocol.Envelope) error {
	return protocol.Errorf(protocol.DeadlinePassed, "no %s is waited for in match %q", h.MessageType, clip(h.MatchID))
}

// receive accepts a callback, or returns an error with the reason. A callback without proof of its sender is stored
// until the current call to the player has returned, see called.
func (e *Expectation) receive(m protocol.Message) error {
	e.among.mu.Lock()
	defer e.among.mu.Unlock()
	h := m.Head()
	proven := e.proves(h)
	switch {
	case e.answer != nil || e.weak != nil && !proven:
		return protocol.Errorf(protocol.DeadlinePassed, "%s for %s has been answered already", h.MessageType, h.MatchID)
	case e.closed || !proven && e.calls == 0 && !e.empty:
		return unexpected(h)
	case !proven && e.calls > 0:
		e.weak = m // the called player may still answer itself
	default:
		e.take(m)
	}
	return nil
}

// tidied normalizes an answer that came by callback: it converts the message to the expected type, and the move in it
// to one of the options.
func (e *Expectation) tidied(m protocol.Message) protocol.Message {
	if !e.foreign() {
		return m
	}
	if other := dialect.AsSibling(m); other != nil && m.Head().MessageType != e.Type {
		m = other
	}
	if e.Asked != nil && !e.among.strict() {
		dialect.Tidy(m, e.Asked)
	}
	return m
}

// foreign reports whether the peer is a third-party agent.
func (e *Expectation) foreign() bool { return e.Peer.Dialect != protocol.Canonical }

// take makes m the answer and ends the context. The caller holds the lock.
func (e *Expectation) take(m protocol.Message) {
	m.Head().ConversationID = e.Conversation
	e.answer = m
	e.life.End(ErrAnswered)
}

// thanks returns the acknowledgement of a callback.
func (e *Expectation) thanks() protocol.Message {
	return &protocol.Ack{
		Envelope: protocol.Envelope{MessageType: protocol.TypeAnswerAck, MatchID: e.MatchID},
		Status:   protocol.Acknowledged, PlayerID: e.PlayerID,
	}
}

// believes reports whether callback m comes from the called player. It must come from the player's address and contain
// the call's conversation id or a token of the player. From a third-party player that sends neither, the player id is
// enough, but the answer then counts only after the call has returned an empty response. A conversation equal to the
// match's id counts as none; in strict mode such a callback is refused. For players of a third-party manager, which
// show that manager's values, the id is enough except in strict mode.
func (e *Expectation) believes(from From, m protocol.Message) bool {
	h := m.Head()
	if !comesFrom(from.Addr, e.addrs) || e.Peer.Dialect == protocol.Canonical && claimsAnother(m, e.PlayerID) {
		return false
	}
	if e.proves(h) || h.AuthToken != "" && e.holds(h.AuthToken) {
		return true
	}
	named := claims(m, e.PlayerID) || claims(m, e.CallsItself)
	if e.AnyToken && !e.among.strict() {
		return named
	}
	bare := (h.ConversationID == "" || h.ConversationID == e.MatchID && !e.among.strict()) && h.AuthToken == ""
	return bare && named && e.Peer.Dialect != protocol.Canonical && (h.LeagueID == "" || h.LeagueID == e.LeagueID)
}

// proves reports whether an answer contains a secret that only the called player knows: the call's conversation id, or
// the token of the match.
func (e *Expectation) proves(h *protocol.Envelope) bool {
	return h.ConversationID != "" && h.ConversationID == e.Conversation || h.AuthToken != "" &&
		protocol.SameToken(h.AuthToken, e.Peer.Token)
}

// holds reports whether a token is the player's registration token, from which the token of the match is derived. It is
// no proof, since any client can get the token of a third-party player, and is not accepted in strict mode.
func (e *Expectation) holds(token string) bool {
	return e.Derive != nil && !e.among.strict() && protocol.SameToken(e.Derive(token), e.Peer.Token)
}

// claimsAnother reports whether an answer contains another player id than id. Third-party players may use their own
// ids.
func claimsAnother(m protocol.Message, id string) bool {
	said := sayer(m)
	return said != "" && said != id
}

// claims reports whether an answer contains the player id, as a field or in its sender.
func claims(m protocol.Message, id string) bool {
	_, sender := protocol.ParseSender(m.Head().Sender)
	return id != "" && (sayer(m) == id || sender == id)
}

// sayer returns the player id that an answer states, or "".
func sayer(m protocol.Message) string {
	switch m := m.(type) {
	case *protocol.GameJoinAck:
		return m.PlayerID
	case *protocol.ChooseParityResponse:
		return m.PlayerID
	case *protocol.GameMoveResponse:
		return m.PlayerID
	}
	return ""
}

// comesFrom reports whether addr is one of addrs. All loopback addresses are equal.
func comesFrom(addr string, addrs []string) bool {
	ip := net.ParseIP(addr)
	for _, a := range addrs {
		at := net.ParseIP(a)
		here := a == "localhost" || at != nil && (at.IsLoopback() || at.IsUnspecified())
		if a == addr || at != nil && at.Equal(ip) || here && ip != nil && ip.IsLoopback() {
			return true
		}
	}
	return false
}
