package league

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"agentleague/protocol"
	"agentleague/rpc"
)

// query answers LEAGUE_QUERY, and the one other query that has a message of its own.
func (m *Manager) query(_ context.Context, from rpc.From, msg protocol.Message) (protocol.Message, error) {
	q := msg.(*protocol.LeagueQuery)
	role, id, err := m.question(from, msg.Head())
	if err != nil {
		return nil, err
	}
	if q.MessageType == protocol.TypeQueryStandingsRequest {
		q.QueryType = protocol.QueryStandings
	}
	a, err := m.lookup(q, role, id)
	if err == nil && q.MessageType == protocol.TypeQueryStandingsRequest {
		a.MessageType = protocol.TypeQueryStandingsResponse
	}
	return a, err
}

// publicQuery answers one kind of query to anybody.
func (m *Manager) publicQuery(kind string) rpc.Handler {
	return func(_ context.Context, _ rpc.From, msg protocol.Message) (protocol.Message, error) {
		q := msg.(*protocol.LeagueQuery)
		q.QueryType = kind
		return m.lookup(q, "", "")
	}
}

func (m *Manager) answer(kind string, data json.RawMessage) *protocol.LeagueQueryResponse {
	return &protocol.LeagueQueryResponse{
		Envelope: protocol.Envelope{MessageType: protocol.TypeLeagueQueryResponse, LeagueID: m.opts.LeagueID},
		Success:  true, QueryType: kind, Data: data,
	}
}

// lookup finds the answer to a query of an agent.
func (m *Manager) lookup(q *protocol.LeagueQuery, role protocol.Role, id string) (*protocol.LeagueQueryResponse, error) {
	if err := m.checkLeague(q.Head(), role == protocol.RoleReferee && m.foreign(id)); err != nil {
		return nil, err
	}
	if m.ctx.Err() != nil {
		return nil, context.Cause(m.ctx) // what it knows may be out of date
	}
	if q.QueryParams.PlayerID == "" && role == protocol.RolePlayer {
		q.QueryParams.PlayerID = id
	}
	var data any
	var none *protocol.Error
	var err error
	m.Read(func(s *State) { data, none, err = m.find(s, q, role, id) })
	if err != nil {
		return nil, err
	}
	a := m.answer(q.QueryType, nil)
	if none != nil {
		a.Success = false
		a.Error = &protocol.QueryError{ErrorCode: none.Kind.Code, ErrorName: none.Kind.Name, ErrorDescription: none.Detail}
		return a, nil
	}
	if a.Data, err = json.Marshal(data); err != nil {
		return nil, err
	}
	switch t := data.(type) {
	case tableAnswer:
		a.Standings, a.CurrentRound = t.Standings, &t.CurrentRound
	case registrations:
		a.Players = t.Players
	}
	return a, nil
}

// tableAnswer is the answer to GET_STANDINGS.
type tableAnswer struct {
	Standings    []protocol.Standing `json:"standings"`
	CurrentRound int                 `json:"current_round"`
	Total        int                 `json:"total"`
	Results      protocol.Basis      `json:"results"`
}

// find returns the data of an answer, or why a well-formed query has none.
func (m *Manager) find(s *State, q *protocol.LeagueQuery, role protocol.Role, id string) (data any, none *protocol.Error, err error) {
	switch q.QueryType {
	case protocol.QueryStandings:
		return s.tableAnswer(q.QueryParams), nil, nil
	case protocol.QueryStatus:
		return map[string]any{"status": m.status(s)}, nil, nil
	case protocol.QueryGames:
		return map[string]any{"game_registry": m.opts.Games}, nil, nil
	case protocol.QuerySchedule:
		data, none = s.scheduleAnswer(q.QueryParams)
		return data, none, nil
	case protocol.QueryNextMatch, protocol.QueryPlayerStats:
		return m.findPlayer(s, q)
	case protocol.QueryPlayerDirectory:
		if role != protocol.RoleReferee && role != protocol.RoleAdmin {
			return nil, nil, protocol.Errorf(protocol.AuthTokenInvalid, "addresses are told to referees only")
		}
		out := s.directory(role == protocol.RoleAdmin, m.unreached, s.inHand(role, id))
		if role == protocol.RoleAdmin {
			out["refused"] = m.refusalsTold()
		}
		return out, nil, nil
	case protocol.QueryRegistrations:
		if role != protocol.RoleReferee && role != protocol.RoleAdmin {
			return nil, nil, protocol.Errorf(protocol.AuthTokenInvalid, "addresses are told to referees only")
		}
		return registrations{s.registered(s.inHand(role, id))}, nil, nil
	}
	return nil, nil, protocol.Errorf(protocol.UnknownQuery, "query_type: no query is called %q", clip(q.QueryType)).With("field", "query_type")
}

