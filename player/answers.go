package player

import "slices"

// answers are the player's signed answers from before a restart, in matches that were not over then. Guarded by its
// agent.
type answers struct {
	place  *place
	before []Answer
	drop   func(match string, upTo int) // is called for answers that are not needed any more; may be nil
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

// forget drops the answers in a match up to an attempt.
func (a *answers) forget(b bout) {
	a.before = slices.DeleteFunc(slices.Clone(a.before),
		func(w Answer) bool { return w.MatchID == b.match && w.Attempt <= b.attempt })
	if a.drop != nil && a.place.seal != "" {
		a.drop(b.match, b.attempt)
	}
}
