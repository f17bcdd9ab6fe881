package rpc

import (
	"errors"
	"net"

	"agentleague/dialect"
	"agentleague/protocol"
	"agentleague/rpc/lifetime"
)

// Some players answer a call with an empty response and send their answer by a callback. A callback is accepted only
// while it is expected.

// ErrAnswered is the cause of a context that ended because the answer came.
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

	// AnyToken means that the player's manager is not ours: token and conversation of the player come from that
	// manager and prove nothing. In strict mode they must be ours.
	AnyToken bool

	// Refuse returns why an answer with the right token is nevertheless not the player's: any reader of the network
	// has the token too. Nil: no further check.
	Refuse func(answer protocol.Message) error
}

// An Expectation is open from [Node.Expect] to Close.
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

// Answer returns the answer that came, or nil.
func (e *Expectation) Answer() protocol.Message {
	e.among.mu.Lock()
	defer e.among.mu.Unlock()
	return e.answer
}

// Close ends the expectation: later answers are too late.
func (e *Expectation) Close() {
	e.among.forget(e)
	e.life.End(nil)
}

// Settle ends the expectation because the answer came in another way. A player that implied its join may still send
// it by a callback: that is acknowledged.
func (e *Expectation) Settle() {
	e.Close()
	if e.Type == protocol.TypeGameJoinAck {
		e.among.settle(e)
	}
}

// unexpected refuses an answer that no call waits for.
func unexpected(h *protocol.Envelope) error {
	return protocol.Errorf(protocol.DeadlinePassed, "no %s is waited for in match %q", h.MessageType, clip(h.MatchID))
}

// receive accepts an answer, or holds one without proof until the call has returned. If the call never returns, the
// answer does not count.
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

// tidied converts an answer that came by a callback: to the expected type of message, with its move as it was offered.
func (e *Expectation) tidied(m protocol.Message) protocol.Message {
	if !e.guesses() {
		return m
	}
	if other := dialect.AsSibling(m); other != nil && m.Head().MessageType != e.Type {
		m = other
	}
	if e.Asked != nil {
		dialect.Tidy(m, e.Asked)
	}
	return m
}

// guesses reports whether an answer may be in other words than ours.
func (e *Expectation) guesses() bool { return !e.among.strict && e.Peer.Dialect != protocol.Canonical }

// take lets an answer count. The caller holds the lock.
func (e *Expectation) take(m protocol.Message) {
	m.Head().ConversationID = e.Conversation
	e.answer = m
	e.life.End(ErrAnswered)
}

// thanks acknowledges an answer.
func (e *Expectation) thanks() protocol.Message {
	return &protocol.Ack{
		Envelope: protocol.Envelope{MessageType: protocol.TypeAnswerAck, MatchID: e.MatchID},
		Status:   protocol.Acknowledged, PlayerID: e.PlayerID,
	}
}

// believes decides whether an answer comes from the called player: from its address, and with the call's conversation
// or its token, or, without both, with its id, which counts only after the call returned an empty response. A
// conversation equal to the match's id proves nothing: some players name theirs so, and are not accepted in strict
// mode. Our own players show one or the other. Players of a third-party manager show that manager's values, and the
// id has to be enough.
func (e *Expectation) believes(from From, m protocol.Message) bool {
	h := m.Head()
	if !comesFrom(from.Addr, e.addrs) || e.Peer.Dialect == protocol.Canonical && claimsAnother(m, e.PlayerID) {
		return false
	}
	if e.proves(h) || h.AuthToken != "" && e.holds(h.AuthToken) {
		return true
	}
	named := claims(m, e.PlayerID) || claims(m, e.CallsItself)
	if e.AnyToken && !e.among.strict {
		return named
	}
	bare := (h.ConversationID == "" || h.ConversationID == e.MatchID && !e.among.strict) && h.AuthToken == ""
	return bare && named && e.Peer.Dialect != protocol.Canonical && (h.LeagueID == "" || h.LeagueID == e.LeagueID)
}

// proves reports whether an answer shows a secret of the called player: the call's conversation, or the token of the
// match.
func (e *Expectation) proves(h *protocol.Envelope) bool {
	return h.ConversationID != "" && h.ConversationID == e.Conversation || h.AuthToken != "" &&
		protocol.SameToken(h.AuthToken, e.Peer.Token)
}

// holds reports whether a token is the player's own, from which that of the match is derived, and which is refused in
// strict mode. It proves nothing: any client can get the token of a foreign player.
func (e *Expectation) holds(token string) bool {
	return e.Derive != nil && !e.among.strict && protocol.SameToken(e.Derive(token), e.Peer.Token)
}

// claimsAnother reports whether an answer names another player as its sender. Our players know their ids; others keep
// their own.
func claimsAnother(m protocol.Message, id string) bool {
	said := sayer(m)
	return said != "" && said != id
}

// claims reports whether an answer names the player id as its sender in any member.
func claims(m protocol.Message, id string) bool {
	_, sender := protocol.ParseSender(m.Head().Sender)
	return id != "" && (sayer(m) == id || sender == id)
}

// sayer is the id of the player that an answer names, if any.
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

// comesFrom reports whether addr is one of addrs, or both are this machine.
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
