package player

import (
	"cmp"
	"log/slog"
	"slices"

	"agentleague/protocol"
)

// goOn resumes an attempt at a match from before a restart. It succeeds if the token proves the referee and the player
// has stored that it joined the match or its answers in it. The caller holds the lock.
func (s *refereeServer) goOn(h *protocol.Envelope, b matchAttempt) (*playing, bool) {
	if !s.proves(func(p *place) bool { return p.showsReferee(h, b) }) || s.leaving() != nil {
		return nil, false
	}
	i := newInviter(h.AuthToken, h.Sender, true)
	i.called = h.MatchID
	s.answers.restore(i, b)
	at := slices.IndexFunc(s.opts.Joined,
		func(j Joined) bool { return j.MatchID == b.match && max(j.Attempt, 1) == b.attempt })
	if at < 0 && len(i.answers) == 0 {
		return nil, false
	}
	if at >= 0 {
		was := s.opts.Joined[at]
		s.opts.Joined = slices.Delete(slices.Clone(s.opts.Joined), at, at+1)
		i.opponent, i.round, i.commitment = was.OpponentID, was.RoundID, cmp.Or(i.commitment, was.Commitment)
	}
	s.state = protocol.PlayerInMatch
	return s.attempts.join(b, i), true
}

// find returns the attempt of a referee's message and the inviter that sent it, or an error if the match or the sender
// is unknown. The caller holds the lock.
func (s *refereeServer) find(h *protocol.Envelope, attempt int) (matchAttempt, *playing, *inviter, error) {
	b := matchAttempt{h.MatchID, max(attempt, 1)}
	p, ok := s.attempts[b]
	if !ok {
		p, ok = s.goOn(h, b)
	}
	var i *inviter
	if ok {
		i = p.shows(h)
	}
	if i == nil {
		if other := s.attempts.under(h, b.attempt, s.announced.isOpen); other != (matchAttempt{}) {
			b, p, ok = other, s.attempts[other], true
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

// keepJoined stores the list of current matches. The caller holds the lock.
func (s *refereeServer) keepJoined() {
	if s.opts.KeepJoined == nil {
		return
	}
	now := slices.Clone(s.opts.Joined) // those that were not asked for since
	for b, p := range s.attempts {
		for _, i := range p.inviters {
			now = append(now, Joined{MatchID: b.match, Attempt: b.attempt, RoundID: i.round, OpponentID: i.opponent,
				Commitment: i.commitment})
			break // another inviter of the same match
		}
	}
	if err := s.opts.KeepJoined(now); err != nil {
		s.node.Logger.Error("the matches in play could not be saved", slog.Any("error", err))
	}
}
