package check

import (
	"context"
	"encoding/json"

	"agentleague/protocol"
)

// querySteps ask the manager.
func querySteps() []Step {
	ask := func(kind string, members ...string) func(context.Context, managerCheck) finding {
		return func(ctx context.Context, s managerCheck) finding { return s.asks(ctx, kind, members...) }
	}
	return stepsOf([]row[managerCheck]{
		{"M37", "a query without a token is E011", clauseTokens,
			"Refuse queries without auth_token with AUTH_TOKEN_MISSING.", askedWith("", protocol.AuthTokenMissing)},
		{"M38", "a query with a wrong token is E012", clauseTokens,
			"Check the auth_token of every query, and refuse wrong ones with AUTH_TOKEN_INVALID.",
			askedWith(wrongToken, protocol.AuthTokenInvalid)},
		{"M39", "an agent cannot use the token of another", clauseTokens,
			"Check that the auth_token belongs to the sender.",
			borrows},
		{"M40", "a query from an unregistered player is E005", clauseErrors,
			"Refuse queries of players that you do not know with PLAYER_NOT_REGISTERED.", unknownSender},
		{"M41", "GET_STANDINGS answers with the table", clauseQueries,
			"Answer GET_STANDINGS with success true and the rows in data.standings, and again in standings beside it.",
			asksStandings},
		{"M42", "GET_STATUS answers with the state of the league", clauseQueries,
			"Answer GET_STATUS with data.status: state, current_round, total_rounds and so on.",
			ask(protocol.QueryStatus, "status.state", "status.current_round", "status.total_rounds", "status.players",
				"status.referees")},
		{"M43", "GET_GAMES answers with the games", clauseQueries,
			"Answer GET_GAMES with success true and the games in data.", ask(protocol.QueryGames)},
		{"M44", "GET_SCHEDULE answers, or says why it cannot", clauseQueries,
			"Answer GET_SCHEDULE with data.schedule, or with success false, data null and an error.", asksSchedule},
		{"M45", "GET_NEXT_MATCH answers", clauseQueries,
			"Answer GET_NEXT_MATCH with data.next_match, null if there is none, or with success false and an error.", asksNext},
		{"M46", "GET_PLAYER_STATS answers with the player's row", clauseQueries,
			"Answer GET_PLAYER_STATS with data.player_stats of the player that asks.",
			ask(protocol.QueryPlayerStats, "player_stats.player_id", "player_stats.points", "player_stats.played")},
		{"M47", "players do not get the endpoints of others", clauseTokens,
			"Answer GET_PLAYER_DIRECTORY to referees only, and refuse it to players with AUTH_TOKEN_INVALID.", hidesDirectory},
		{"M48", "referees get the endpoints of players", clauseQueries,
			"Answer GET_PLAYER_DIRECTORY to a referee with data.players, endpoints by id, at least of the players in its " +
				"own matches.",
			tellsDirectory},
		{"M49", "anyone may call get_standings", clauseTokens, "Answer the tool get_standings without a token.", openTool},
	})
}

// query asks as an applicant that is registered.
func (s managerCheck) query(ctx context.Context, who *applicant, kind string) reply {
	return s.call(ctx, who.as(), s.question(who, kind))
}

// question is a LEAGUE_QUERY with the asker's own token.
func (s managerCheck) question(who *applicant, kind string) *protocol.LeagueQuery {
	return &protocol.LeagueQuery{
		Envelope: protocol.Envelope{MessageType: protocol.TypeLeagueQuery, ConversationID: s.conversation("query"),
			AuthToken: who.grant().Token, LeagueID: who.grant().League, RoundID: 1},
		QueryType: kind,
	}
}

// askedWith is a step in which ann asks with another token than her own.
func askedWith(token string, kind *protocol.Kind) func(context.Context, managerCheck) finding {
	return func(ctx context.Context, s managerCheck) finding {
		ann, why := s.admitted(ctx)
		if why.level != passes {
			return why
		}
		m := s.question(ann, protocol.QueryStandings)
		m.AuthToken = token
		return wantError(s.say(ctx, ann.as(), m), kind)
	}
}

// A token is believed only of the one it was given to: bob's is genuine, and not ann's.
func borrows(ctx context.Context, s managerCheck) finding {
	ann, why := s.admitted(ctx)
	if why.level != passes {
		return why
	}
	m := s.question(s.bob(ctx), protocol.QueryStandings)
	return wantError(s.say(ctx, ann.as(), m), protocol.AuthTokenInvalid)
}

// unknownSender sends a query with a genuine token, ann's, from an unknown sender, which must be refused.
func unknownSender(ctx context.Context, s managerCheck) finding {
	ann, why := s.admitted(ctx)
	if why.level != passes {
		return why
	}
	return wantError(s.say(ctx, "player:P9998", s.question(ann, protocol.QueryStandings)), protocol.PlayerNotRegistered)
}

// told sends a query and returns the answer, or why the step is skipped.
func (s managerCheck) told(ctx context.Context, kind string) (*protocol.LeagueQueryResponse, reply, finding) {
	ann, why := s.admitted(ctx)
	if why.level != passes {
		return nil, reply{}, why
	}
	r := s.query(ctx, ann, kind)
	if f := answered(r); f.level != passes {
		return nil, r, differ("%s", f.detail).in(r.x)
	}
	m, ok := r.Message.(*protocol.LeagueQueryResponse)
	if !ok {
		return nil, r, differ("want a LEAGUE_QUERY_RESPONSE").in(r.x)
	}
	if f := complete(protocol.TypeLeagueQueryResponse, m.Source()); f.level != passes {
		return nil, r, f.in(r.x)
	}
	if m.QueryType != kind {
		return nil, r, differ("want query_type %s, got %q", kind, m.QueryType).in(r.x)
	}
	return m, r, pass
}

