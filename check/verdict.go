package check

import (
	"context"
	"encoding/json"

	"agentleague/protocol"
)

// Steps about the end of a match: the messages to the players and the report to the manager.

// tellsOver expects GAME_OVER. Some players stay busy until they receive it and play nothing more without it.
func tellsOver(ctx context.Context, s refereeCheck) finding {
	f, why := s.played(ctx)
	if why.level != passes {
		return why
	}
	if names := missingOf(f, protocol.TypeGameOver); names != "" {
		return fail("GAME_OVER did not arrive at%s", names).in(f.start.x)
	}
	return pass.in(f.a.got(f.id, protocol.TypeGameOver)[0].exchange)
}

// tellsOverRightly expects each player to receive the result from its side: a WIN for one is a LOSS for the other.
func tellsOverRightly(ctx context.Context, s refereeCheck) finding {
	return s.overBoth(ctx, protocol.TypeGameOver, func(_ *fixture, g *fakePlayer, m message) finding {
		over := m.Message.(*protocol.GameOver)
		if f := complete(protocol.TypeGameOver, over.Source()); f.level != passes {
			return f
		}
		if over.GameResult.WinnerPlayerID == nil {
			return pass // the next step reports that error
		}
		want := protocol.Loss
		if *over.GameResult.WinnerPlayerID == g.id {
			want = protocol.Win
		}
		if over.Result != want {
			return differ("%s: want result %s, from its own side, got %q", g.id, want, over.Result)
		}
		return pass
	})
}

// judgesRightly checks a match in which P01 chose even and P02 odd: one of them has won.
func judgesRightly(ctx context.Context, s refereeCheck) finding {
	return s.overBoth(ctx, protocol.TypeGameOver, func(_ *fixture, _ *fakePlayer, m message) finding {
		r := m.Message.(*protocol.GameOver).GameResult
		if r.DrawnNumber.Value == nil || *r.DrawnNumber.Value < 1 || *r.DrawnNumber.Value > 10 {
			return fail("want a drawn_number from 1 to 10")
		}
		want, parity := "P02", "odd"
		if *r.DrawnNumber.Value%2 == 0 {
			want, parity = "P01", "even"
		}
		switch {
		case r.NumberParity.Value != nil && *r.NumberParity.Value != parity:
			return fail("%d is %s, not %s", *r.DrawnNumber.Value, parity, *r.NumberParity.Value)
		case r.Status != protocol.Win || r.WinnerPlayerID == nil || *r.WinnerPlayerID != want:
			return fail("P01 chose even, P02 odd, and %d was drawn: want status WIN for %s", *r.DrawnNumber.Value, want)
		case string(r.Choices["P01"]) != `"even"` || string(r.Choices["P02"]) != `"odd"`:
			return fail("P01 chose even and P02 odd, but the choices say otherwise")
		}
		return pass
	})
}

// drawsRightly expects an unpredictable number that anyone can derive afterwards: the key was in the order, its hash
// shown before the choices, the key itself after them.
func drawsRightly(ctx context.Context, s refereeCheck) finding {
	return s.overBoth(ctx, protocol.TypeGameOver, func(f *fixture, g *fakePlayer, m message) finding {
		over := m.Message.(*protocol.GameOver)
		inv := g.got(f.id, protocol.TypeGameInvitation)[0].Message.(*protocol.GameInvitation)
		switch {
		case inv.Fairness.Commitment != protocol.KeyCommitment(f.key):
			return differ("the invitation does not commit to the draw key: want its SHA-256 as fairness.commitment")
		case over.Fairness == nil || over.Fairness.Key != f.order.DrawKey:
			return differ("GAME_OVER does not show the draw key as fairness.key")
		case over.GameResult.DrawnNumber.Value != nil && *over.GameResult.DrawnNumber.Value != drawn(f.key):
			return differ("the draw key gives the number %d, not %d", drawn(f.key), *over.GameResult.DrawnNumber.Value)
		}
		return pass
	})
}

