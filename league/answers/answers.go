// Package answers answers the queries of the protocol from the state of a league. It is pure.
package answers

import (
	"cmp"
	"errors"
	"fmt"

	"agentleague/league"
	"agentleague/protocol"
)

// A TableAnswer is the answer to GET_STANDINGS.
type TableAnswer struct {
	Standings    []protocol.Standing `json:"standings"`
	Ranks        []string            `json:"ranks"` // of those rows, as people write them: 1, or =2 if it is shared
	CurrentRound int                 `json:"current_round"`
	Total        int                 `json:"total"`
	Results      protocol.Basis      `json:"results"`
	Ratings      []*protocol.Rating  `json:"ratings,omitempty"`   // of those rows; null: it has none yet
	Cancelled    bool                `json:"cancelled,omitempty"` // there is no champion
}

// AnswerOffline answers the queries of the admin from the log alone, so that a league without a manager can be
// inspected.
func AnswerOffline(s *league.State, query string, p protocol.QueryParams) (data any, err error) {
	switch query {
	case protocol.QueryStatus:
		return map[string]any{"status": s.Status()}, nil
	case protocol.QueryPlayerDirectory:
		return Directory(s, true, func(string) string { return "" }, Everywhere), nil
	}
	var none *protocol.Error
	if query == protocol.QuerySchedule {
		data, none = ScheduleOf(s, p, WithoutAddresses)
	} else {
		data, none, err = Answer(s, &protocol.LeagueQuery{QueryType: query, QueryParams: p}, league.RatedTable)
	}
	switch {
	case protocol.Is(err, protocol.UnknownQuery):
		return nil, fmt.Errorf("a log does not answer %s", query)
	case none != nil:
		return nil, errors.New(none.Detail)
	}
	return data, err
}

// Answer answers the queries that need only the log, for a manager and for an offline log. It returns the data, or
// in none the reason why a well-formed query has no answer; err is set for an invalid query. table returns the
// league's table with ratings: [league.RatedTable], or a cached one.
func Answer(s *league.State, q *protocol.LeagueQuery, table func(*league.State) *league.Table) (data any, none *protocol.Error, err error) {
	switch q.QueryType {
	case protocol.QueryStandings:
		return TableOf(s, q.QueryParams, table(s)), nil, nil
	case protocol.QuerySchedule:
		data, none = ScheduleOf(s, q.QueryParams, WithAddresses)
		return data, none, nil
	case protocol.QueryNextMatch, protocol.QueryPlayerStats, protocol.QueryPlayerMatches:
		return playerAnswer(s, q, table)
	}
	return nil, nil, protocol.Errorf(protocol.UnknownQuery, "query_type: unknown query %q", league.Clip(q.QueryType)).
		With("field", "query_type")
}

// TableOf answers GET_STANDINGS with the requested rows of the table t.
func TableOf(s *league.State, p protocol.QueryParams, t *league.Table) TableAnswer {
	from, to := window(len(t.Rows), p, maxListed)
	rows := append([]protocol.Standing{}, t.Rows[from:to]...)
	return TableAnswer{rows, league.RankWords(t.Ranks[from:to]), s.Round, len(t.Rows), s.Basis(), t.Ratings.Table(rows), s.Cancelled}
}

// Values of the parameter addresses of ScheduleOf. Agents may see the addresses of referees, the public may not.
const (
	WithoutAddresses = false
	WithAddresses    = true
)

// ScheduleOf answers GET_SCHEDULE with data, or returns an error if there is no schedule yet.
func ScheduleOf(s *league.State, p protocol.QueryParams, addresses bool) (data any, none *protocol.Error) {
	if !s.Started() {
		return nil, protocol.Errorf(protocol.LeagueNotStarted, "the schedule is made when the league starts")
	}
	rounds := Scheduled(s, p)
	if p.RoundID > 0 {
		rounds = explained(s, int(p.RoundID), rounds)
	}
	for i := 0; !addresses && i < len(rounds); i++ {
		for n := range rounds[i].Matches {
			rounds[i].Matches[n].RefereeEndpoint = nil
		}
	}
	out := map[string]any{"schedule": rounds, "total_rounds": s.TotalRounds()}
	if name := league.FormatOf(s); name != "" {
		out["format"], out["open_end"] = name, s.OpenEnd()
	}
	return out, nil
}

// Registrations is the answer to GET_REGISTRATIONS.
type Registrations struct {
	Players []protocol.RegisteredPlayer `json:"players"`
}

// An AddressOf returns the address of a player, and false if it is not to be shown.
type AddressOf func(player *league.Agent) (endpoint string, ok bool)

// Everywhere is the AddressOf that shows the registered endpoint of every player.
func Everywhere(player *league.Agent) (endpoint string, ok bool) { return player.Endpoint, true }

