package player

import "slices"

// answers are the signed answers from before a restart, in matches that were not over. Guarded by the agent's lock.
type answers struct {
	place  *place
	before []Answer
	drop   func(match string, upTo int) // is called for answers that are not needed any more; may be nil
}

// restore adds the player's stored answers of an attempt at a match to the attempt of its native referee. It does
// nothing for a third-party referee.
func (a *answers) restore(i *inviter, b matchAttempt) {
	if !i.native || a.place.seal == "" {
		return
	}
	for _, w := range a.before {
		if w.Seal != a.place.seal || w.PlayerID != a.place.id || w.MatchID != b.match || w.Attempt != b.attempt ||
			w.RefereeID != i.referee || w.Number != len(i.answers)+1 {
			continue
		}
		if len(i.answers) == 0 {
			i.chain, i.commitment, i.round, i.opponent = w.context().NewChain(), w.Commitment, w.RoundID, w.OpponentID
		}
		i.last = question{turn: w.Turn}
		i.turns.note(w.Turn)
		i.follow(&w, i.chain.ThenHash(w.Turn, w.View, w.Move))
	}
}

// forget deletes the stored answers of the match in b, for all attempts up to that of b.
func (a *answers) forget(b matchAttempt) {
	a.before = slices.DeleteFunc(slices.Clone(a.before),
		func(w Answer) bool { return w.MatchID == b.match && w.Attempt <= b.attempt })
	if a.drop != nil && a.place.seal != "" {
		a.drop(b.match, b.attempt)
	}
}