// reported returns the report of the first match, or why there is nothing to judge.
func (s refereeCheck) reported(ctx context.Context) (*fixture, message, finding) {
	f, why := s.played(ctx)
	if why.level != passes {
		return f, message{}, why
	}
	all := f.reports()
	if len(all) == 0 {
		return f, message{}, skip("no report arrived")
	}
	return f, all[0], pass
}

// Without a report nothing has been played, as far as the league is concerned.
func reports(ctx context.Context, s refereeCheck) finding {
	f, m, why := s.reported(ctx)
	if why.detail == "no report arrived" {
		return fail("no MATCH_RESULT_REPORT arrived at %s", f.order.ReportTo).in(f.start.x)
	}
	if why.level != passes {
		return why
	}
	return complete(protocol.TypeMatchResultReport, m.Head().Source()).in(m.exchange)
}

// reportsRightly expects that the players and the manager receive the same result.
func reportsRightly(ctx context.Context, s refereeCheck) finding {
	f, m, why := s.reported(ctx)
	if why.level != passes {
		return why
	}
	over, told := f.over(f.a), m.Message.(*protocol.MatchResultReport).Result
	switch {
	case over == nil:
		return skip("no GAME_OVER arrived")
	case textOf(told.Winner) != textOf(over.GameResult.WinnerPlayerID):
		return fail("GAME_OVER names the winner %s, the report %s", textOf(over.GameResult.WinnerPlayerID),
			textOf(told.Winner)).in(m.exchange)
	case told.Details.DrawnNumber.Value != nil && over.GameResult.DrawnNumber.Value != nil &&
		*told.Details.DrawnNumber.Value != *over.GameResult.DrawnNumber.Value:
		return fail("GAME_OVER and the report have different numbers").in(m.exchange)
	case !sameChoices(told.Details.Choices, over.GameResult.Choices):
		return fail("GAME_OVER and the report have different choices").in(m.exchange)
	}
	return pass.in(m.exchange)
}

// sameChoices compares choices, where there are any.
func sameChoices(a, b map[string]json.RawMessage) bool {
	for id := range a {
		if b[id] != nil && string(a[id]) != string(b[id]) {
			return false
		}
	}
	return true
}

// reportsWithToken expects a report only from the assigned referee, authenticated by its token.
func reportsWithToken(ctx context.Context, s refereeCheck) finding {
	_, m, why := s.reported(ctx)
	switch {
	case why.level != passes:
		return why
	case !s.manager.registered():
		return skip("it is not registered with the checker")
	case !s.manager.authentic(m):
		return differ("the auth_token is not the one of its registration").in(m.exchange)
	}
	return pass.in(m.exchange)
}

// forfeits judges a match that P01 has lost by forfeit.
func (f *fixture) forfeits() finding {
	rep, over := f.report(), f.over(f.b)
	switch {
	case f.start.err != nil:
		return skip("it does not accept the match")
	case rep == nil && over == nil:
		return differ("the match did not end").in(f.start.x)
	case rep == nil:
		return differ("the match was not reported").in(f.start.x)
	case textOf(rep.Result.Winner) != "P02":
		return fail("want P02 as the winner in the report, got %s", textOf(rep.Result.Winner)).in(f.reports()[0].exchange)
	case rep.Result.Details.Status != protocol.TechnicalLoss:
		return differ("want result.details.status TECHNICAL_LOSS in the report, got %q",
			rep.Result.Details.Status).in(f.reports()[0].exchange)
	case over != nil && over.GameResult.Status != protocol.TechnicalLoss:
		return differ("want game_result.status TECHNICAL_LOSS in GAME_OVER, got %q",
			over.GameResult.Status).in(f.b.got(f.id, protocol.TypeGameOver)[0].exchange)
	}
	return pass.in(f.reports()[0].exchange)
}