// AddressesFor returns all for an agent that may see the addresses of all players. A third-party referee sees only
// those of the players in its own open matches, since its token is not secret.
func AddressesFor(s *league.State, role protocol.Role, referee string, all AddressOf) AddressOf {
	if a := s.Agents[referee]; role != protocol.RoleReferee || a == nil || a.Native() {
		return all
	}
	own := map[string]bool{}
	for _, m := range s.Open() {
		if m.Attempt().Referee == referee {
			own[m.A], own[m.B] = true, true
		}
	}
	return func(player *league.Agent) (string, bool) {
		if !own[player.ID] {
			return "", false
		}
		return all(player)
	}
}

// RegistrationsOf lists the players, if their addresses may be shown.
func RegistrationsOf(s *league.State, address AddressOf) (out Registrations) {
	for _, a := range s.Roster(protocol.RolePlayer) {
		if at, ok := address(a); ok {
			out.Players = append(out.Players, protocol.RegisteredPlayer{PlayerID: a.ID, DisplayName: a.Name,
				Endpoint: at, ContactEndpoint: at})
		}
	}
	return out
}

// Directory returns the endpoints of players, if their addresses may be shown. If all is set it adds the full
// information on every agent, which only the admin may see. trouble returns an agent's problem, or "". Before the
// start that is why the agent is unreachable, and Directory shows it as suspended; later it is why the agent
// forfeited last. An agent that has lost its place has that as its problem.
func Directory(s *league.State, all bool, trouble func(id string) string, address AddressOf) map[string]any {
	players := map[string]string{}
	agents := []protocol.AgentInfo{}
	for _, role := range []protocol.Role{protocol.RoleReferee, protocol.RolePlayer} {
		for _, a := range s.Roster(role) {
			if at, ok := address(a); ok && role == protocol.RolePlayer {
				players[a.ID] = at
			}
			info := protocol.AgentInfo{
				Role: role, ID: a.ID, DisplayName: a.Name, Endpoint: a.Endpoint, State: a.State, Why: a.Why,
				Dialect: a.Dialect, Timing: a.Timing, Guest: a.Guest(),
			}
			switch why := cmp.Or(a.LostWhy(), trouble(a.ID)); {
			case why == "" || a.State == protocol.AgentShutdown:
			case !s.Started():
				info.State, info.Why = protocol.AgentSuspended, why
			case info.Why == "":
				info.Why = why
			}
			agents = append(agents, info)
		}
	}
	if !all {
		return map[string]any{"players": players}
	}
	return map[string]any{"players": players, "agents": agents, "orders": ordersGiven(s)}
}

// maxListed is the maximum number of rows or matches in one answer. A client gets further ones with an offset.
const maxListed = 4000

// window returns the range of n items that a query asks for, limited to most items.
func window(n int, p protocol.QueryParams, most int) (from, to int) {
	if p.Limit > 0 {
		most = min(most, p.Limit)
	}
	from = min(max(p.Offset, 0), n)
	return from, from + min(most, n-from)
}

// Scheduled lists the rounds that a query asks for: a single round, or rounds from an offset, or all, up to 4,000
// matches. Before the start the schedule is that of the players registered so far.
func Scheduled(s *league.State, p protocol.QueryParams) []protocol.ScheduledRound {
	schedule := s.Draft()
	from, to := window(schedule.Rounds(), p, max(maxListed/max(len(s.Players())/2, 1), 1))
	if p.RoundID > 0 {
		from, to = min(int(p.RoundID)-1, schedule.Rounds()), min(int(p.RoundID), schedule.Rounds())
	}
	out := []protocol.ScheduledRound{}
	for round := from + 1; round <= to; round++ {
		out = append(out, scheduledRound(s, round, schedule.Round(round)))
	}
	return out
}

// scheduledRound returns a round with its matches.
func scheduledRound(s *league.State, round int, pairs []league.Pairing) protocol.ScheduledRound {
	r := protocol.ScheduledRound{RoundID: round, Matches: []protocol.ScheduledMatch{}}
	for n, pair := range pairs {
		r.Matches = append(r.Matches, scheduledMatch(s, protocol.MatchID(round, n+1), pair))
	}
	if e, ok := league.PairedRound(s, round); ok {
		r.Byes, r.Resting, r.Stage, r.Leg, r.OfLegs = e.Byes, e.Resting, e.Stage, e.Leg, e.OfLegs
	}
	return r
}

// scheduledMatch returns a match as the schedule shows it: SCHEDULED before its round, PENDING in it, then its
// result.
func scheduledMatch(s *league.State, id string, p league.Pairing) protocol.ScheduledMatch {
	out := protocol.ScheduledMatch{MatchID: id, GameType: s.Created.GameType, PlayerAID: p.A, PlayerBID: p.B,
		Status: "SCHEDULED"}
	m := s.Matches[id]
	if m == nil {
		return out
	}
	out.Status, out.RefereeEndpoint = "PENDING", refereeEndpoint(s, m)
	if m.Outcome != nil {
		out.Status, out.Proof, out.Hosted = m.Outcome.Result.Status, m.Proof, m.Hosted
		if w := m.Outcome.Result.Winner; w != "" {
			out.Winner = &w
		}
	}
	return out
}

