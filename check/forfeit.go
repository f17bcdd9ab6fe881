package check

import (
	"context"
	"time"

	"agentleague/protocol"
)

// forfeitSteps judge matches that do not go well.
func forfeitSteps() []Step {
	return stepsOf([]row[refereeCheck]{
		{"R39", "a report that is not acknowledged is repeated", clauseMatch,
			"Repeat report_match_result until the manager has answered it.", reportsAgain},
		{"R40", "the same START_MATCH is not played twice", clauseMatch,
			"Answer a repeated START_MATCH with ACCEPTED, and do not invite the players again.", playsOnce},
		{"R41", "an illegal choice gets a GAME_ERROR", clauseMatch,
			"Send notify_game_error with E004, retryable true and retry_count 1 to a player that chose neither even nor odd.", complains},
		{"R42", "after an illegal choice the player is asked again", clauseMatch,
			"Call choose_parity again after an illegal choice, up to three times.", asksAgain},
		{"R43", "a player that declines loses by forfeit", clauseMatch,
			"End a match with TECHNICAL_LOSS when an invitation is answered with accept false, and do not ask again.", declined},
		{"R44", "after a forfeit no number is drawn", clauseMatch,
			"Leave drawn_number and number_parity null in GAME_OVER and in the report of a forfeit.", noNumber},
		{"R45", "a player that cannot be reached loses by forfeit", clauseMatch,
			"Try a player that cannot be reached four times, 2 seconds apart, and then end the match with TECHNICAL_LOSS.",
			unreachable},
		{"R46", "a player that does not answer loses by forfeit", clauseMatch,
			"Try a player that does not answer four times, and then end the match with TECHNICAL_LOSS.", silent},
	})
}

// extra plays a further match, if the first one was played.
func (s refereeCheck) extra(ctx context.Context, match string, limit time.Duration, a, b *script,
	edit func(*protocol.StartMatch)) (*fixture, finding) {
	if _, why := s.played(ctx); why.level != passes {
		return nil, why
	}
	h, err := s.fakePlayers(ctx)
	if err != nil {
		return nil, skip("%v", err)
	}
	return once(s.session, match, func() *fixture { return s.play(ctx, h, match, limit, a, b, edit) }), pass
}

func even() *script { return &script{choices: []string{"even"}} }

// illegal plays a match in which P01 first chooses neither. The manager seems
// to be away when the first report comes.
func (s refereeCheck) illegal(ctx context.Context) (*fixture, finding) {
	s.manager.mu.Lock()
	if !s.begun(s.match(1, 2)) {
		s.manager.busy = 1
	}
	s.manager.mu.Unlock()
	return s.extra(ctx, s.match(1, 2), 2*s.Patience, &script{choices: []string{"banana", "even"}}, even(), nil)
}

// reportsAgain wants a report that was answered with 503 to be sent again: a manager that restarts would lack the
// result otherwise.
func reportsAgain(ctx context.Context, s refereeCheck) finding {
	f, why := s.illegal(ctx)
	if why.level != passes {
		return why
	}
	if len(f.reports()) == 0 {
		return skip("no report arrived")
	}
	if !s.waitFor(ctx, s.Patience, func() bool { return len(f.reports()) > 1 }) {
		return differ("the first report was answered with HTTP status 503, and it was not repeated within %s",
			s.Patience).in(f.reports()[0].exchange)
	}
	return pass.in(f.reports()[1].exchange)
}

// playsOnce sends the same order twice. The second must be accepted and must not be played: managers repeat orders
// after a lost answer.
func playsOnce(ctx context.Context, s refereeCheck) finding {
	f, why := s.played(ctx)
	if why.level != passes {
		return why
	}
	before := len(f.reports())
	r := s.begin(ctx, f.order)
	if found := answered(r); found.level != passes {
		return differ("it refuses an order that it has already carried out: %s", found.detail).in(r.x)
	}
	if len(f.reports()) == before { // it may report the result again; it must not play again
		s.waitFor(ctx, s.Patience/20, func() bool { return len(f.reports()) > before })
	}
	if n := len(f.a.got(f.id, protocol.TypeGameInvitation)); n > 1 {
		return differ("P01 was invited to %s %d times", f.id, n).in(r.x)
	}
	return pass.in(r.x)
}

