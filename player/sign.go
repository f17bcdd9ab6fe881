package player

import (
	"log/slog"
	"time"

	"agentleague/protocol"
)

// answer returns the reply for a choice. If player and referee are native, the answer is signed and stored durably
// before answer returns, and a duplicate request gets the stored answer.
func (s *refereeServer) answer(b matchAttempt, i *inviter, q inquiry, c *choice) (reply, error) {
	i.signing.Lock()
	defer i.signing.Unlock()
	s.mu.Lock()
	was, signs := i.given.of(q.view.Turn), i.native && s.seal != ""
	if was != nil || !signs {
		s.mu.Unlock()
		if was != nil { // the same call came twice at once
			return was.reply(), nil
		}
		return reply{move: c.move, usage: c.usage}, nil
	}
	next, chain := s.sign(b, i, q, c)
	s.mu.Unlock()
	if s.opts.KeepAnswer != nil {
		if err := s.opts.KeepAnswer(next); err != nil {
			s.node.Logger.Error("an answer could not be saved, so it is not sent", slog.String("match_id", b.match),
				slog.Any("error", err))
			return reply{}, protocol.Errorf(protocol.Internal,
				"this player cannot write its answer to disk, so it does not send it; try again").Pass()
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	i.follow(&next, chain)
	return next.reply(), nil
}

// sign returns the next signed answer of an attempt at a match and the chain that ends with it. The caller holds the
// lock.
func (s *refereeServer) sign(b matchAttempt, i *inviter, q inquiry, c *choice) (Answer, protocol.AnswerChain) {
	w := Answer{
		LeagueID: s.league, Seal: s.seal, PlayerID: s.id, MatchID: b.match, Attempt: b.attempt, RefereeID: i.referee,
		RoundID: i.round, OpponentID: i.opponent, Commitment: i.commitment, Head: s.witness.head(),
		Number: len(i.answers) + 1,
		Turn:   q.view.Turn, View: protocol.ViewHash(q.shown), Move: protocol.MoveText(c.move), Offered: c.offered,
		InTime: q.inTime(time.Now()), Usage: c.usage,
	}
	if len(i.answers) > 0 {
		w.Head = i.answers[0].Head
	} else {
		i.chain = w.context().NewChain()
	}
	chain := i.chain.Then(w.Turn, q.shown, w.Move)
	w.Signature = chain.Sign(s.who.Key())
	return w, chain
}
