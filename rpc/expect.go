package rpc

import (
	"context"
	"errors"
	"net"
	"slices"

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
	CallsItself  string // another id that the player has for itself
	LeagueID     string
	MatchID      string
	Conversation string
	Derive       func(token string) string // the token of the match for a player whose own token this is

	// Refuse returns why an answer that shows what the player was told is not its own all the same: whoever reads the
	// network has that too. Nil: nothing else shows whose it is.
	Refuse func(answer protocol.Message) error
}

// An Expectation is open from [Node.Expect] to Close.
type Expectation struct {
	Want
	node   *Node
	cancel context.CancelCauseFunc
	addrs  []string
	answer protocol.Message
	calls  int              // to the player that have not come back
	empty  bool             // the newest has, without an answer: that may come by a call
	weak   protocol.Message // an answer that shows nothing but an id, while they have not
	closed bool
}

// A question is what expectations are found by.
type question struct {
	match string
	reply protocol.Type
}

func (w Want) question() question { return question{w.MatchID, w.Type} }

// Expect opens the door to an answer that comes by a call. The returned
// context ends with [ErrAnswered] when it has come; the first one counts.
func (n *Node) Expect(ctx context.Context, w Want) (context.Context, *Expectation, error) {
	addrs := n.Network.Addresses(ctx, w.Peer.Endpoint)
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.pending >= n.MaxWaiting {
		return nil, nil, errors.New("too many answers are waited for")
	}
	ctx, cancel := context.WithCancelCause(ctx)
	e := &Expectation{Want: w, node: n, cancel: cancel, addrs: addrs}
	n.waiting[w.question()] = append(n.waiting[w.question()], e)
	n.pending++
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
	e.node.forget(e)
	e.cancel(context.Canceled)
}

// Settle ends the expectation because the answer has come in another way. Who
// has said in passing that it joins may still say so in a call of its own: that
// is welcome, though it is no longer needed.
func (e *Expectation) Settle() {
	e.Close()
	if e.Type != protocol.TypeGameJoinAck {
		return
	}
	e.node.mu.Lock()
	defer e.node.mu.Unlock()
	e.node.settled = append(e.node.settled, e)
	if len(e.node.settled) > maxSettled {
		e.node.settled = e.node.settled[1:]
	}
}

// maxSettled is how many settled expectations a node remembers.
const maxSettled = 256

func (n *Node) forget(e *Expectation) {
	n.mu.Lock()
	defer n.mu.Unlock()
	q := e.question()
	i := slices.Index(n.waiting[q], e)
	if i < 0 {
		return
	}
	n.pending--
	e.closed = true
	if n.waiting[q] = slices.Delete(n.waiting[q], i, i+1); len(n.waiting[q]) == 0 {
		delete(n.waiting, q)
	}
}

// expects reports whether the answer of type reply to m may come by a call.
func (n *Node) expects(m protocol.Message, reply protocol.Type) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	h := m.Head()
	return slices.ContainsFunc(n.waiting[question{h.MatchID, reply}], func(e *Expectation) bool {
		return e.Conversation == h.ConversationID
	})
}

// answerable are the messages that can come as a call although they are replies.
var answerable = map[protocol.Type]bool{
	protocol.TypeGameJoinAck:          true,
	protocol.TypeChooseParityResponse: true,
	protocol.TypeGameMoveResponse:     true,
}

// deliver hands an answer to whoever expects it.
func (n *Node) deliver(from From, m protocol.Message) (protocol.Message, error) {
	e, settled, err := n.asker(from, m)
	if err == nil && !settled && e.Refuse != nil { // which may take a while: nobody waits for it
		err = e.Refuse(m)
	}
	if err == nil && !settled {
		err = e.receive(m)
	}
	if err != nil {
		return nil, err
	}
	return e.thanks(), nil
}

// asker finds the expectation that an answer meets, or would have met if it had
// not been settled in another way.
func (n *Node) asker(from From, m protocol.Message) (e *Expectation, settled bool, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	h := m.Head()
	if e := n.settledBy(from, m); e != nil {
		return e, true, nil
	}
	open := n.waiting[question{h.MatchID, h.MessageType}]
	if len(open) == 0 {
		return nil, false, unexpected(h)
	}
	i := slices.IndexFunc(open, func(e *Expectation) bool { return e.believes(from, m) })
	if i < 0 {
		return nil, false, protocol.Errorf(protocol.AuthTokenInvalid, "%s for %s does not come from the player that was asked",
			h.MessageType, h.MatchID)
	}
	return open[i], false, nil
}

// unexpected refuses an answer that nobody waits for.
func unexpected(h *protocol.Envelope) error {
	return protocol.Errorf(protocol.DeadlinePassed, "no %s is waited for in match %q", h.MessageType, clip(h.MatchID))
}

