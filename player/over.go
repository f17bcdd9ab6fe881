package player

import (
	"cmp"
	"context"

	"agentleague/protocol"
	"agentleague/rpc"
)

// gameOver records the end of a bout. An end from our manager or its referee is final; a foreign inviter ends only
// its own part. A referee that does not reveal the promised draw key may have only read the token of the match: the
// player answers further questions.
func (s *refereeServer) gameOver(ctx context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
	over := m.(*protocol.GameOver)
	s.mu.Lock()
	defer s.mu.Unlock()
	b, p, i, err := s.find(m.Head(), over.Attempt)
	manager := s.proves(func(p *place) bool { return p.showsManager(m.Head()) })
	sure := manager || i != nil && i.native || s.showsReferee(m.Head(), b)
	me := s.self(i, over)
	me.scored = manager || i != nil && i.native
	if sure {
		s.examine(ctx, b, p, over)
	}
	if over.MatchID != b.match { // its referee has another id for it
		known := *over
		known.MatchID, over = b.match, &known
	}
	if known := s.memory.heard(me, over); known || err == nil || manager {
		if sure && !manager && i != nil && !i.opens(over) {
			sure, p.doubtful = false, true
			s.state = protocol.PlayerWaitingForRound
		} else {
			s.end(b, p, i, sure)
		}
		if !known {
			s.hear(m)
			s.memory.remember(s.id, p.billed(entryFor(me, over)), sure)
		}
		return s.ack(protocol.TypeGameOverAck, m), nil
	}
	return nil, err
}

// opens reports whether the end of a bout reveals the draw key that was promised with the invitation.
func (i *inviter) opens(over *protocol.GameOver) bool {
	return i.commitment == "" || protocol.Opens(i.commitment, keyOf(over))
}

// closeRound drops the bouts of a round with doubtful ends: no further questions come. The caller holds the lock.
func (s *refereeServer) closeRound(round protocol.Round) {
	for b, p := range s.bouts {
		if i := p.native(); p.doubtful && i != nil && i.round <= round {
			s.drop(b)
			s.keepJoined()
		}
	}
}

// self has the names of the player and its opponent in a match. The caller holds the lock.
func (s *refereeServer) self(i *inviter, over *protocol.GameOver) self {
	me := self{id: s.id, name: s.name, opponent: over.OpponentID}
	if i != nil {
		me.opponent, me.seat = cmp.Or(me.opponent, i.opponent), i.seat
	}
	me.rival = s.announced.names[me.opponent]
	if i == nil || !i.native {
		me = me.calledIn(over)
	}
	return me
}

// end ends a bout, or one inviter's part in it. The caller holds the lock.
func (s *refereeServer) end(b bout, p *playing, i *inviter, sure bool) {
	switch {
	case p == nil || !sure && i == nil:
		return
	case !sure:
		i.ended, p.told = true, true
		if !p.leave(i) {
			return
		}
	}
	s.drop(b)
	s.state = protocol.PlayerWaitingForRound
	s.keepJoined()
}

// drop forgets a bout, and the answers in earlier attempts. The caller holds the lock.
func (s *refereeServer) drop(b bout) {
	for _, i := range s.bouts[b].inviters {
		i.ended = true
	}
	delete(s.bouts, b)
	s.answers.forget(b)
}
