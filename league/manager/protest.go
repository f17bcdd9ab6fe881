package manager

import (
	"context"
	"fmt"
	"time"

	"agentleague/league"
	"agentleague/protocol"
	"agentleague/rpc"
)

// protest records a player's objection to the end of its match. The referee's report may arrive later, since the
// players receive the result first.
func (rs *results) protest(ctx context.Context, from rpc.From, msg protocol.Message) (protocol.Message, error) {
	p := msg.(*protocol.MatchProtest)
	role, id, err := rs.auth.question(from, msg)
	if err != nil {
		return nil, err
	}
	var plays bool
	rs.Read(func(s *league.State) {
		match := s.Matches[p.MatchID]
		plays = match != nil && (match.A == id || match.B == id)
	})
	if role != protocol.RolePlayer || !plays {
		return nil, protocol.Errorf(protocol.MatchNotFound, "%s is not a match of %s", league.Clip(p.MatchID), id)
	}
	if !rs.awaitResult(ctx, p.MatchID) {
		return nil, protocol.Errorf(protocol.MatchNotFound, "%s has no result yet; protest again when it has",
			p.MatchID).Pass()
	}
	detail := p.Detail
	if p.Signed != nil {
		detail = fmt.Sprintf("%s (%s)", detail, rs.describeSigned(p, id))
	}
	rs.auth.SuspectAs("protest of "+id+" "+p.MatchID, fmt.Sprintf("%s: %s protests against the result (%s): %s", p.MatchID, id,
		league.Clip(p.What), detail), from.Addr)
	err = rs.Do(ctx, func(s *league.State) ([]league.Event, error) {
		return league.Contest(s, league.Contested{Match: p.MatchID, Attempt: p.Attempt,
			By: protocol.Sender(protocol.RolePlayer, id), What: league.Clip(p.What), Detail: detail}), nil
	})
	if err != nil {
		return nil, err
	}
	return &protocol.Ack{
		Envelope: protocol.Envelope{MessageType: protocol.TypeMatchProtestAck, LeagueID: rs.opts.LeagueID,
			MatchID: p.MatchID, RoundID: p.RoundID},
		Status: protocol.Acknowledged, PlayerID: id,
	}, nil
}

// describeSigned returns a sentence that states whether the player signed the answers in its protest, in that match.
func (rs *results) describeSigned(p *protocol.MatchProtest, id string) (words string) {
	words = "the answers that it sent are not signed by it in this match"
	rs.Read(func(s *league.State) {
		match := s.Matches[p.MatchID]
		for _, at := range match.Assigned {
			promised := league.Commitment(rs.keys.DrawKey(s, match))
			shown := map[string]protocol.SignedAnswers{id: *p.Signed}
			if at.Attempt == p.Attempt && league.CheckSigned(s, match, at, promised, shown) == nil {
				words = "the answers that it sent are signed by it"
			}
		}
	})
	return words
}

// awaitResult waits a moment for the result of a match, and reports whether it was recorded.
func (rs *results) awaitResult(ctx context.Context, match string) bool {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	for {
		changed := rs.Changed()
		var there bool
		rs.Read(func(s *league.State) { there = s.Matches[match].Outcome != nil })
		if there {
			return true
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		case <-rs.ctx.Done():
			return false
		}
	}
}
