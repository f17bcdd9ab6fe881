package check

import (
	"context"

	"agentleague/protocol"
)

// matchSteps play matches with the player.
func matchSteps() []Step {
	return stepsOf([]row[playerCheck]{
		{"P22", "joins a match within 5 s", clauseMessages,
			"Answer handle_game_invitation within 5 seconds, with accept true.", joins},
		{"P23", "GAME_JOIN_ACK is complete", clausePayloads,
			"Put match_id, player_id, arrival_timestamp (UTC) and accept into GAME_JOIN_ACK.", joinComplete},
		{"P24", "a repeated invitation is accepted again", clauseMatch,
			"Answer a repeated invitation like the first: the referee may have missed your answer.", joinsAgain},
		{"P25", "chooses even or odd within 30 s", clausePayloads,
			`Answer choose_parity within 30 seconds with parity_choice, exactly "even" or "odd".`, chooses},
		{"P26", "CHOOSE_PARITY_RESPONSE is complete", clausePayloads,
			"Put match_id, player_id and parity_choice into CHOOSE_PARITY_RESPONSE, for the match in the call.",
			choiceComplete},
		{"P27", "a repeated call gets the same choice", clauseTokens,
			"Remember your choice in each match, and give the same one when you are asked again.", choosesOnce},
		{"P28", "a call with a wrong token is refused", clauseTokens,
			"Remember the auth_token of the invitation, and refuse calls with another token with AUTH_TOKEN_INVALID.",
			refusesToken},
		{"P29", "a call without an invitation is refused", clauseErrors,
			"Answer a call about a match that you were not invited to with MATCH_NOT_FOUND.", refusesUnknown},
		{"P30", "GAME_ERROR is acknowledged", clauseMessages, "Answer notify_game_error with GAME_ERROR_ACK.", hearsError},
		{"P31", "GAME_OVER is acknowledged within 5 s", clauseMessages,
			"Answer notify_match_result within 5 seconds with GAME_OVER_ACK.", hearsOver},
		{"P32", "a repeated GAME_OVER is acknowledged again", clauseMatch,
			"Acknowledge a result that you already know: the referee may have missed your answer.", hearsOverAgain},
		{"P33", "a call after the end of the match is refused", clauseErrors,
			"Forget a match when it is over, and answer late calls with MATCH_NOT_FOUND.", refusesLate},
		{"P34", "plays another match afterwards", clauseMatch, "Be ready for the next invitation after GAME_OVER.",
			playsAgain},
		{"P35", "plays several matches at once", clauseMatch,
			"Store the state of each match under its match_id, so that matches do not disturb each other.", playsMany},
		{"P36", "simultaneous calls get the same choice", clauseTokens,
			"Choose under a lock, so that simultaneous calls for one match get the same choice.", choosesOnceAtOnce},
	})
}

// joins invites the player. A player that is bound to a manager may refuse other referees: then the step is skipped,
// with a hint.
func joins(ctx context.Context, s playerCheck) finding {
	r := s.joined(ctx)
	if f := s.unbound(ctx); f.level == skipped && f.detail != "it does not join a match" {
		return f
	}
	if f := first(answered(r), s.late(protocol.TypeGameInvitation, r.x)); f.level != passes {
		return f
	}
	ack, ok := r.Message.(*protocol.GameJoinAck)
	switch {
	case !ok:
		return fail("want a GAME_JOIN_ACK").in(r.x)
	case !ack.Accepts():
		return fail("it declines the invitation").in(r.x)
	}
	return pass.in(r.x)
}

// joinComplete checks the members of a join. People read arrival_timestamp to find the slow part of a match; one
// without a zone misleads them.
func joinComplete(ctx context.Context, s playerCheck) finding {
	if f := s.unbound(ctx); f.level != passes {
		return f
	}
	r := s.joined(ctx)
	ack := r.Message.(*protocol.GameJoinAck)
	f := complete(protocol.TypeGameJoinAck, ack.Source())
	if _, plain, err := protocol.ParseTime(ack.ArrivalTimestamp); f.level == passes && (err != nil || !plain) {
		f = differ("want an arrival_timestamp such as 2025-01-15T10:30:00Z, got %q", ack.ArrivalTimestamp)
	}
	if f.level == passes && ack.MatchID != s.match(1, 1) {
		f = differ("want match_id %s, got %q", s.match(1, 1), ack.MatchID)
	}
	return f.in(r.x)
}

// joinsAgain repeats the invitation, as a referee does after a timeout. A player that declines then forfeits a match
// that it accepted.
func joinsAgain(ctx context.Context, s playerCheck) finding {
	if f := s.unbound(ctx); f.level != passes {
		return f
	}
	r := s.join(ctx, s.match(1, 1))
	if ack, ok := r.Message.(*protocol.GameJoinAck); r.err == nil && (!ok || !ack.Accepts()) {
		return differ("it declines an invitation that it accepted before").in(r.x)
	}
	if f := answered(r); f.level != passes {
		return differ("%s", f.detail).in(r.x)
	}
	return pass
}