// Recall answers what the admin may ask from the log alone, as a manager would that has nothing in hand: a league that
// nobody runs can still be looked at.
func (s *State) Recall(query string, p protocol.QueryParams) (data any, err error) {
	switch query {
	case protocol.QueryStandings:
		return s.tableAnswer(p), nil
	case protocol.QueryStatus:
		return map[string]any{"status": s.status()}, nil
	case protocol.QueryPlayerDirectory:
		return s.directory(true, func(string) string { return "" }, everyPlayer), nil
	case protocol.QuerySchedule:
		data, none := s.scheduleAnswer(p)
		if none != nil {
			return nil, errors.New(none.Detail)
		}
		return data, nil
	}
	return nil, fmt.Errorf("a log does not answer %s", query)
}

func (s *State) tableAnswer(p protocol.QueryParams) tableAnswer {
	table := s.Standings()
	from, to := window(len(table), p, maxListed)
	return tableAnswer{append([]protocol.Standing{}, table[from:to]...), s.Round, len(table), s.Basis()}
}

func (s *State) scheduleAnswer(p protocol.QueryParams) (data any, none *protocol.Error) {
	if !s.Started() {
		return nil, protocol.Errorf(protocol.LeagueNotStarted, "the schedule is made when the league starts")
	}
	return map[string]any{"schedule": s.scheduled(p), "total_rounds": s.Schedule.Rounds()}, nil
}

// registrations is the answer to GET_REGISTRATIONS, which they look for beside the data.
type registrations struct {
	Players []protocol.RegisteredPlayer `json:"players"`
}

// inHand tells whose addresses an agent may know. The ticket of a foreign
// referee is no secret: it is told those of its own matches.
func (s *State) inHand(role protocol.Role, referee string) func(player string) bool {
	if a := s.Agents[referee]; role != protocol.RoleReferee || a == nil || a.Native() {
		return everyPlayer
	}
	own := map[string]bool{}
	for _, m := range s.Open() {
		if m.Attempt().Referee == referee {
			own[m.A], own[m.B] = true, true
		}
	}
	return func(player string) bool { return own[player] }
}

func everyPlayer(string) bool { return true }

// registered lists the players that may be told of, and where they are.
func (s *State) registered(tell func(id string) bool) (out []protocol.RegisteredPlayer) {
	for _, a := range s.Roster(protocol.RolePlayer) {
		if !tell(a.ID) {
			continue
		}
		out = append(out, protocol.RegisteredPlayer{PlayerID: a.ID, DisplayName: a.Name, Endpoint: a.Endpoint, ContactEndpoint: a.Endpoint})
	}
	return out
}

// directory lists where the players are, and for the admin all that is known of
// every agent. Who was not found at its endpoint is as good as suspended before
// the league starts and says so.
func (s *State) directory(all bool, unreached func(id string) string, tell func(id string) bool) map[string]any {
	players := map[string]string{}
	agents := []protocol.AgentInfo{}
	for _, role := range []protocol.Role{protocol.RoleReferee, protocol.RolePlayer} {
		for _, a := range s.Roster(role) {
			if role == protocol.RolePlayer && tell(a.ID) {
				players[a.ID] = a.Endpoint
			}
			info := protocol.AgentInfo{
				Role: role, ID: a.ID, DisplayName: a.Name, Endpoint: a.Endpoint, State: a.State, Why: a.Why, Dialect: a.Dialect, Timing: a.Timing,
			}
			if why := unreached(a.ID); why != "" && !s.Started() && a.State != protocol.AgentShutdown {
				info.State, info.Why = protocol.AgentSuspended, why
			}
			agents = append(agents, info)
		}
	}
	if !all {
		return map[string]any{"players": players}
	}
	return map[string]any{"players": players, "agents": agents, "orders": s.ordersGiven()}
}

func (m *Manager) findPlayer(s *State, q *protocol.LeagueQuery) (any, *protocol.Error, error) {
	id := q.QueryParams.PlayerID
	if id == "" {
		return nil, nil, protocol.Errorf(protocol.MissingField, "query_params.player_id: whose?").With("field", "query_params.player_id")
	}
	a := s.Agents[id]
	if a == nil || a.Role != protocol.RolePlayer {
		return nil, protocol.Errorf(protocol.PlayerNotRegistered, "no player %q has registered", clip(id)), nil
	}
	if q.QueryType == protocol.QueryNextMatch {
		if !s.Started() {
			return nil, protocol.Errorf(protocol.LeagueNotStarted, "the schedule is made when the league starts"), nil
		}
		return map[string]any{"next_match": s.nextMatch(id)}, nil, nil
	}
	for _, row := range s.Standings() {
		if row.PlayerID == id {
			return map[string]any{"player_stats": row}, nil, nil
		}
	}
	return nil, protocol.Errorf(protocol.PlayerNotRegistered, "player %q does not play in this league", id), nil
}

