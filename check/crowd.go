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
	if a, ok := r.Message.(*protocol.ChooseParityResponse); ok && f.level == passes && a.MatchID != "" &&
		a.MatchID != match {
		f = fail("asked about %s it answers about %s", match, a.MatchID).in(r.x)
	}
	return first(f, answered(s.end(ctx, match)))
}

func playsAgain(ctx context.Context, s playerCheck) finding {
	if _, f := s.undecided(ctx); f.level != passes {
		return f
	}
	return s.bout(ctx, s.match(2, 1))
}

// together runs f so many times at once and returns the worst finding.
func together(times int, f func(i int) finding) finding {
	findings := make([]finding, times)
	var wg sync.WaitGroup
	for i := range times {
		wg.Go(func() { findings[i] = f(i) })
	}
	wg.Wait()
	return first(findings...)
}

// playsMany plays matches side by side. No league demands that of a player, so
// who says that it is busy may; who hangs or mixes them up may not.
func playsMany(ctx context.Context, s playerCheck) finding {
	if _, f := s.undecided(ctx); f.level != passes {
		return f
	}
	const many = 4
	f := together(many, func(i int) finding { return s.bout(ctx, s.match(3, i+1)) })
	if no, ok := refusalIn(f); ok {
		return advise("it refuses to play %d matches at once: %s", many, no).in(f.at)
	}
	return f
}

// refusalIn returns the error that the agent answered with, where a finding shows.
func refusalIn(f finding) (string, bool) {
	if f.level == passes || f.at == nil || f.at.err != nil {
		return "", false
	}
	a := parseAnswer(f.at.got)
	return redacted(a["error"]), a.has("error")
}

func choosesOnceAtOnce(ctx context.Context, s playerCheck) finding {
	if _, f := s.undecided(ctx); f.level != passes {
		return f
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
