package check

import (
	"context"
	"errors"

	"agentleague/protocol"
	"agentleague/rpc"
)

// ask calls the player as its referee. The answer may come by a callback.
func (s playerCheck) ask(ctx context.Context, m protocol.Message) reply {
	h := m.Head()
	spec, _ := protocol.Lookup(h.MessageType)
	open, door, err := s.node.Expect(ctx, rpc.Want{
		Type: spec.Reply, Peer: rpc.Peer{Endpoint: s.peer.Endpoint, Token: h.AuthToken}, PlayerID: s.playerID(),
		CallsItself: s.callsItself(), LeagueID: league, MatchID: h.MatchID, Conversation: h.ConversationID, Asked: m,
		Derive: func(token string) string { return protocol.MatchToken(token, league, h.MatchID, 1, refereeID) },
	})
	if err != nil {
		return reply{err: err}
	}
	defer door.Settle()
	r := s.call(open, asReferee, m)
	called, why := door.Answer(), s.manager.disbelieved(h.MatchID, spec.Reply)
	switch {
	case r.Message == nil && called != nil:
		s.noteCallBack()
		r.Message, r.err = called, nil
		r = s.took(h, spec, r)
	case r.Message == nil && why != "" && protocol.Is(r.err, protocol.Timeout):
		r.err = errors.New(hinted("its "+why, s.Hints.Listen))
	case r.Message == nil:
		r.err = s.unheard(r.err)
	}
	return r
}

// noteCallBack records that the agent answers by callbacks.
func (s *session) noteCallBack() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.callsBack = true
}

// answersByCall reports whether the agent has answered by a callback.
func (s *session) answersByCall() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.callsBack
}

// callsItself is the id that a player uses for itself, whichever was granted.
func (s playerCheck) callsItself() string {
	if !s.manager.registered() {
		return ""
	}
	applied, _, _ := s.manager.application()
	_, id := protocol.ParseSender(applied.Head().Sender)
	return id
}
