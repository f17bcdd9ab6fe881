package player

import (
	"cmp"
	"context"

	"agentleague/protocol"
	"agentleague/rpc"
)

// gameOver handles the result of an attempt at a match. A result from this program's manager or the native referee is
// final; one from a third-party inviter ends only that inviter's part. If a result lacks the promised draw key, its
// sender may be a third party that has read the token: the player then continues to answer questions.
func (s *refereeServer) gameOver(ctx context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
	over := m.(*protocol.GameOver)
	s.mu.Lock()
	defer s.mu.Unlock()
	b, p, i, err := s.find(m.Head(), over.Attempt)
	manager := s.proves(func(p *place) bool { return p.showsManager(m.Head()) })
	sure := manager || i != nil && i.native || s.showsReferee(m.Head(), b)
	me := s.namesIn(i, over)
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

// opens reports whether the result of an attempt at a match reveals the draw key that the invitation committed to.
func (i *inviter) opens(over *protocol.GameOver) bool {
	return i.commitment == "" || protocol.Opens(i.commitment, keyOf(over))
}

// closeRound removes the native match attempts of a finished round whose result lacked the draw key. The caller holds
// the lock.
func (s *refereeServer) closeRound(round protocol.Round) {
	for b, p := range s.attempts {
		if i := p.native(); p.doubtful && i != nil && i.round <= round {
			s.drop(b)
			s.keepJoined()
		}
	}
}

// namesIn returns how the recipient of over and its opponent are called in the match. i is the inviter that sent over, nil
// if it is unknown. The caller holds the lock.
func (s *refereeServer) namesIn(i *inviter, over *protocol.GameOver) pairNames {
	me := pairNames{id: s.id, name: s.name, opponent: over.OpponentID}
	if i != nil {
		me.opponent, me.seat = cmp.Or(me.opponent, i.opponent), i.seat
	}
	me.rival = s.announced.names[me.opponent]
	if i == nil || !i.native {
		me = me.calledIn(over)
	}
	return me
}

// end ends an attempt at a match. If the result is not sure, it ends only the part of inviter i. The caller holds the
// lock.
func (s *refereeServer) end(b matchAttempt, p *playing, i *inviter, sure bool) {
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

// drop deletes the state of an attempt at a match, and the stored answers of that attempt and of earlier attempts at the
// same match. The caller holds the lock.
func (s *refereeServer) drop(b matchAttempt) {
	for _, i := range s.attempts[b].inviters {
		i.ended = true
	}
	delete(s.attempts, b)
	s.answers.forget(b)
}
