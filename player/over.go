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
func (a *Agent) gameOver(ctx context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
	over := m.(*protocol.GameOver)
	a.mu.Lock()
	defer a.mu.Unlock()
	b, p, i, err := a.find(m.Head(), over.Attempt)
	manager := a.proves(func(p *place) bool { return p.showsManager(m.Head()) })
	sure := manager || i != nil && i.native || a.showsReferee(m.Head(), b)
	me := a.self(i, over)
	me.scored = manager || i != nil && i.native
	if sure {
		a.examine(ctx, b, p, over)
	}
	if over.MatchID != b.match { // its referee has another id for it
		known := *over
		known.MatchID, over = b.match, &known
	}
	if known := a.memory.heard(me, over); known || err == nil || manager {
		if sure && !manager && i != nil && !i.opens(over) {
			sure, p.doubtful = false, true
			a.state = protocol.PlayerWaitingForRound
		} else {
			a.end(b, p, i, sure)
		}
		if !known {
			a.hear(m)
			a.memory.remember(a.id, p.billed(entryFor(me, over)), sure)
		}
		return a.ack(protocol.TypeGameOverAck, m), nil
	}
	return nil, err
}

// opens reports whether the end of a bout reveals the draw key that was promised with the invitation.
func (i *inviter) opens(over *protocol.GameOver) bool {
	return i.commitment == "" || protocol.Opens(i.commitment, keyOf(over))
}

// closeRound drops the bouts of a round with doubtful ends: no further questions come. The caller holds the lock.
func (a *Agent) closeRound(round protocol.Round) {
	for b, p := range a.bouts {
		if i := p.native(); p.doubtful && i != nil && i.round <= round {
			a.drop(b)
			a.keepJoined()
		}
	}
}

// self has the names of the player and its opponent in a match. The caller holds the lock.
func (a *Agent) self(i *inviter, over *protocol.GameOver) self {
	me := self{id: a.id, name: a.name, opponent: over.OpponentID}
	if i != nil {
		me.opponent, me.seat = cmp.Or(me.opponent, i.opponent), i.seat
	}
	me.rival = a.announced.names[me.opponent]
	if i == nil || !i.native {
		me = me.calledIn(over)
	}
	return me
}

// end ends a bout, or one inviter's part in it. The caller holds the lock.
func (a *Agent) end(b bout, p *playing, i *inviter, sure bool) {
	switch {
	case p == nil || !sure && i == nil:
		return
	case !sure:
		i.ended, p.told = true, true
		if !p.leave(i) {
			return
		}
	}
	a.drop(b)
	a.state = protocol.PlayerWaitingForRound
	a.keepJoined()
}

// drop forgets a bout, and the answers in earlier attempts. The caller holds the lock.
func (a *Agent) drop(b bout) {
	for _, i := range a.bouts[b].inviters {
		i.ended = true
	}
	delete(a.bouts, b)
	a.answers.forget(b)
}
