package check

import (
	"context"

	"agentleague/dialect"
	"agentleague/protocol"
)

// orderSteps send the referee wrong orders and wrong questions.
func orderSteps() []Step {
	rows := []row[refereeCheck]{
		{"R47", "START_MATCH with a wrong token is E012", clauseTokens,
			"Accept start_match only with your manager's token, and refuse others with AUTH_TOKEN_INVALID.",
			func(ctx context.Context, s refereeCheck) finding {
				return s.refusesOrder(ctx, func(m *protocol.StartMatch) { m.AuthToken = wrongToken }, protocol.AuthTokenInvalid)
			}},
		{"R48", "START_MATCH without a token is E011", clauseTokens,
			"Refuse start_match without a token with AUTH_TOKEN_MISSING.", func(ctx context.Context, s refereeCheck) finding {
				return s.refusesOrder(ctx, func(m *protocol.StartMatch) { m.AuthToken = "" }, protocol.AuthTokenMissing)
			}},
		{"R49", "START_MATCH without a player is E003", clauseEnvelope,
			"Refuse start_match without player_A or player_B with MISSING_REQUIRED_FIELD.",
			func(ctx context.Context, s refereeCheck) finding {
				if _, why := s.played(ctx); why.level != passes {
					return why
				}
				h, _ := s.fakePlayers(ctx)
				m, _ := s.order(h, s.match(1, 8))
				return wantError(s.say(ctx, asManager, m, without("player_B")), protocol.MissingField)
			}},
	}
	for _, f := range envelopeFaults("R", "match_id", "a question") {
		rows = append(rows, row[refereeCheck]{f.id, f.name, f.clause, f.fix,
			func(ctx context.Context, s refereeCheck) finding {
				if played, why := s.played(ctx); why.level != passes || played.state.Message == nil {
					return first(why, skip("it does not return the state of a match"))
				}
				return f.judge(s.say(ctx, asManager, s.stateOf(s.match(1, 1)), f.mutations...))
			}})
	}
	return stepsOf(append(rows,
		row[refereeCheck]{"R61", "the state of an unknown match is E006", clauseErrors,
			"Answer get_match_state about a match that you do not have with MATCH_NOT_FOUND.",
			func(ctx context.Context, s refereeCheck) finding {
				if played, why := s.played(ctx); why.level != passes || played.state.Message == nil {
					return first(why, skip("it does not return the state of a match"))
				}
				return wantError(s.say(ctx, asManager, s.stateOf(s.match(9, 9))), protocol.MatchNotFound)
			}},
		row[refereeCheck]{"R62", "an answer that comes too late is E008", clauseMatch,
			"Answer a choice that arrives as a call after the match is over with DEADLINE_PASSED.", tooLate},
	))
}

// refusesOrder sends a wrong order to a referee that knows its manager.
func (s refereeCheck) refusesOrder(ctx context.Context, edit func(*protocol.StartMatch), want *protocol.Kind) finding {
	if _, why := s.played(ctx); why.level != passes {
		return why
	}
	if !s.manager.registered() {
		return skip("it is not registered with the checker: it does not know the checker's token")
	}
	h, _ := s.fakePlayers(ctx)
	m, _ := s.order(h, s.match(1, 8))
	edit(m)
	return wantError(s.say(ctx, asManager, m), want)
}

// tooLate sends an answer that no call waits for, as a callback.
func tooLate(ctx context.Context, s refereeCheck) finding {
	f, why := s.played(ctx)
	if why.level != passes {
		return why
	}
	m := &protocol.ChooseParityResponse{
		Envelope: protocol.Envelope{
			Protocol: protocol.Version, MessageType: protocol.TypeChooseParityResponse, Sender: "player:P01",
			Timestamp:      "2025-01-15T10:30:00Z",
			ConversationID: s.conversation("late"), AuthToken: f.order.PlayerA.Token, LeagueID: league, RoundID: 1,
			MatchID: f.id,
		},
		PlayerID: "P01", ParityChoice: []byte(`"even"`), Choice: []byte(`"even"`),
	}
	raw, err := protocol.Encode(m)
	if err != nil {
		return skip("%v", err)
	}
	x, a, found := s.rpc(ctx, `{"jsonrpc":"2.0","method":"mcp_message","params":`+string(raw)+`,"id":9}`)
	if found.level != passes {
		return found
	}
	_, _, err = dialect.Unframe(x.status, x.got, protocol.TypeAnswerAck, protocol.Reading{})
	if no, ok := err.(*protocol.Refusal); !ok || no.Name != protocol.DeadlinePassed.Name {
		return differ("want the error %s %s", protocol.DeadlinePassed.Code, protocol.DeadlinePassed.Name).in(x)
	}
	return a.is("9").in(x)
}