// asks judges the answer to a query that has one.
func (s managerCheck) asks(ctx context.Context, kind string, members ...string) finding {
	m, r, f := s.told(ctx, kind)
	if f.level != passes {
		return f
	}
	if !m.Success || !object(m.Data) {
		return differ("want success true and an object as data").in(r.x)
	}
	for _, path := range members {
		if !there(m.Data, path) {
			return differ("data has no %s", path).in(r.x)
		}
	}
	return pass
}

// asksStandings expects the table in data and once more beside it, since clients read either.
func asksStandings(ctx context.Context, s managerCheck) finding {
	if f := s.asks(ctx, protocol.QueryStandings, "standings"); f.level != passes {
		return f
	}
	m, r, f := s.told(ctx, protocol.QueryStandings)
	if f.level == passes && (!there(m.Source(), "standings") || !there(m.Source(), "current_round")) {
		return differ("want standings and current_round beside data as well").in(r.x)
	}
	return f
}

// orNot judges the answer to a query that may have none.
func (s managerCheck) orNot(ctx context.Context, kind, member string) finding {
	m, r, f := s.told(ctx, kind)
	switch {
	case f.level != passes:
		return f
	case m.Success && !there(m.Data, member):
		return differ("data has no %s", member).in(r.x)
	case !m.Success && (m.Error == nil || m.Error.ErrorCode == "" || m.Error.ErrorName == "" || string(m.Data) != "null"):
		return differ("want data null and error {error_code, error_name, error_description} beside success false").in(r.x)
	}
	return pass
}

// asksSchedule allows an error: before the league starts there is no schedule.
func asksSchedule(ctx context.Context, s managerCheck) finding {
	return s.orNot(ctx, protocol.QuerySchedule, "schedule")
}

// Nor is there a next match.
func asksNext(ctx context.Context, s managerCheck) finding {
	return s.orNot(ctx, protocol.QueryNextMatch, "next_match")
}

// hidesDirectory expects that only referees receive the addresses of players.
func hidesDirectory(ctx context.Context, s managerCheck) finding {
	ann, why := s.admitted(ctx)
	if why.level != passes {
		return why
	}
	return wantError(s.say(ctx, ann.as(), s.question(ann, protocol.QueryPlayerDirectory)), protocol.AuthTokenInvalid)
}

// tellsDirectory expects that a referee receives the endpoints of the players of its matches.
func tellsDirectory(ctx context.Context, s managerCheck) finding {
	ann, why := s.admitted(ctx)
	if why.level != passes {
		return why
	}
	ref := s.ref(ctx)
	if ref.grant().ID == "" {
		return skip("no referee can register")
	}
	r := s.query(ctx, ref, protocol.QueryPlayerDirectory)
	m, ok := r.Message.(*protocol.LeagueQueryResponse)
	if !ok {
		return differ("want a LEAGUE_QUERY_RESPONSE").in(r.x)
	}
	var data struct{ Players map[string]string }
	_ = json.Unmarshal(m.Data, &data)
	// Players of matches that it was not assigned may be missing.
	if at, told := data.Players[ann.grant().ID]; data.Players == nil || told && at != ann.endpoint {
		return differ("want data.players, endpoints by id, with the registered endpoint of %s if it is listed",
			ann.grant().ID).in(r.x)
	}
	return pass
}

// openTool expects that get_* tools answer any caller, without a token.
func openTool(ctx context.Context, s managerCheck) finding {
	m := &protocol.LeagueQuery{Envelope: protocol.Envelope{MessageType: protocol.TypeGetStandings,
		ConversationID: s.conversation("tool")}}
	r := s.call(ctx, "player:P01", m)
	if f := answered(r); f.level != passes {
		return differ("%s", f.detail).in(r.x)
	}
	if answer, ok := r.Message.(*protocol.LeagueQueryResponse); !ok || !answer.Success {
		return differ("want a LEAGUE_QUERY_RESPONSE with success true").in(r.x)
	}
	return pass
}

// queryFaults send wrong queries.
func queryFaults() []Step {
	var rows []row[managerCheck]
	for _, f := range envelopeFaults("M", "query_type", "a query") {
		rows = append(rows, row[managerCheck]{f.id, f.name, f.clause, f.fix,
			func(ctx context.Context, s managerCheck) finding {
				ann, why := s.admitted(ctx)
				if why.level != passes {
					return why
				}
				return f.judge(s.say(ctx, ann.as(), s.question(ann, protocol.QueryStandings), f.mutations...))
			}})
	}
	return stepsOf(append(rows,
		row[managerCheck]{"M61", "an unknown query is E026", clauseErrors,
			"Answer a query_type that you do not have with UNKNOWN_QUERY.", func(ctx context.Context, s managerCheck) finding {
				ann, why := s.admitted(ctx)
				if why.level != passes {
					return why
				}
				return wantError(s.say(ctx, ann.as(), s.question(ann, "GET_WEATHER")), protocol.UnknownQuery)
			}},
		row[managerCheck]{"M62", "an unknown league is E026", clauseErrors,
			"Refuse messages about a league that you do not run with UNKNOWN_LEAGUE.",
			func(ctx context.Context, s managerCheck) finding {
				ann, why := s.admitted(ctx)
				if why.level != passes {
					return why
				}
				m := s.question(ann, protocol.QueryStandings)
				m.LeagueID = "league_of_nowhere"
				return wantError(s.say(ctx, ann.as(), m), protocol.UnknownLeague)
			}},
	))
}