// refereeEndpoint returns the endpoint of a match's referee, or nil if none is assigned.
func refereeEndpoint(s *league.State, m *league.Match) *string {
	if ref := s.Agents[m.Attempt().Referee]; ref != nil {
		return &ref.Endpoint
	}
	return nil
}

// nextMatch returns a player's first match without a result, or nil if none will come.
func nextMatch(s *league.State, id string) *protocol.NextMatch {
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
				next.RefereeEndpoint = refereeEndpoint(s, m)
			}
			return next
		}
	}
	if next, ok := league.Preview(s); ok {
		for n, p := range next.Pairs {
			if p.A == id || p.B == id {
				return &protocol.NextMatch{MatchID: protocol.MatchID(next.Round, n+1), RoundID: next.Round,
					OpponentID: (&league.Match{A: p.A, B: p.B}).Opponent(id)}
			}
		}
	}
	return nil
}

// playerAnswer answers GET_NEXT_MATCH, GET_PLAYER_STATS and GET_PLAYER_MATCHES. It returns the data, or an error that
// states why a well-formed query has no answer.
func playerAnswer(s *league.State, q *protocol.LeagueQuery, table func(*league.State) *league.Table) (any, *protocol.Error, error) {
	id := q.QueryParams.PlayerID
	if id == "" {
		return nil, nil, protocol.Errorf(protocol.MissingField, "query_params.player_id: give the id of a player").
			With("field", "query_params.player_id")
	}
	a := s.Agents[id]
	if a == nil || a.Role != protocol.RolePlayer {
		return nil, protocol.Errorf(protocol.PlayerNotRegistered, "no player %q has registered", league.Clip(id)), nil
	}
	switch q.QueryType {
	case protocol.QueryPlayerMatches:
		return HistoryOf(s, id, q.QueryParams), nil, nil
	case protocol.QueryNextMatch:
		if !s.Started() {
			return nil, protocol.Errorf(protocol.LeagueNotStarted, "the schedule is made when the league starts"), nil
		}
		return map[string]any{"next_match": nextMatch(s, id)}, nil, nil
	}
	t := table(s)
	if i, ok := t.Row(id); ok {
		data := map[string]any{"player_stats": t.Rows[i]}
		if r := t.Ratings.Of(id); r != nil {
			data["rating"] = r
		}
		return data, nil, nil
	}
	return nil, protocol.Errorf(protocol.PlayerNotRegistered, "player %q does not play in this league", id), nil
}

// ordersGiven lists the recorded orders for the admin; of a long list only the newest.
func ordersGiven(s *league.State) []protocol.OrderInfo {
	out := []protocol.OrderInfo{}
	for _, o := range s.Orders[max(0, len(s.Orders)-maxListed):] {
		out = append(out, protocol.OrderInfo{Order: o.What, AgentID: o.ID, By: o.By, At: protocol.Stamp(o.At)})
	}
	return out
}

// historyMost is the maximum number of matches in one answer to GET_PLAYER_MATCHES.
const historyMost = 500

// A HistoryAnswer is the answer to GET_PLAYER_MATCHES.
type HistoryAnswer struct {
	Matches []protocol.PlayerMatch `json:"matches"`
	Total   int                    `json:"total"` // matches of the player that have a result
}

// HistoryOf lists the finished matches of a player, from the player's side and in the order of the rounds. It
// returns at most the limit of the query, counted back from the newest after its offset. From this list a player
// learns the results that it missed, and a strategy the opponent's earlier choices.
func HistoryOf(s *league.State, id string, p protocol.QueryParams) HistoryAnswer {
	var over []*league.Match
	for _, m := range s.MatchesOf(id) {
		if m.Outcome != nil {
			over = append(over, m)
		}
	}
	most := p.Limit
	if most <= 0 || most > historyMost {
		most = historyMost
	}
	out := HistoryAnswer{Matches: []protocol.PlayerMatch{}, Total: len(over)}
	last := len(over) - min(max(p.Offset, 0), len(over))
	for _, m := range over[max(0, last-most):last] {
		out.Matches = append(out.Matches, Remembered(s, m, id))
	}
	return out
}

// Remembered returns a finished match from the side of one of its players.
func Remembered(s *league.State, m *league.Match, id string) protocol.PlayerMatch {
	r, opponent, choices := m.Outcome.Result, m.Opponent(id), m.Outcome.Choices()
	e := protocol.PlayerMatch{
		MatchID: m.ID, RoundID: protocol.Round(m.Round), Timestamp: protocol.Stamp(m.EndedAt), OpponentID: opponent,
		Result: protocol.Loss, MyChoice: choices[id], OpponentChoice: choices[opponent],
		DrawnNumber:  protocol.DrawMember(s.Created.GameType, r.Drawn),
		PointsEarned: m.Points(id, s.Created.Scoring), Attempt: max(m.Outcome.Attempt, 1),
	}
	switch {
	case r.Winner == id:
		e.Result = protocol.Win
	case r.Winner == "" || r.Status == protocol.TechnicalLoss:
		e.Result = cmp.Or(r.Status, protocol.Draw)
	}
	return e
}
