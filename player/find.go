package player

import (
	"cmp"
	"log/slog"
	"slices"

	"agentleague/protocol"
)

// goOn continues a match from before a restart: the player knows that it joined, or its answers. Only the true
// referee can show the token. The caller holds the lock.
func (a *Agent) goOn(h *protocol.Envelope, b bout) (*playing, bool) {
	if !a.proves(func(p *place) bool { return p.showsReferee(h, b) }) || a.leaving() != nil {
		return nil, false
	}
	i := newInviter(h.AuthToken, h.Sender, true)
	i.called = h.MatchID
	a.answers.restore(i, b)
	at := slices.IndexFunc(a.opts.Joined,
		func(j Joined) bool { return j.MatchID == b.match && max(j.Attempt, 1) == b.attempt })
	if at < 0 && len(i.answers) == 0 {
		return nil, false
	}
	if at >= 0 {
		was := a.opts.Joined[at]
		a.opts.Joined = slices.Delete(slices.Clone(a.opts.Joined), at, at+1)
		i.opponent, i.round, i.commitment = was.OpponentID, was.RoundID, cmp.Or(i.commitment, was.Commitment)
	}
	a.state = protocol.PlayerInMatch
	return a.bouts.join(b, i), true
}

// find returns the bout of a referee's message, and the inviter that sent it. The caller holds the lock.
func (a *Agent) find(h *protocol.Envelope, attempt int) (bout, *playing, *inviter, error) {
	b := bout{h.MatchID, max(attempt, 1)}
	p, ok := a.bouts[b]
	if !ok {
		p, ok = a.goOn(h, b)
	}
	var i *inviter
	if ok {
		i = p.shows(h)
	}
	if i == nil {
		if other := a.bouts.under(h, b.attempt, a.announced.isOpen); other != (bout{}) {
			b, p, ok = other, a.bouts[other], true
			i = p.shows(h)
		}
	}
	switch {
	case !ok:
		return b, nil, nil, protocol.Errorf(protocol.MatchNotFound, "this player was not invited to match %q",
			h.MatchID)
	case i == nil:
		return b, p, nil, unknownCaller(h.AuthToken)
	}
	return b, p, i, nil
}

// keepJoined stores the player's current matches. The caller holds the lock.
func (a *Agent) keepJoined() {
	if a.opts.KeepJoined == nil {
		return
	}
	now := slices.Clone(a.opts.Joined) // those that were not asked for since
	for b, p := range a.bouts {
		for _, i := range p.inviters {
			now = append(now, Joined{MatchID: b.match, Attempt: b.attempt, RoundID: i.round, OpponentID: i.opponent,
				Commitment: i.commitment})
			break // another inviter of the same match
		}
	}
	if err := a.opts.KeepJoined(now); err != nil {
		a.Node.Logger.Error("the matches in play could not be saved", slog.Any("error", err))
	}
}
