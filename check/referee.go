package check

import (
	"context"

	"agentleague/protocol"
)

// registersWhenTold expects a referee to register with the manager that it is pointed to. One that already has a
// manager may answer so.
func registersWhenTold(ctx context.Context, s refereeCheck) finding {
	r := s.enlist(ctx)
	no, refused := r.err.(*protocol.Refusal)
	switch {
	case refused && no.Name == protocol.OutOfTurn.Name:
		return skip("%s", hinted("it works for another manager", s.Hints.Restart))
	case refused || r.err == nil && !s.manager.registered():
		return differ("it did not register with the manager in league_endpoint").in(r.x)
	case r.err != nil:
		return fail("it gave no answer: %v", r.err).in(r.x)
	}
	return pass.in(r.x)
}

// fairSteps judge a match that goes well.
func fairSteps() []Step {
	return stepsOf([]row[refereeCheck]{
		{"R22", "register_to_league makes it register", clauseQueries,
			"Add a method register_to_league that registers with the manager at league_endpoint.", registersWhenTold},
		{"R23", "START_MATCH is accepted", clausePayloads,
			"Answer start_match at once with START_MATCH_ACK, status ACCEPTED or BUSY, and play the match afterwards.", accepts},
		{"R24", "both players are invited", clauseMatch, "Send handle_game_invitation to the endpoints of both players.",
			invites},
		{"R25", "GAME_INVITATION is complete", clausePayloads,
			"Put league_id, round_id, match_id, game_type, role_in_match and opponent_id into GAME_INVITATION, PLAYER_A for " +
				"one and PLAYER_B for the other.",
			invitesRightly},
		{"R26", "each player gets its own token", clauseTokens,
			"Send each player its token from START_MATCH as auth_token, and never your own.", showsTokens},
		{"R27", "each player has a conversation of its own", clauseRoles,
			"End the conversation_id towards each player in random text, so that nobody else can answer in it.", conversesApart},
		{"R28", "both players are asked at the same time", clauseMatch,
			"Call choose_parity on both players at once; do not wait for the first answer.", asksTogether},
		{"R29", "CHOOSE_PARITY_CALL is complete", clausePayloads,
			"Put match_id, player_id, game_type, context and a deadline in UTC into CHOOSE_PARITY_CALL.", asksRightly},
		{"R30", "get_match_state returns the state", clauseQueries,
			"Add a method get_match_state that answers with MATCH_STATE: match_id and state.", tellsMatch},
		{"R31", "no choice is shown before both have answered", clauseMatch,
			"Until both have answered, show who has answered but never what.", keepsSecret},
		{"R32", "GAME_OVER reaches both players", clauseMatch,
			"Send notify_match_result to both players when the match is over.", tellsOver},
		{"R33", "GAME_OVER is complete", clausePayloads,
			"Put match_id, game_type and game_result {status, winner_player_id, choices, reason} into GAME_OVER, and the " +
				"result from the receiver's side.",
			tellsOverRightly},
		{"R34", "the winner follows from number and choices", clauseMatch,
			"Draw a number from 1 to 10; the player that chose its parity wins; if both or neither did, it is a DRAW.",
			judgesRightly},
		{"R35", "the number follows from the draw key", clauseDraw,
			"Draw with the key of START_MATCH, put its hash into the invitation and the key into GAME_OVER.",
			drawsRightly},
		{"R36", "MATCH_RESULT_REPORT is sent and complete", clausePayloads,
			"Send report_match_result to report_to, with league_id, round_id, match_id, game_type and result {winner, " +
				"score, details}.",
			reports},
		{"R37", "the report agrees with GAME_OVER", clauseMatch,
			"Report the same winner, number and choices as in GAME_OVER.", reportsRightly},
		{"R38", "the report has the referee's token", clauseTokens,
			"Send the auth_token of your registration with every report.", reportsWithToken},
	})
}

// accepts judges only the acknowledgement: later steps judge the match.
func accepts(ctx context.Context, s refereeCheck) finding {
	f, why := s.played(ctx)
	if why.level == skipped && f.start.err == nil {
		why = pass
	}
	if r := f.start; r.err != nil {
		return first(s.unengaged(r), answered(r)).in(r.x)
	}
	ack, ok := f.start.Message.(*protocol.StartMatchAck)
	switch {
	case why.level != passes:
		return why
	case !ok || ack.Source() == nil:
		return differ("want a START_MATCH_ACK").in(f.start.x)
	case ack.Status != protocol.Accepted:
		return fail("want status ACCEPTED, got %q", ack.Status).in(f.start.x)
	}
	return first(complete(protocol.TypeStartMatchAck, ack.Source()),
		s.late(protocol.TypeStartMatch, f.start.x)).in(f.start.x)
}

// invites fails if either player got no invitation; anything else that prevents the match is reported.
func invites(ctx context.Context, s refereeCheck) finding {
	f, why := s.played(ctx)
	if why.level == skipped && why.detail == "it does not invite the players" {
		return fail("%s got no GAME_INVITATION", missingOf(f, protocol.TypeGameInvitation)).in(f.start.x)
	}
	return why.in(f.start.x)
}

