package manager

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"agentleague/league"
	"agentleague/league/answers"
	"agentleague/league/registration"
	"agentleague/league/view"
	"agentleague/protocol"
	"agentleague/rpc"
)

// queries answers queries about the league, and is the source of its views.
type queries struct {
	*core
	*ledger
	auth      *authenticator
	lobby     *lobby
	registrar *registration.Registrar
	drain     *drainState
	stuck     *obstacles
	causes    *sync.Map // by player: why it forfeited
	view      *view.Cache
}

// trouble returns a function that returns the current problem of an agent, for the admin: before the start a failed
// probe, then the cause of its last technical loss.
func (qs *queries) trouble(s *league.State) func(id string) string {
	if !s.Started() {
		return qs.lobby.trouble
	}
	return func(id string) string {
		why, _ := qs.causes.Load(id)
		text, _ := why.(string)
		return text
	}
}

// query answers LEAGUE_QUERY and the one query that has its own message type.
func (qs *queries) query(_ context.Context, from rpc.From, msg protocol.Message) (protocol.Message, error) {
	q := msg.(*protocol.LeagueQuery)
	role, id, err := qs.auth.question(from, msg)
	if err != nil {
		return nil, err
	}
	if q.MessageType == protocol.TypeQueryStandingsRequest {
		q.QueryType = protocol.QueryStandings
	}
	a, err := qs.lookup(q, role, id)
	if err == nil && q.MessageType == protocol.TypeQueryStandingsRequest {
		a.MessageType = protocol.TypeQueryStandingsResponse
	}
	return a, err
}

// publicQuery answers one kind of query without authentication.
func (qs *queries) publicQuery(kind string) rpc.Handler {
	return func(_ context.Context, _ rpc.From, msg protocol.Message) (protocol.Message, error) {
		q := msg.(*protocol.LeagueQuery)
		q.QueryType = kind
		return qs.lookup(q, "", "")
	}
}

// answer returns the response to a query of a kind in the league id.
func answer(id, kind string, data json.RawMessage) *protocol.LeagueQueryResponse {
	return &protocol.LeagueQueryResponse{
		Envelope: protocol.Envelope{MessageType: protocol.TypeLeagueQueryResponse, LeagueID: id},
		Success:  true, QueryType: kind, Data: data,
	}
}

// lookup returns the response to a query of an agent.
func (qs *queries) lookup(
	q *protocol.LeagueQuery, role protocol.Role, id string,
) (*protocol.LeagueQueryResponse, error) {
	if err := qs.auth.CheckLeague(q.Head(), role == protocol.RoleReferee && qs.isForeign(id)); err != nil {
		return nil, err
	}
	if qs.ctx.Err() != nil {
		return nil, qs.ended() // its data may be out of date
	}
	if q.QueryParams.PlayerID == "" && role == protocol.RolePlayer {
		q.QueryParams.PlayerID = id
	}
	var data any
	var none *protocol.Error
	var err error
	qs.Read(func(s *league.State) { data, none, err = qs.find(s, q, role, id) })
	if err != nil {
		return nil, err
	}
	a := answer(qs.opts.LeagueID, q.QueryType, nil)
	if none != nil {
		a.Success = false
		a.Error = &protocol.QueryError{ErrorCode: none.Kind.Code, ErrorName: none.Kind.Name,
			ErrorDescription: none.Detail}
		return a, nil
	}
	if a.Data, err = json.Marshal(data); err != nil {
		return nil, err
	}
	switch t := data.(type) {
	case answers.TableAnswer:
		a.Standings, a.CurrentRound = t.Standings, &t.CurrentRound
	case answers.Registrations:
		a.Players = t.Players
	}
	return a, nil
}

// addressesFor returns the addresses at which an agent reaches the players; the admin sees the registered ones.
func (qs *queries) addressesFor(role protocol.Role, id string, s *league.State) answers.AddressOf {
	asker := s.Agents[id]
	if role == protocol.RoleAdmin || asker == nil {
		return answers.Everywhere
	}
	manager := qs.addressFor(asker.Registered)
	return func(a *league.Agent) (string, bool) { return qs.reach(a.ID, a.Endpoint, manager), true }
}

