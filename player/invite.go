package player

import (
	"cmp"
	"context"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
)

// A refereeServer handles the messages of referees. Guarded by the agent's lock.
type refereeServer struct {
	*core
	manager   *managerClient
	asker     asker // queries of the strategy
	announced announcements
	answers   answers
	attempts  openAttempts
	told      map[matchAttempt]verdict // the verdict of our manager, or of its referee, on each match attempt
}

// invited handles an invitation: it adds the inviter to the attempt and accepts.
func (s *refereeServer) invited(ctx context.Context, from rpc.From, m protocol.Message) (protocol.Message, error) {
	inv := m.(*protocol.GameInvitation)
	match, there := s.announcedBy(ctx, from, inv)
	s.mu.Lock()
	defer s.mu.Unlock()
	b := matchAttempt{match, max(inv.Attempt, 1)}
	i, err := s.seated(inv, b, there)
	if err != nil {
		return nil, err
	}
	i.opponent, i.round, i.seat = inv.OpponentID, inv.RoundID, cmp.Or(inv.RoleInMatch, inv.Role)
	s.state = protocol.PlayerInMatch
	if !i.native {
		s.callBack(ctx, m, match, s.joins(m, i), s.wentOn(i, 0))
	}
	return s.joins(m, i), nil
}

// joins returns the answer that accepts an invitation of inviter i. The caller holds the lock.
func (s *refereeServer) joins(m protocol.Message, i *inviter) *protocol.GameJoinAck {
	ack := &protocol.GameJoinAck{
		Envelope: toReferee(protocol.TypeGameJoinAck, m, i), PlayerID: s.known(),
		ArrivalTimestamp: protocol.Stamp(time.Now()), Accept: new(!s.opts.Declines),
	}
	if *ack.Accept {
		ack.Status = protocol.Ready
	}
	return ack
}

// seated returns the inviter of an invitation, adding it to the attempt if it is new. The one native referee is
// authenticated by its token; each third-party token is a separate inviter. there means that the invitation comes from
// the announced address of the match's referee. The caller holds the lock.
func (s *refereeServer) seated(inv *protocol.GameInvitation, b matchAttempt, there bool) (*inviter, error) {
	p := s.attempts[b]
	if p != nil {
		for _, i := range p.inviters {
			if protocol.SameToken(i.token, inv.AuthToken) && i.called == inv.MatchID {
				return i, nil
			}
		}
	}
	native := s.proves(func(p *place) bool { return p.showsReferee(&inv.Envelope, b) })
	if !native && !s.isForeign(b.match) || native && p != nil && p.native() != nil {
		return nil, unknownCaller(inv.AuthToken)
	}
	if err := s.leaving(); err != nil {
		return nil, err
	}
	if !native && !s.attempts.makeRoom(b.match, there) {
		return nil, protocol.Errorf(protocol.AuthTokenInvalid, "%d other referees have already sent invitations to match %s", maxInviters,
			b.match)
	}
	i := s.seat(inv, b, native)
	i.there = there
	return i, nil
}

// seat adds an inviter to an attempt at a match. The caller holds the lock.
func (s *refereeServer) seat(inv *protocol.GameInvitation, b matchAttempt, native bool) *inviter {
	i := newInviter(inv.AuthToken, inv.Sender, native)
	i.called = inv.MatchID
	i.opponent, i.round, i.commitment = inv.OpponentID, inv.RoundID, inv.Fairness.Commitment
	s.answers.restore(i, b)
	s.attempts.join(b, i)
	s.keepJoined()
	return i
}

// announcedBy returns the id of the announced match for an invitation, see meant. there reports whether the invitation
// comes from the announced host of the match's third-party referee.
func (s *refereeServer) announcedBy(ctx context.Context, from rpc.From, inv *protocol.GameInvitation) (match string, there bool) {
	s.mu.Lock()
	match = inv.MatchID
	if s.native {
		match = s.announced.meant(inv, s.id)
	}
	where := s.announced.referee(match)
	foreign := s.isForeign(match)
	s.mu.Unlock()
	return match, foreign && where != "" && s.node.ComesFrom(ctx, from, where)
}

// isForeign reports whether the referee of a match or the manager is a third-party program. The caller holds the
// lock.
func (s *refereeServer) isForeign(match string) bool {
	return !s.native || s.announced.known[match].foreign
}
