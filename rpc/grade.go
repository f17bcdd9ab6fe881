package rpc

import (
	"agentleague/protocol"
	"agentleague/protocol/conform"
)

// In strict mode the answers of other agents are checked against the rules of the league.v2 documents.

// grade compares an answer with the rules, and refuses the answer if it breaks a rule of severity error. An answer
// without a message is not refused, since the message may follow as a callback.
func (c *call) grade(x *exchange) {
	if !c.caller.IsStrict() || c.to.Name == "" || x.err != nil {
		return
	}
	h := c.m.Head()
	c.broken = c.caller.inProfileRules(conform.Answer(x.answer, conform.Question{
		Type: c.spec.Type, Conversation: h.ConversationID, MatchID: h.MatchID, PlayerID: askedPlayer(c.m), Sender: c.to.Name,
		Shows: c.caller.expected.tokenCheck(c.m, c.spec.Reply),
	}))
	if no := conform.Refusal(c.broken); no != nil && x.reply != nil {
		x.reply, x.err = nil, no
	}
}

// gradeFailure reports the rule that a peer has broken by not answering, if any.
func (c *call) gradeFailure(err error) {
	if c.caller.IsStrict() && c.to.Name != "" && len(c.broken) == 0 {
		c.broken = conform.Failure(c.spec.Type, err)
	}
}

// askedPlayer returns the id of the player that a message of a match is for, or "".
func askedPlayer(m protocol.Message) string {
	switch m := m.(type) {
	case *protocol.GameInvitation:
		return m.PlayerID
	case *protocol.ChooseParityCall:
		return m.PlayerID
	case *protocol.GameMoveCall:
		return m.PlayerID
	case *protocol.GameOver:
		return m.PlayerID
	}
	return ""
}

// tokenCheck returns a function that reports whether a token belongs to the player from which a reply to m is expected.
// It returns nil if no such reply is expected.
func (x *expectations) tokenCheck(m protocol.Message, reply protocol.Type) func(token string) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	h := m.Head()
	for _, e := range x.waiting[question{h.MatchID, reply}] {
		if e.Conversation == h.ConversationID {
			want, derive := e.Peer.Token, e.Derive
			return func(token string) bool {
				return protocol.SameToken(token, want) || derive != nil && protocol.SameToken(derive(token), want)
			}
		}
	}
	return nil
}