// find returns the data for a query, or an error if a well-formed query has no answer. It handles queries that need a
// role or more than the log, and leaves the others to [answers.Answer].
func (qs *queries) find(
	s *league.State, q *protocol.LeagueQuery, role protocol.Role, id string,
) (data any, none *protocol.Error, err error) {
	if protocol.QueryNamed(q.QueryType).Addresses && role != protocol.RoleReferee && role != protocol.RoleAdmin {
		return nil, nil, protocol.Errorf(protocol.AuthTokenInvalid, "only referees may ask for addresses")
	}
	switch q.QueryType {
	case protocol.QueryStatus:
		status := qs.status(s)
		if role == protocol.RoleAdmin {
			status.Warnings = qs.auth.warnings.All()
		}
		return map[string]any{"status": status}, nil, nil
	case protocol.QueryGames:
		return map[string]any{"game_registry": qs.opts.Games}, nil, nil
	case protocol.QueryPlayerDirectory:
		out := answers.Directory(s, role == protocol.RoleAdmin, qs.trouble(s), answers.AddressesFor(s, role, id, qs.addressesFor(role, id, s)))
		if role == protocol.RoleAdmin {
			agents, _ := out["agents"].([]protocol.AgentInfo)
			for i := range agents {
				agents[i].Way = qs.wayTo(agents[i].Endpoint)
			}
			out["refused"], out["warnings"] = qs.registrar.RefusalList(), qs.auth.warnings.All()
		}
		return out, nil, nil
	case protocol.QueryRegistrations:
		return answers.RegistrationsOf(s, answers.AddressesFor(s, role, id, qs.addressesFor(role, id, s))), nil, nil
	}
	if role == "" && q.QueryType == protocol.QuerySchedule {
		data, none = answers.ScheduleOf(s, q.QueryParams, answers.WithoutAddresses)
		return data, none, nil
	}
	return answers.Answer(s, q, qs.view.Latest)
}

// Endpoint, Missing, Starts, WaitsFor, Resting and Draining implement [view.Source].

// Endpoint returns the manager's endpoint for agents: the public one if configured.
func (qs *queries) Endpoint() string { return qs.outside() }

// Missing returns a sentence that describes what prevents the start of the league, or "".
func (qs *queries) Missing() (what string) {
	qs.Read(func(s *league.State) {
		if !s.Started() {
			what = qs.lobby.startObstacle(s)
		}
	})
	return what
}

// Starts returns the start condition of the league.
func (qs *queries) Starts() (out league.Start) {
	qs.Read(func(s *league.State) { out = qs.lobby.startCondition(s) })
	return out
}

// WaitsFor returns a sentence with the referee that blocks the league and the remedy, or "".
func (qs *queries) WaitsFor() (words string) {
	qs.Read(func(s *league.State) { words = league.WaitsFor(s, qs.stuck.why) })
	return words
}

// Resting returns a sentence that explains why the league pauses without an order, or "" if it does not.
func (qs *queries) Resting() string { return qs.pauseReason() }

// Draining reports whether no further match may start: after a Drain, or before Release in a league with Options.Hold.
func (qs *queries) Draining() bool { return qs.drain.isOn() }

// status returns the state of the league, with the facts that are not in the log.
func (qs *queries) status(s *league.State) protocol.LeagueStatus {
	out := s.Status()
	if qs.opts.Title != qs.opts.LeagueID {
		out.DisplayName = qs.opts.Title
	}
	if !s.Started() {
		out.State, out.Missing = s.Phase(qs.lobby.isStarting() || s.Ordered), qs.lobby.startObstacle(s)
		qs.lobby.startCondition(s).Tell(&out)
	}
	out.WaitsFor = league.WaitsFor(s, qs.stuck.why)
	if next := league.NextRoundAt(s, time.Now()); !next.IsZero() {
		out.NextRoundAt = protocol.StampUp(next)
	}
	if qs.drain.orderedBy() != "" && !s.Completed() {
		out.Paused, out.PauseReason = true,
			"drained: no further match starts until the league is resumed or its manager restarted"
	}
	if full := qs.pauseReason(); full != "" {
		out.Paused, out.PauseReason = true, full
	}
	return out
}
