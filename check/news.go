package check

import (
	"context"

	"agentleague/protocol"
)

// newsSteps send the player the news of a manager.
func newsSteps() []Step {
	next := protocol.Round(2)
	return stepsOf([]row[playerCheck]{
		{"P40", "ROUND_ANNOUNCEMENT is acknowledged", clauseMessages, "Answer notify_round with ROUND_ANNOUNCEMENT_ACK.",
			func(ctx context.Context, s playerCheck) finding {
				return s.news(ctx, s.announcement(), protocol.TypeRoundAnnouncement)
			}},
		{"P41", "LEAGUE_STANDINGS_UPDATE is acknowledged", clauseMessages,
			"Answer update_standings with STANDINGS_UPDATE_ACK.", func(ctx context.Context, s playerCheck) finding {
				return s.news(ctx, &protocol.StandingsUpdate{Standings: s.table()}, protocol.TypeLeagueStandingsUpdate)
			}},
		{"P42", "ROUND_COMPLETED is acknowledged", clauseMessages,
			"Answer notify_round_completed with ROUND_COMPLETED_ACK.", func(ctx context.Context, s playerCheck) finding {
				return s.news(ctx, &protocol.RoundCompleted{MatchesCompleted: 1, MatchesPlayed: 1, NextRoundID: &next,
					Summary: protocol.RoundSummary{TotalMatches: 1, Draws: 1}}, protocol.TypeRoundCompleted)
			}},
		{"P43", "news that is not from the manager is refused", clauseTokens,
			"Refuse news without your manager's token with AUTH_TOKEN_INVALID.", refusesStranger},
		{"P44", "get_player_state returns the state", clauseQueries,
			"Add a method get_player_state that answers with PLAYER_STATE: player_id, state and agent_state.", tellsState},
	})
}

// news sends the player news as its manager and judges the acknowledgement.
func (s playerCheck) news(ctx context.Context, m protocol.Message, t protocol.Type) finding {
	if f := s.unbound(ctx); f.level == skipped && !s.manager.registered() && f.detail != "it does not join a match" {
		return f
	}
	s.address(m, t)
	return acknowledged(s.session, t, s.call(ctx, asManager, m))
}

// announcement lists every match that the checker plays with the player, and the address of its referee.
func (s playerCheck) announcement() *protocol.RoundAnnouncement {
	r := &protocol.RoundAnnouncement{Byes: []string{}}
	for round, matches := range matchesInRound {
		for n := range matches {
			r.Matches = append(r.Matches, protocol.AnnouncedMatch{
				MatchID: s.match(round+1, n+1), GameType: "even_odd", PlayerAID: s.playerID(), PlayerBID: s.opponentID(),
				RefereeID: refereeID, RefereeEndpoint: s.manager.url, Attempt: 1,
				Native: s.manager.registered(),
			})
		}
	}
	return r
}

// matchesInRound is how many matches the checker plays in each round of its league.
var matchesInRound = []int{1, 1, sideBySide, 1, 1, 1}

// announce sends the player its matches, and ignores the answer.
func (s playerCheck) announce(ctx context.Context) {
	m := s.announcement()
	s.address(m, protocol.TypeRoundAnnouncement)
	s.call(ctx, asManager, m)
}

// table is a table that the player under test is in.
func (s playerCheck) table() []protocol.Standing {
	return []protocol.Standing{
		{Rank: 1, PlayerID: s.playerID(), DisplayName: "Check A", Played: 1, Draws: 1, Points: 1},
		{Rank: 2, PlayerID: s.opponentID(), DisplayName: "Check B", Played: 1, Draws: 1, Points: 1},
	}
}

// refusesStranger can be asked only of a player that has a manager: ours.
func refusesStranger(ctx context.Context, s playerCheck) finding {
	if !s.manager.registered() {
		return skip("%s", hinted("it is not registered with the checker", s.Hints.Listen))
	}
	m := s.announcement()
	s.address(m, protocol.TypeRoundAnnouncement)
	return wantError(s.say(ctx, asManager, m, with("auth_token", wrongToken)), protocol.AuthTokenInvalid)
}

// tellsState wants PLAYER_STATE for an answer. It is not essential: an agent without it differs, and does not fail.
func tellsState(ctx context.Context, s playerCheck) finding {
	m := &protocol.Tool{Envelope: protocol.Envelope{MessageType: protocol.TypeGetPlayerState,
		ConversationID: s.conversation("state")}}
	r := s.call(ctx, asManager, m)
	if f := answered(r); f.level != passes {
		return differ("%s", f.detail).in(r.x)
	}
	if r.Message == nil {
		return differ("want a PLAYER_STATE").in(r.x)
	}
	return complete(protocol.TypePlayerState, r.Head().Source())
}
