package player

import (
	"log/slog"
	"slices"
	"time"

	"agentleague/game"
	"agentleague/protocol"
)

// An Answer is one that a native player has signed and given to a native
// referee. The answers of a bout are a chain: a player that is started again
// needs all of them to go on, and gives the same to who asks again.
type Answer struct {
	LeagueID   string         `json:"league_id"`
	Seal       string         `json:"seal"`
	PlayerID   string         `json:"player_id"`
	MatchID    string         `json:"match_id"`
	Attempt    int            `json:"attempt"`
	RefereeID  string         `json:"referee_id"`
	RoundID    protocol.Round `json:"round_id"`
	OpponentID string         `json:"opponent_id,omitempty"`
	Commitment string         `json:"commitment,omitempty"` // to the draw
	Head       string         `json:"head,omitempty"`       // the newest of the league that was heard before the first answer
	Number     int            `json:"number"`               // of the answer in its bout, from 1
	Turn       int            `json:"turn"`
	View       string         `json:"view_sha256,omitempty"` // of the position that was shown; "": none was
	Move       string         `json:"move"`                  // as text
	Signature  string         `json:"signature"`             // of the chain that ends with it
	Offered    bool           `json:"offered"`               // the move was among the options
	InTime     bool           `json:"in_time"`               // it was given before it was due
}

// bout is what the chain of the answer begins with.
func (w Answer) bout() protocol.Bout {
	return protocol.Bout{
		Seal: w.Seal, Match: w.MatchID, Attempt: w.Attempt, Referee: w.RefereeID, Player: w.PlayerID, Commitment: w.Commitment, Head: w.Head,
	}
}

// says is an answer as it goes out.
func (a *Agent) says(w Answer) saying {
	return saying{game.Move(w.Move), &protocol.Proof{Head: w.Head, Move: w.Move, Signature: w.Signature}}
}

// answer is the choice as it goes out in a bout: signed and kept, if the player
// is native and the referee too.
func (a *Agent) answer(b bout, i *inviter, q inquiry, c *choice) (saying, error) {
	i.signing.Lock()
	defer i.signing.Unlock()
	a.mu.Lock()
	was, signs := i.given[q.view.Turn], i.native && a.seal != ""
	if was != nil || !signs {
		a.mu.Unlock()
		if was != nil { // the same call came twice at once
			return a.says(*was), nil
		}
		return saying{move: c.move}, nil
	}
	next, chain := a.sign(b, i, q, c)
	a.mu.Unlock()
	if a.opts.KeepAnswer != nil {
		if err := a.opts.KeepAnswer(next); err != nil {
			a.Node.Logger.Error("an answer could not be kept, and is not given", slog.String("match_id", b.match), slog.Any("error", err))
			return saying{}, protocol.Errorf(protocol.Internal, "this player cannot write its answer to disk, and gives none that it cannot keep; ask again").Pass()
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	i.follow(next, chain)
	return a.says(next), nil
}

// sign returns the next answer of a bout and the chain that ends with it. The caller holds the lock.
func (a *Agent) sign(b bout, i *inviter, q inquiry, c *choice) (Answer, protocol.Chain) {
	w := Answer{
		LeagueID: a.league, Seal: a.seal, PlayerID: a.id, MatchID: b.match, Attempt: b.attempt, RefereeID: i.referee,
		RoundID: i.round, OpponentID: i.opponent, Commitment: i.commitment, Head: a.head(), Number: len(i.answers) + 1,
		Turn: q.view.Turn, View: protocol.ViewHash(q.shown), Move: protocol.MoveText(c.move), Offered: c.offered, InTime: q.inTime(time.Now()),
	}
	if len(i.answers) > 0 {
		w.Head = i.answers[0].Head
	} else {
		i.chain = w.bout().Chain()
	}
	chain := i.chain.Then(w.Turn, q.shown, w.Move)
	w.Signature = chain.Sign(a.who.Identity().Key)
	return w, chain
}

// follow notes that an answer was given.
func (i *inviter) follow(w Answer, chain protocol.Chain) {
	i.answers = append(i.answers, w)
	i.given[w.Turn] = &w
	i.chain = chain
}

// inTime reports whether a choice is not late yet.
func (q inquiry) inTime(now time.Time) bool {
	due, _, err := protocol.ParseTime(q.deadline)
	return err != nil || !now.After(due)
}

// restore gives a native referee's bout the answers that the player gave in it
// before it was started again. The caller holds the lock.
func (a *Agent) restore(i *inviter, b bout) {
	if !i.native || a.seal == "" {
		return
	}
	for _, w := range a.opts.Answers {
		if w.Seal != a.seal || w.PlayerID != a.id || w.MatchID != b.match || w.Attempt != b.attempt || w.RefereeID != i.referee || w.Number != len(i.answers)+1 {
			continue
		}
		if len(i.answers) == 0 {
			i.chain, i.commitment, i.round, i.opponent = w.bout().Chain(), w.Commitment, w.RoundID, w.OpponentID
		}
		i.last = question{turn: w.Turn}
		i.turns[w.Turn] = true
		i.follow(w, i.chain.ThenHash(w.Turn, w.View, w.Move))
	}
}

// signed are all answers of a bout in the form in which others check them, or nil.
func (i *inviter) signed() *protocol.SignedAnswers {
	if len(i.answers) == 0 {
		return nil
	}
	last := i.answers[len(i.answers)-1]
	out := &protocol.SignedAnswers{Head: last.Head, Signature: last.Signature}
	for _, w := range i.answers {
		out.Answers = append(out.Answers, protocol.SignedAnswer{Turn: w.Turn, View: w.View, Move: w.Move})
	}
	return out
}

// dropAnswers forgets what was answered in a match up to an attempt. The caller holds the lock.
func (a *Agent) dropAnswers(b bout) {
	a.opts.Answers = slices.DeleteFunc(slices.Clone(a.opts.Answers), func(w Answer) bool { return w.MatchID == b.match && w.Attempt <= b.attempt })
	if a.opts.DropAnswers != nil && a.seal != "" {
		a.opts.DropAnswers(b.match, b.attempt)
	}
}
