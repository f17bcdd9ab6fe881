package check

import (
	"context"
	"sync"

	"agentleague/protocol"
)

// bout plays a whole match.
func (s playerCheck) bout(ctx context.Context, match string) finding {
	if f := answered(s.join(ctx, match)); f.level != passes {
		return f
	}
	r := s.choose(ctx, match)
	_, f := choiceIn(r)
	if a, ok := r.Message.(*protocol.ChooseParityResponse); ok && f.level == passes && s.isAnother(a.MatchID, match) {
		f = fail("asked about %s it answers about %s", match, a.MatchID).in(r.x)
	}
	if s.met != nil && s.use(protocol.TypeGameOver) == "" { // it does not receive it
		return f
	}
	return first(f, answered(s.end(ctx, match)))
}

// isAnother reports whether an id is that of another match of the checker. Some dialects write ids in another format.
func (s playerCheck) isAnother(id, match string) bool {
	if _, _, ok := protocol.ParseMatchID(id); s.Strict && id != "" || ok {
		return id != match
	}
	return false
}

// playsAgain detects a player that answers the second match with state of the first.
func playsAgain(ctx context.Context, s playerCheck) finding {
	if _, f := s.undecided(ctx); f.level != passes {
		return f
	}
	return s.bout(ctx, s.match(2, 1))
}

// together runs f n times concurrently and returns the worst finding.
func together(times int, f func(i int) finding) finding {
	findings := make([]finding, times)
	var wg sync.WaitGroup
	for i := range times {
		wg.Go(func() { findings[i] = f(i) })
	}
	wg.Wait()
	return first(findings...)
}

// playsMany plays concurrent matches. No league requires that of a player, so it may answer that it is busy; it may
// not hang or mix them up.
func playsMany(ctx context.Context, s playerCheck) finding {
	if _, f := s.undecided(ctx); f.level != passes {
		return f
	}
	f := together(sideBySide, func(i int) finding { return s.bout(ctx, s.match(3, i+1)) })
	if f.no != nil {
		return advise("it refuses to play %d matches at once: %s", sideBySide, said(f.no)).in(f.at)
	}
	return f
}

// sideBySide is how many matches are played at once.
const sideBySide = 4

// Eight calls at once find the player that decides before it takes note of its decision; one after the other never
// would.
func choosesOnceAtOnce(ctx context.Context, s playerCheck) finding {
	if _, f := s.undecided(ctx); f.level != passes {
		return f
	}
	if s.answersByCall() {
		return skip("it answers by calls of its own, and those do not say which of several questions they answer")
	}
	match := s.match(4, 1)
	if f := answered(s.join(ctx, match)); f.level != passes {
		return f
	}
	choices, replies := make([]string, 8), make([]reply, 8)
	f := together(len(choices), func(i int) (f finding) {
		replies[i] = s.choose(ctx, match)
		choices[i], f = choiceIn(replies[i])
		return f
	})
	s.end(ctx, match)
	for i, c := range choices {
		if f.level == passes && c != choices[0] {
			f = fail("asked 8 times at once it chose both even and odd").in(replies[i].x)
		}
	}
	return f
}
