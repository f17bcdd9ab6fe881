package player

import (
	"cmp"
	"context"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
)

// invited gives an inviter a place in the bout, and joins it.
func (a *Agent) invited(ctx context.Context, from rpc.From, m protocol.Message) (protocol.Message, error) {
	inv := m.(*protocol.GameInvitation)
	match, there := a.announcedBy(ctx, from, inv)
	a.mu.Lock()
	defer a.mu.Unlock()
	b := bout{match, max(inv.Attempt, 1)}
	i, err := a.seated(inv, b, there)
	if err != nil {
		return nil, err
	}
	i.opponent, i.round, i.seat = inv.OpponentID, inv.RoundID, cmp.Or(inv.RoleInMatch, inv.Role)
	a.state = protocol.PlayerInMatch
	if !i.native {
		a.callBack(ctx, m, match, a.joins(m, i), a.wentOn(i, 0))
	}
	return a.joins(m, i), nil
}

// joins is the answer to an invitation. The caller holds the lock.
func (a *Agent) joins(m protocol.Message, i *inviter) *protocol.GameJoinAck {
	yes := !a.opts.Declines
	return &protocol.GameJoinAck{
		Envelope: toReferee(protocol.TypeGameJoinAck, m, i), PlayerID: a.known(),
		ArrivalTimestamp: protocol.Stamp(time.Now()), Accept: &yes,
	}
}

// seated returns the place of an inviter. A native referee shows a token that the player computes, and is the only
// one; of foreign referees each token has a separate place. There means that it calls from the announced address of
// the match's referee. The caller holds the lock.
func (a *Agent) seated(inv *protocol.GameInvitation, b bout, there bool) (*inviter, error) {
	p := a.bouts[b]
	if p != nil {
		for _, i := range p.inviters {
			if protocol.SameToken(i.token, inv.AuthToken) && i.called == inv.MatchID {
				return i, nil
			}
		}
	}
	native := a.proves(func(p *place) bool { return p.showsReferee(&inv.Envelope, b) })
	if !native && !a.isForeign(b.match) || native && p != nil && p.native() != nil {
		return nil, unknownCaller(inv.AuthToken)
	}
	if err := a.leaving(); err != nil {
		return nil, err
	}
	if !native && !a.bouts.makeRoom(b.match, there) {
		return nil, protocol.Errorf(protocol.AuthTokenInvalid, "%d other referees have already sent invitations to match %s", maxInviters,
			b.match)
	}
	i := a.seat(inv, b, native)
	i.there = there
	return i, nil
}

// seat adds an inviter to a bout. The caller holds the lock.
func (a *Agent) seat(inv *protocol.GameInvitation, b bout, native bool) *inviter {
	i := newInviter(inv.AuthToken, inv.Sender, native)
	i.called = inv.MatchID
	i.opponent, i.round, i.commitment = inv.OpponentID, inv.RoundID, inv.Fairness.Commitment
	a.answers.restore(i, b)
	a.bouts.join(b, i)
	a.keepJoined()
	return i
}

// announcedBy returns the match of an invitation, and whether it comes from the announced machine of the foreign
// referee of that match. Under our manager the match may differ from the invitation's: that manager has announced the
// true ids.
func (a *Agent) announcedBy(ctx context.Context, from rpc.From, inv *protocol.GameInvitation) (match string, there bool) {
	a.mu.Lock()
	match = inv.MatchID
	if a.native {
		match = a.announced.meant(inv, a.id)
	}
	where := a.announced.referee(match)
	foreign := a.isForeign(match)
	a.mu.Unlock()
	return match, foreign && where != "" && a.Node.ComesFrom(ctx, from, where)
}

// isForeign reports whether a match has a foreign referee, or the league a foreign manager. The caller holds the
// lock.
func (a *Agent) isForeign(match string) bool { return !a.native || a.announced.known[match].foreign }
