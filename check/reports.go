package check

import (
	"context"
	"encoding/json"
	"net/http"

	"agentleague/protocol"
)

// reportSteps send results of unplayed matches and unauthorized orders.
func reportSteps() []Step {
	return stepsOf([]row[managerCheck]{
		{"M63", "a report from an agent that is not a referee is refused", clauseTokens,
			"Accept results only from registered referees, and refuse others with REFEREE_NOT_REGISTERED.",
			func(ctx context.Context, s managerCheck) finding {
				ann, why := s.admitted(ctx)
				if why.level != passes {
					return why
				}
				return wantError(s.say(ctx, ann.as(), s.forged(ann)), protocol.RefereeNotRegistered)
			}},
		{"M64", "a report from an unknown referee is E013", clauseErrors,
			"Refuse results from unknown referees with REFEREE_NOT_REGISTERED, 5001.",
			func(ctx context.Context, s managerCheck) finding {
				ann, why := s.admitted(ctx)
				if why.level != passes {
					return why
				}
				return wantError(s.say(ctx, "referee:REF998", s.forged(ann)), protocol.RefereeNotRegistered)
			}},
		{"M65", "a report with a wrong token is E012", clauseTokens,
			"Check the auth_token of every report, and refuse wrong ones with AUTH_TOKEN_INVALID, 5001.",
			func(ctx context.Context, s managerCheck) finding {
				return s.reportAs(ctx, wrongToken, protocol.AuthTokenInvalid)
			}},
		{"M66", "a report of a match that was never assigned is 5002", clauseMatch,
			"Accept a result only from the referee of the match, and refuse others with MATCH_NOT_FOUND, 5002.",
			func(ctx context.Context, s managerCheck) finding {
				return s.reportAs(ctx, "", protocol.MatchNotFound)
			}},
		{"M67", "an order without the admin token is E011", clauseTokens,
			"Refuse start_league, pause_league and the like without a token with AUTH_TOKEN_MISSING.",
			ordered("", protocol.AuthTokenMissing)},
		{"M68", "an order with a wrong admin token is E012", clauseTokens,
			"Refuse start_league, pause_league and the like with a wrong token with AUTH_TOKEN_INVALID.",
			ordered(wrongToken, protocol.AuthTokenInvalid)},
		{"M69", "many queries at once are answered", clauseErrors,
			"Answer requests in parallel. You may refuse some with RATE_LIMITED, but answer every one.", rushed},
	})
}

// forged is a report of a match that was not played.
func (s managerCheck) forged(who *applicant) *protocol.MatchResultReport {
	number, parity, winner := 4, "even", who.grant().ID
	return &protocol.MatchResultReport{
		Envelope: protocol.Envelope{
			MessageType: protocol.TypeMatchResultReport, ConversationID: s.conversation("report"), AuthToken: who.grant().Token,
			LeagueID: who.grant().League, RoundID: 1, MatchID: "R99M99",
		},
		GameType: "even_odd", Attempt: 1,
		Result: protocol.ReportedResult{
			Winner: &winner, Score: map[string]json.RawMessage{winner: json.RawMessage("3")},
			Details: protocol.ReportDetails{DrawnNumber: protocol.Tell(number), NumberParity: protocol.Tell(parity),
				Choices: map[string]json.RawMessage{winner: json.RawMessage(`"even"`)}},
		},
	}
}

// reportAs reports a match as a referee that is registered and was never given it. "" is the referee's own token.
func (s managerCheck) reportAs(ctx context.Context, token string, want *protocol.Kind) finding {
	if _, why := s.admitted(ctx); why.level != passes {
		return why
	}
	ref := s.ref(ctx)
	if ref.grant().ID == "" {
		return skip("no referee can register")
	}
	m := s.forged(ref)
	if token != "" {
		m.AuthToken = token
	}
	return wantError(s.say(ctx, ref.as(), m), want)
}

// ordered orders a pause, which does the least harm where the order is obeyed.
func ordered(token string, want *protocol.Kind) func(context.Context, managerCheck) finding {
	return func(ctx context.Context, s managerCheck) finding {
		m := &protocol.Tool{Envelope: protocol.Envelope{MessageType: protocol.TypePauseLeague,
			ConversationID: s.conversation("order"), AuthToken: token}}
		r := s.say(ctx, string(protocol.RoleAdmin), m)
		if r.err == nil && r.Message != nil {
			s.say(ctx, string(protocol.RoleAdmin), &protocol.Tool{Envelope: protocol.Envelope{
				MessageType: protocol.TypeResumeLeague, ConversationID: s.conversation("order"), AuthToken: token,
			}})
		}
		return wantError(r, want)
	}
}

// rushed sends a number of queries at once. A rate-limit error is accepted.
func rushed(ctx context.Context, s managerCheck) finding {
	ann, why := s.admitted(ctx)
	if why.level != passes {
		return why
	}
	return together(16, func(int) finding {
		r := s.say(ctx, ann.as(), s.question(ann, protocol.QueryStandings))
		if no, ok := r.err.(*protocol.Refusal); ok &&
			(no.Name == protocol.RateLimited.Name || no.HTTPStatus == http.StatusTooManyRequests) {
			return pass
		}
		return answered(r)
	})
}
