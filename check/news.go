package check

import (
	"context"

	"agentleague/protocol"
)

// newsSteps tell the player what its manager would.
func newsSteps() []Step {
	next := protocol.Round(2)
	return []Step{
		{"P40", "ROUND_ANNOUNCEMENT is acknowledged", clauseMessages, "Answer notify_round with ROUND_ANNOUNCEMENT_ACK.", func(ctx context.Context, s *session) finding {
			return s.news(ctx, s.announcement(), protocol.TypeRoundAnnouncement)
		}},
		{"P41", "LEAGUE_STANDINGS_UPDATE is acknowledged", clauseMessages, "Answer update_standings with STANDINGS_UPDATE_ACK.", func(ctx context.Context, s *session) finding {
			return s.news(ctx, &protocol.StandingsUpdate{Standings: s.table()}, protocol.TypeLeagueStandingsUpdate)
		}},
		{"P42", "ROUND_COMPLETED is acknowledged", clauseMessages, "Answer notify_round_completed with ROUND_COMPLETED_ACK.", func(ctx context.Context, s *session) finding {
			return s.news(ctx, &protocol.RoundCompleted{MatchesCompleted: 1, MatchesPlayed: 1, NextRoundID: &next, Summary: protocol.RoundSummary{TotalMatches: 1, Draws: 1}}, protocol.TypeRoundCompleted)
		}},
		{"P43", "news from somebody else than the manager are refused", clauseTokens, "Refuse news that do not show your manager's token with AUTH_TOKEN_INVALID.", refusesStranger},
		{"P44", "get_player_state tells the state", clauseQueries, "Add a method get_player_state that answers with PLAYER_STATE: player_id, state and agent_state.", tellsState},
	}
}

// news tells the player something as its manager and judges the acknowledgement.
func (s *session) news(ctx context.Context, m protocol.Message, t protocol.Type) finding {
	if f := s.unbound(ctx); f.level == skipped && !s.desk.registered() && f.detail != "it does not join a match" {
		return f
	}
	s.address(m, t)
	return acknowledged(s, t, s.call(ctx, asManager, m))
}

// address completes what the manager says.
func (s *session) address(m protocol.Message, t protocol.Type) {
	h := m.Head()
	h.MessageType, h.LeagueID, h.ConversationID = t, league, s.conversation("news")
	if t != protocol.TypeLeagueCompleted {
		h.RoundID = 1
	}
	h.AuthToken = s.managerToken(t, h.RoundID)
}

// managerToken is what the checker shows as a manager.
func (s *session) managerToken(t protocol.Type, round protocol.Round) string {
	if s.desk.registered() {
		return s.desk.managerToken(t, round)
	}
	return "tok_manager_check"
}

func (s *session) announcement() *protocol.RoundAnnouncement {
	match := protocol.AnnouncedMatch{
		MatchID: s.match(5, 1), GameType: "even_odd", PlayerAID: s.playerID(), PlayerBID: s.opponentID(), RefereeID: refereeID, RefereeEndpoint: s.desk.url, Attempt: 1,
		MatchTokens: s.desk.registered(),
	}
	return &protocol.RoundAnnouncement{Matches: []protocol.AnnouncedMatch{match}, Byes: []string{}}
}

func (s *session) table() []protocol.Standing {
	return []protocol.Standing{
		{Rank: 1, PlayerID: s.playerID(), DisplayName: "Check A", Played: 1, Draws: 1, Points: 1},
		{Rank: 2, PlayerID: s.opponentID(), DisplayName: "Check B", Played: 1, Draws: 1, Points: 1},
	}
}

// refusesStranger can be asked only of a player that has a manager: ours.
func refusesStranger(ctx context.Context, s *session) finding {
	if !s.desk.registered() {
		return skip("%s", hinted("it is not registered with the checker", s.Hints.Listen))
	}
	m := s.announcement()
	s.address(m, protocol.TypeRoundAnnouncement)
	return wantError(s.say(ctx, asManager, m, with("auth_token", wrongToken)), protocol.AuthTokenInvalid)
}

func tellsState(ctx context.Context, s *session) finding {
	m := &protocol.Tool{Envelope: protocol.Envelope{MessageType: protocol.TypeGetPlayerState, ConversationID: s.conversation("state")}}
	r := s.call(ctx, asManager, m)
	if f := answered(r); f.level != passes {
		return differ("%s", f.detail).in(r.x)
	}
	if r.Message == nil {
		return differ("want a PLAYER_STATE").in(r.x)
	}
	return complete(protocol.TypePlayerState, r.Head().Source())
}

// registrationSteps look at how an agent registered with the checker.
func registrationSteps(letter string, t protocol.Type) []Step {
	return []Step{
		{letter + "20", "registers with a complete request", clauseRegistration, "Send display_name, version, game_types and contact_endpoint (a referee also max_concurrent_matches) when you register.",
			func(_ context.Context, s *session) finding {
				if !s.desk.registered() {
					return skip("%s", hinted("it is not registered with the checker", s.Hints.Listen))
				}
				return complete(t, s.desk.applied.Head().Source()).in(s.desk.applied.exchange)
			}},
		{letter + "21", "listens before it registers", clauseRoles, "Open your port first and register then, since the manager may call you at once.",
			func(_ context.Context, s *session) finding {
				switch {
				case !s.desk.registered() || s.desk.applied == nil:
					return skip("%s", hinted("it is not registered with the checker", s.Hints.Listen))
				case s.desk.deaf != nil:
					return differ("nothing answered at %s when it registered: %v", s.desk.meta.ContactEndpoint, s.desk.deaf).in(s.desk.applied.exchange)
				}
				return pass.in(s.desk.applied.exchange)
			}},
	}
}