// complains expects an illegal choice to be answered with GAME_ERROR, E004, which announces another try.
func complains(ctx context.Context, s refereeCheck) finding {
	f, why := s.illegal(ctx)
	if why.level != passes {
		return why
	}
	all := f.a.got(f.id, protocol.TypeGameError)
	if len(all) == 0 {
		return differ("P01 chose \"banana\" and got no GAME_ERROR").in(f.start.x)
	}
	e := all[0].Message.(*protocol.GameError)
	found := complete(protocol.TypeGameError, e.Source())
	if found.level == passes && (e.ErrorCode != protocol.InvalidChoice.Code || !e.Retryable || e.RetryCount != 1) {
		found = differ("want error_code E004, retryable true and retry_count 1, got %s, %v and %d", e.ErrorCode,
			e.Retryable, e.RetryCount)
	}
	return found.in(all[0].exchange)
}

// asksAgain wants a player that chose illegally to be asked once more, and its second, legal choice to count.
func asksAgain(ctx context.Context, s refereeCheck) finding {
	f, why := s.illegal(ctx)
	if why.level != passes {
		return why
	}
	if n := len(f.a.got(f.id, protocol.TypeChooseParityCall)); n != 2 {
		return differ("P01 was asked %s, want 2 times", count(n, "time", "times")).in(f.start.x)
	}
	over := f.over(f.a)
	if over == nil || over.GameResult.Status == protocol.TechnicalLoss {
		return differ("P01 made a legal choice in its second try, but the match did not count").in(f.start.x)
	}
	return pass.in(f.a.got(f.id, protocol.TypeChooseParityCall)[1].exchange)
}

func (s refereeCheck) declining(ctx context.Context) (*fixture, finding) {
	return s.extra(ctx, s.match(1, 3), 2*s.Patience, &script{declines: true, choices: []string{"even"}}, even(), nil)
}

// declined wants a player that declines the invitation to forfeit, and not to be invited again.
func declined(ctx context.Context, s refereeCheck) finding {
	f, why := s.declining(ctx)
	if why.level != passes {
		return why
	}
	if n := len(f.a.got(f.id, protocol.TypeGameInvitation)); n > 1 {
		return differ("P01 declined and was invited %d times", n).in(f.start.x)
	}
	return f.forfeits()
}

// noNumber expects no number to be drawn in a match that could not be played.
func noNumber(ctx context.Context, s refereeCheck) finding {
	f, why := s.declining(ctx)
	if why.level != passes {
		return why
	}
	over, rep := f.over(f.b), f.report()
	switch {
	case over == nil || rep == nil:
		return skip("the match did not end")
	case over.GameResult.DrawnNumber.Value != nil || rep.Result.Details.DrawnNumber.Value != nil:
		return differ("P01 declined, but a number was drawn").in(f.reports()[0].exchange)
	}
	return pass.in(f.reports()[0].exchange)
}

// unreachable expects a forfeit of a player at whose address no server listens. The referee retries before that, so
// it gets time.
func unreachable(ctx context.Context, s refereeCheck) finding {
	f, why := s.extra(ctx, s.match(1, 4), 3*s.Patience, even(), even(),
		func(m *protocol.StartMatch) { m.PlayerA.Endpoint = deadEnd })
	if why.level != passes {
		return why
	}
	return f.forfeits()
}

// silent wants a player to forfeit that takes every message and answers none. It takes as long as all of its
// timeouts together, so only a long check does it.
func silent(ctx context.Context, s refereeCheck) finding {
	if !s.Long {
		return skip("%s", hinted("it takes half a minute", s.Hints.Long))
	}
	f, why := s.extra(ctx, s.match(1, 5), 6*s.Patience, &script{silent: true, choices: []string{"even"}}, even(), nil)
	if why.level != passes {
		return why
	}
	return f.forfeits()
}
