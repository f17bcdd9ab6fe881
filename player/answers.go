package player

import "slices"

// answers are what the player had signed, before it was started again, in matches that
// were not over then. Guarded by its agent.
type answers struct {
	place  *place
	before []Answer
	drop   func(match string, upTo int) // told of what is not needed any more; nil: nobody is
}

// restore gives a native referee's bout the answers that the player gave in it
// before it was started again.
func (a *answers) restore(i *inviter, b bout) {
	if !i.native || a.place.seal == "" {
		return
	}
	for _, w := range a.before {
		if w.Seal != a.place.seal || w.PlayerID != a.place.id || w.MatchID != b.match || w.Attempt != b.attempt ||
			w.RefereeID != i.referee || w.Number != len(i.answers)+1 {
			continue
		}
		if len(i.answers) == 0 {
			i.chain, i.commitment, i.round, i.opponent = w.bout().Chain(), w.Commitment, w.RoundID, w.OpponentID
		}
		i.last = question{turn: w.Turn}
		i.turns.note(w.Turn)
		i.follow(&w, i.chain.ThenHash(w.Turn, w.View, w.Move))
	}
}

// forget drops what was answered in a match up to an attempt.
func (a *answers) forget(b bout) {
	a.before = slices.DeleteFunc(slices.Clone(a.before),
		func(w Answer) bool { return w.MatchID == b.match && w.Attempt <= b.attempt })
	if a.drop != nil && a.place.seal != "" {
		a.drop(b.match, b.attempt)
	}
}