// receive takes an answer, or keeps one that proves nothing until the call has
// come back. Where it never does nobody has answered.
func (e *Expectation) receive(m protocol.Message) error {
	e.node.mu.Lock()
	defer e.node.mu.Unlock()
	h := m.Head()
	proven := e.proves(h)
	switch {
	case e.answer != nil || e.weak != nil && !proven:
		return protocol.Errorf(protocol.DeadlinePassed, "%s for %s has been answered already", h.MessageType, h.MatchID)
	case e.closed || !proven && e.calls == 0 && !e.empty:
		return unexpected(h)
	case !proven && e.calls > 0:
		e.weak = m // whoever is called may still answer itself
	default:
		e.take(m)
	}
	return nil
}

// take lets an answer count. The caller holds the lock.
func (e *Expectation) take(m protocol.Message) {
	m.Head().ConversationID = e.Conversation
	e.answer = m
	e.cancel(ErrAnswered)
}

// calling notes that a message is being put to a player. What comes by a call
// meanwhile and shows nothing but an id counts only if the call comes back and
// the player itself has said nothing: ended is told both.
func (n *Node) calling(m protocol.Message, reply protocol.Type) (ended func(back, answered bool)) {
	if !answerable[reply] {
		return func(bool, bool) {}
	}
	h := m.Head()
	n.mu.Lock()
	defer n.mu.Unlock()
	i := slices.IndexFunc(n.waiting[question{h.MatchID, reply}], func(e *Expectation) bool { return e.Conversation == h.ConversationID })
	if i < 0 {
		return func(bool, bool) {}
	}
	e := n.waiting[question{h.MatchID, reply}][i]
	e.calls++
	return func(back, answered bool) {
		n.mu.Lock()
		defer n.mu.Unlock()
		if e.calls--; e.calls > 0 {
			return
		}
		weak := e.weak
		e.weak, e.empty = nil, back && !answered
		if weak != nil && e.empty && e.answer == nil {
			e.take(weak)
		}
	}
}

// settledBy finds the expectation that an answer would have met, if it has been
// answered already in another way. The caller holds the lock.
func (n *Node) settledBy(from From, m protocol.Message) *Expectation {
	h := m.Head()
	i := slices.IndexFunc(n.settled, func(e *Expectation) bool {
		return e.question() == (question{h.MatchID, h.MessageType}) && e.believes(from, m)
	})
	if i < 0 {
		return nil
	}
	return n.settled[i]
}

// thanks acknowledges an answer.
func (e *Expectation) thanks() protocol.Message {
	return &protocol.Ack{
		Envelope: protocol.Envelope{MessageType: protocol.TypeAnswerAck, MatchID: e.MatchID},
		Status:   protocol.Acknowledged, PlayerID: e.PlayerID,
	}
}

// believes tells whether an answer comes from the player that was asked: from
// its address, and with the call's conversation or its token, or, if it shows
// neither, with its id, which counts only when the call itself came back with
// nothing. A conversation that is only the match's id shows nothing: some name
// theirs so, and are not believed in strict mode. Our own players show one or
// the other.
func (e *Expectation) believes(from From, m protocol.Message) bool {
	h := m.Head()
	if !comesFrom(from.Addr, e.addrs) || e.Peer.Dialect == protocol.Canonical && claimsAnother(m, e.PlayerID) {
		return false
	}
	if (h.ConversationID == "" || h.ConversationID == e.MatchID && !e.node.Strict) && h.AuthToken == "" {
		return e.Peer.Dialect != protocol.Canonical && (claims(m, e.PlayerID) || claims(m, e.CallsItself)) && (h.LeagueID == "" || h.LeagueID == e.LeagueID)
	}
	return e.proves(h) || h.AuthToken != "" && e.holds(h.AuthToken)
}

// proves reports whether an answer shows what only the player that was called
// can know: the call's conversation, or the token of the match.
func (e *Expectation) proves(h *protocol.Envelope) bool {
	return h.ConversationID != "" && h.ConversationID == e.Conversation || h.AuthToken != "" && protocol.SameToken(h.AuthToken, e.Peer.Token)
}

// holds reports whether a token is the player's own, from which that of the
// match is made, and which is not taken in strict mode. It proves nothing:
// anybody is given the token of a foreign player.
func (e *Expectation) holds(token string) bool {
	return e.Derive != nil && !e.node.Strict && protocol.SameToken(e.Derive(token), e.Peer.Token)
}

// claimsAnother reports whether an answer says that it is from another player. Ours know their ids; others keep the ones they chose.
func claimsAnother(m protocol.Message, id string) bool {
	said := sayer(m)
	return said != "" && said != id
}

// claims reports whether an answer says anywhere that it is from the player id.
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

// ComesFrom reports whether a request can come from the agent at an endpoint.
func (n *Node) ComesFrom(ctx context.Context, from From, endpoint string) bool {
	return comesFrom(from.Addr, n.Network.Addresses(ctx, endpoint))
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