// chooses expects a choice. Other words than even and odd are accepted where that is safe; joinComplete and
// choiceComplete report the difference.
func chooses(ctx context.Context, s playerCheck) finding {
	if f := s.unbound(ctx); f.level != passes {
		return f
	}
	r := s.chosen(ctx)
	_, f := choiceIn(r)
	return first(f, s.late(protocol.TypeChooseParityCall, r.x)).in(r.x)
}

// The match_id is checked last: with matches at once, an answer for another match would be taken for this one.
func choiceComplete(ctx context.Context, s playerCheck) finding {
	if _, f := s.undecided(ctx); f.level != passes {
		return f
	}
	r := s.chosen(ctx)
	f := first(inItsOwnWords(r), complete(protocol.TypeChooseParityResponse, r.Head().Source()))
	if f.level == passes && r.Head().MatchID != s.match(1, 1) {
		f = differ("want match_id %s, got %q", s.match(1, 1), r.Head().MatchID)
	}
	return f.in(r.x)
}

// choosesOnce asks for the same choice repeatedly, as a referee does after a lost answer. A player that changes its
// choice would play two different matches.
func choosesOnce(ctx context.Context, s playerCheck) finding {
	before, f := s.undecided(ctx)
	if f.level != passes {
		return f
	}
	for range 5 { // finds a player that chooses randomly each time
		after, f := choiceIn(s.choose(ctx, s.match(1, 1)))
		if f.level != passes {
			return f
		}
		if after != before {
			return fail("it chose %s first and %s when it was asked again", before, after)
		}
	}
	return pass
}

// refusesToken repeats an answered call with another token: a player that answers reveals its choices to any caller.
func refusesToken(ctx context.Context, s playerCheck) finding {
	if _, f := s.undecided(ctx); f.level != passes {
		return f
	}
	return wantError(s.say(ctx, asReferee, s.parityCall(s.match(1, 1)), with("auth_token", wrongToken)),
		protocol.AuthTokenInvalid)
}

// refusesUnknown asks about round 9, match 9 of this check, which had no invitation.
func refusesUnknown(ctx context.Context, s playerCheck) finding {
	if f := s.unbound(ctx); f.level != passes {
		return f
	}
	return wantError(s.say(ctx, asReferee, s.parityCall(s.match(9, 9))), protocol.MatchNotFound)
}

// hearsError sends a GAME_ERROR, which announces another try. A player that does not accept it can still play, so a
// refusal is only a warning.
func hearsError(ctx context.Context, s playerCheck) finding {
	if f := s.unbound(ctx); f.level != passes {
		return f
	}
	m := &protocol.GameError{
		Envelope: s.head(protocol.TypeGameError, s.match(1, 1)), PlayerID: s.playerID(), AffectedPlayer: s.playerID(),
		ErrorCode: protocol.Timeout.Code, ErrorName: protocol.Timeout.Name, ErrorDescription: protocol.Timeout.Name,
		GameState: protocol.CollectingChoices, ActionRequired: string(protocol.TypeChooseParityResponse),
		Retryable: true, RetryCount: 1, MaxRetries: 3, Attempt: 1, Consequence: "TECHNICAL_LOSS if the retries are used up",
	}
	return acknowledged(s.session, protocol.TypeGameError, s.call(ctx, asReferee, m))
}

// From here on the first match is over for the player.
func hearsOver(ctx context.Context, s playerCheck) finding {
	if f := s.unbound(ctx); f.level != passes {
		return f
	}
	return acknowledged(s.session, protocol.TypeGameOver, s.end(ctx, s.match(1, 1)))
}

// The first acknowledgement may have been lost; a referee repeats the result until it is acknowledged.
func hearsOverAgain(ctx context.Context, s playerCheck) finding {
	if f := s.unbound(ctx); f.level != passes {
		return f
	}
	r := s.end(ctx, s.match(1, 1))
	if r.err != nil {
		return differ("a repeated result is refused: %v", r.err).in(r.x)
	}
	return pass
}

// refusesLate asks for a choice after the end of the match. Any of three errors is accepted.
func refusesLate(ctx context.Context, s playerCheck) finding {
	if f := s.unbound(ctx); f.level != passes {
		return f
	}
	return wantError(s.say(ctx, asReferee, s.parityCall(s.match(1, 1))), protocol.MatchNotFound, protocol.DeadlinePassed,
		protocol.OutOfTurn)
}

// lastPlayerSteps announce the end of the league, after which the player may exit.
func lastPlayerSteps() []Step {
	const fix = "Answer notify_league_completed with LEAGUE_COMPLETED_ACK before you exit."
	return stepsOf([]row[playerCheck]{{"P90", "the end of the league is acknowledged", clauseMessages, fix, hearsEnd}})
}

// hearsEnd announces the end of the league. An agent may exit then, so only one that registered with the checker and
// has no other league receives it.
func hearsEnd(ctx context.Context, s playerCheck) finding {
	if !s.manager.registered() {
		return skip("%s", hinted("it could stop an agent that is not registered with the checker", s.Hints.Listen))
	}
	return s.news(ctx, &protocol.LeagueCompleted{
		TotalRounds: 1, TotalMatches: 1, Champion: protocol.Champion{PlayerID: s.playerID(), DisplayName: "Check", Points: 3},
		FinalStandings: s.table(),
	}, protocol.TypeLeagueCompleted)
}
