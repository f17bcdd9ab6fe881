package rpc

import (
	"context"
	"errors"
	"net"

	"agentleague/protocol"
)

// Some players answer a call with nothing in it and send their answer as a
// call of their own. Such an answer is believed only while it is expected.

// ErrAnswered is the cause of a context that ended because the answer came.
var ErrAnswered = errors.New("answered by a call of the player's own")

// A Want says which answer is expected, and of whom.
type Want struct {
	Type         protocol.Type
	Peer         Peer // its endpoint's address, and the token that it may show
	PlayerID     string
	LeagueID     string
	MatchID      string
	Conversation string
}

// An Expectation is open from [Node.Expect] to Close.
type Expectation struct {
	Want
	node   *Node
	cancel context.CancelCauseFunc
	addrs  []string
	answer protocol.Message
}

// Expect opens the door to an answer that comes by a call. The returned
// context ends with [ErrAnswered] when it has come; the first one counts.
func (n *Node) Expect(ctx context.Context, w Want) (context.Context, *Expectation, error) {
	addrs := n.Network.Addresses(ctx, w.Peer.Endpoint)
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.waiting) >= n.MaxWaiting {
		return nil, nil, errors.New("too many answers are waited for")
	}
	ctx, cancel := context.WithCancelCause(ctx)
	e := &Expectation{Want: w, node: n, cancel: cancel, addrs: addrs}
	n.waiting[e] = true
	return ctx, e, nil
}

// Answer returns the answer that came, or nil.
func (e *Expectation) Answer() protocol.Message {
	e.node.mu.Lock()
	defer e.node.mu.Unlock()
	return e.answer
}

// Close ends the expectation: what comes later is too late.
func (e *Expectation) Close() {
	e.node.mu.Lock()
	delete(e.node.waiting, e)
	e.node.mu.Unlock()
	e.cancel(context.Canceled)
}

// expects reports whether an answer of type t is open in a conversation.
func (n *Node) expects(conversation string, t protocol.Type) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	for e := range n.waiting {
		if e.Type == t && e.Conversation == conversation {
			return true
		}
	}
	return false
}

// answerable are the messages that can come as a call although they are replies.
var answerable = map[protocol.Type]bool{
	protocol.TypeGameJoinAck:          true,
	protocol.TypeChooseParityResponse: true,
	protocol.TypeGameMoveResponse:     true,
}

// deliver hands an answer to whoever expects it.
func (n *Node) deliver(from From, m protocol.Message, said map[string]bool) (protocol.Message, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	h := m.Head()
	var open bool
	for e := range n.waiting {
		if e.Type != h.MessageType || e.MatchID != h.MatchID {
			continue
		}
		open = true
		if !e.believes(from, m, said) {
			continue
		}
		if e.answer != nil {
			return nil, protocol.Errorf(protocol.DeadlinePassed, "%s for %s has been answered already", h.MessageType, h.MatchID)
		}
		e.answer = m
		e.cancel(ErrAnswered)
		return &protocol.Ack{
			Envelope: protocol.Envelope{MessageType: protocol.TypeAnswerAck, MatchID: h.MatchID},
			Status:   protocol.Acknowledged, PlayerID: e.PlayerID,
		}, nil
	}
	if open {
		return nil, protocol.Errorf(protocol.AuthTokenInvalid, "%s for %s does not come from the player that was asked", h.MessageType, h.MatchID)
	}
	return nil, protocol.Errorf(protocol.DeadlinePassed, "no %s is waited for in match %q", h.MessageType, h.MatchID)
}

// believes tells whether an answer comes from the player that was asked: from
// its address, and with the call's conversation or its token, or, if it shows
// neither, with its id.
func (e *Expectation) believes(from From, m protocol.Message, said map[string]bool) bool {
	h := m.Head()
	if !comesFrom(from.Addr, e.addrs) {
		return false
	}
	if said["conversation_id"] && h.ConversationID == e.Conversation {
		return true
	}
	if h.AuthToken != "" && protocol.SameToken(h.AuthToken, e.Peer.Token) {
		return true
	}
	if said["conversation_id"] || h.AuthToken != "" {
		return false
	}
	_, id := protocol.ParseSender(h.Sender)
	return id == e.PlayerID
}

// comesFrom reports whether addr is one of addrs, or both are loopback.
func comesFrom(addr string, addrs []string) bool {
	ip := net.ParseIP(addr)
	for _, a := range addrs {
		at := net.ParseIP(a)
		loopback := a == "localhost" || at != nil && at.IsLoopback()
		if a == addr || at != nil && at.Equal(ip) || loopback && ip != nil && ip.IsLoopback() {
			return true
		}
	}
	return false
}