// Which seat a player has depends on START_MATCH alone: player_A is PLAYER_A.
func invitesRightly(ctx context.Context, s refereeCheck) finding {
	roles := map[string]string{"P01": "PLAYER_A", "P02": "PLAYER_B"}
	return s.overBoth(ctx, protocol.TypeGameInvitation, func(_ *fixture, g *fakePlayer, m message) finding {
		inv := m.Message.(*protocol.GameInvitation)
		if f := complete(protocol.TypeGameInvitation, inv.Source()); f.level != passes {
			return f
		}
		if inv.RoleInMatch != roles[g.id] || inv.OpponentID == g.id {
			return differ("%s: want role_in_match %s and the other player as opponent_id, got %s and %s",
				g.id, roles[g.id],
				inv.RoleInMatch, inv.OpponentID)
		}
		return pass
	})
}

// showsTokens expects a separate token for each player. A referee that shows both players the same, or its own token,
// leaks a secret.
func showsTokens(ctx context.Context, s refereeCheck) finding {
	return s.overBoth(ctx, protocol.TypeGameInvitation, func(f *fixture, g *fakePlayer, m message) finding {
		want := map[string]string{f.a.id: f.order.PlayerA.Token, f.b.id: f.order.PlayerB.Token}[g.id]
		if got := m.Head().AuthToken; got != want {
			return differ("%s: the auth_token is not the one that START_MATCH has for that player", g.id)
		}
		return pass
	})
}

// conversesApart expects separate conversations: with the other's conversation_id a player could answer in its place.
func conversesApart(ctx context.Context, s refereeCheck) finding {
	f, why := s.played(ctx)
	if why.level != passes {
		return why
	}
	a, b := f.a.got(f.id, protocol.TypeGameInvitation)[0], f.b.got(f.id, protocol.TypeGameInvitation)[0]
	if a.Head().ConversationID == b.Head().ConversationID {
		return differ("both have the conversation_id %s", a.Head().ConversationID).in(b.exchange)
	}
	return pass.in(b.exchange)
}

// fair lets P01 wait until P02 has been asked too: a referee that asks one after the other is seen by that and by
// nothing else.
func asksTogether(ctx context.Context, s refereeCheck) finding {
	return s.overBoth(ctx, protocol.TypeChooseParityCall, func(f *fixture, _ *fakePlayer, _ message) finding {
		if !f.together {
			return differ("P02 was asked only when P01 had answered")
		}
		return pass
	})
}

// A deadline that has passed, or that has no zone, makes players give up that would have answered in time.
func asksRightly(ctx context.Context, s refereeCheck) finding {
	return s.overBoth(ctx, protocol.TypeChooseParityCall, func(_ *fixture, g *fakePlayer, m message) finding {
		call := m.Message.(*protocol.ChooseParityCall)
		if f := complete(protocol.TypeChooseParityCall, call.Source()); f.level != passes {
			return f
		}
		until, plain, err := protocol.ParseTime(call.Deadline)
		if err != nil || !plain || until.Before(m.at) {
			return differ("%s: want a deadline in UTC that has not passed, got %q", g.id, call.Deadline)
		}
		return pass
	})
}

// The question was put in the middle of the match, by P02 before it answered (see fair).
func tellsMatch(ctx context.Context, s refereeCheck) finding {
	f, why := s.played(ctx)
	if why.level != passes {
		return why
	}
	switch r := f.state; {
	case r.x == nil:
		return skip("P02 was not asked")
	case r.err != nil || r.Message == nil:
		return differ("want a MATCH_STATE").in(r.x)
	default:
		return complete(protocol.TypeMatchState, r.Head().Source()).in(r.x)
	}
}

// keepsSecret checks the match state while P01 has chosen and P02 has not: any word for a choice in it would reveal
// P01's.
func keepsSecret(ctx context.Context, s refereeCheck) finding {
	f, why := s.played(ctx)
	switch {
	case why.level != passes:
		return why
	case f.state.Message == nil:
		return skip("it does not return the state of a match")
	case hasWord(f.state.x.got, "even", "odd"):
		return fail("P01 has chosen and P02 has not, but the state shows a choice").in(f.state.x)
	}
	return pass.in(f.state.x)
}

// lastRefereeSteps announce the end of the league, after which the referee may exit.
func lastRefereeSteps() []Step {
	return stepsOf([]row[refereeCheck]{{
		"R90", "the end of the league is acknowledged", clauseMessages,
		"Answer notify_league_completed with LEAGUE_COMPLETED_ACK.", acknowledgesEnd,
	}})
}

// acknowledgesEnd announces the end of the league. An agent may exit then, so only one that registered with the
// checker and has no other league receives it.
func acknowledgesEnd(ctx context.Context, s refereeCheck) finding {
	if !s.manager.registered() {
		return skip("%s", hinted("it could stop an agent that is not registered with the checker", s.Hints.Listen))
	}
	m := &protocol.LeagueCompleted{
		TotalRounds: 1, TotalMatches: 1, Champion: protocol.Champion{PlayerID: "P01", DisplayName: "Check", Points: 3},
	}
	s.address(m, protocol.TypeLeagueCompleted)
	return acknowledged(s.session, protocol.TypeLeagueCompleted, s.call(ctx, asManager, m))
}