// maxListed is how many rows or matches one answer holds. Whoever wants more
// asks again from an offset.
const maxListed = 4000

// window returns which of n things, of which one answer holds most, a query asks for.
func window(n int, p protocol.QueryParams, most int) (from, to int) {
	if p.Limit > 0 {
		most = min(most, p.Limit)
	}
	from = min(max(p.Offset, 0), n)
	return from, from + min(most, n-from)
}

// status is how the league stands by its log.
func (s *State) status() protocol.LeagueStatus {
	return protocol.LeagueStatus{
		State: s.Phase(s.Ordered), Paused: s.Paused, CurrentRound: s.Round, TotalRounds: s.Schedule.Rounds(),
		MatchesCompleted: s.Recorded, TotalMatches: s.Schedule.Matches(),
		Players: len(s.Players()), Referees: len(s.Roster(protocol.RoleReferee)), DrawCommitment: s.Created.DrawCommitment, Seal: s.Seal, LogHead: s.Head().Hash,
		Results: s.Basis(),
	}
}

// status is how the league stands, with what the log does not know.
func (m *Manager) status(s *State) protocol.LeagueStatus {
	out := s.status()
	if !s.Started() {
		out.State, out.Missing = s.Phase(m.starting() || s.Ordered), m.missing(s)
	}
	if m.drainedBy() != "" && !s.Completed() {
		out.Paused, out.PauseReason = true, "it is drained: no further match starts before somebody resumes it or its manager is started again"
	}
	if full := m.full(); full != "" {
		out.Paused, out.PauseReason = true, full
	}
	return out
}

// scheduled lists rounds: the one asked for, or so many from an offset, or all,
// but no more than one answer can hold.
func (s *State) scheduled(p protocol.QueryParams) []protocol.ScheduledRound {
	schedule := s.draft()
	from, to := window(schedule.Rounds(), p, max(maxListed/max(schedule.MatchesPerRound(), 1), 1))
	if p.RoundID > 0 {
		from, to = min(int(p.RoundID)-1, schedule.Rounds()), min(int(p.RoundID), schedule.Rounds())
	}
	out := []protocol.ScheduledRound{}
	for round := from + 1; round <= to; round++ {
		r := protocol.ScheduledRound{RoundID: round, Matches: []protocol.ScheduledMatch{}}
		for n, pair := range schedule.Round(round) {
			r.Matches = append(r.Matches, s.scheduledMatch(protocol.MatchID(round, n+1), pair))
		}
		out = append(out, r)
	}
	return out
}

func (s *State) scheduledMatch(id string, p Pairing) protocol.ScheduledMatch {
	out := protocol.ScheduledMatch{MatchID: id, GameType: s.Created.GameType, PlayerAID: p.A, PlayerBID: p.B, Status: "SCHEDULED"}
	m := s.Matches[id]
	if m == nil {
		return out
	}
	out.Status, out.RefereeEndpoint = "PENDING", s.refereeEndpoint(m)
	if m.Outcome != nil {
		out.Status, out.Proof = m.Outcome.Result.Status, m.Proof
		if w := m.Outcome.Result.Winner; w != "" {
			out.Winner = &w
		}
	}
	return out
}

func (s *State) refereeEndpoint(m *Match) *string {
	if ref := s.Agents[m.Attempt().Referee]; ref != nil {
		return &ref.Endpoint
	}
	return nil
}

// nextMatch returns a player's first match without a result, or nil if none will come.
func (s *State) nextMatch(id string) *protocol.NextMatch {
	if s.Agents[id].State == protocol.AgentShutdown {
		return nil
	}
	for round := max(s.Round, 1); round <= s.Schedule.Rounds(); round++ {
		for n, p := range s.Schedule.Round(round) {
			match := protocol.MatchID(round, n+1)
			m := s.Matches[match]
			if (p.A != id && p.B != id) || (m != nil && m.Outcome != nil) {
				continue
			}
			next := &protocol.NextMatch{MatchID: match, RoundID: round, OpponentID: p.B}
			if p.B == id {
				next.OpponentID = p.A
			}
			if m != nil {
				next.RefereeEndpoint = s.refereeEndpoint(m)
			}
			return next
		}
	}
	return nil
}
