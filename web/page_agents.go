package web

import (
	"net/http"
	"net/url"
	"strings"

	"agentleague/league"
	"agentleague/protocol"
)

// agentPages show agents as programs: their availability, dialects and speed.
type agentPages struct {
	*common
	checks *checks
}

// pages returns the page with the list of agents, and those of their checks.
func (s *agentPages) pages() []page {
	return []page{
		{path: "/leagues/{league}/agents", template: "agents", nav: "Agents",
			summary: "Everybody in the league: state, health, dialect and load", view: s.agents,
			example: agentsView{}, styles: []string{"detail.css"}},
		{path: "/leagues/{league}/checks/{check}", template: "check", summary: "A check of an agent and its results; " +
			"for the admin", view: s.check,
			example: checkView{}, scripts: []string{"check.js"}, styles: []string{"detail.css"}},
	}
}

// actions returns the admin's actions on agents, as far as this process supports them.
func (s *agentPages) actions() (out []action) {
	if s.Check != nil {
		out = append(out, action{
			path:    "/leagues/{league}/check",
			summary: "Check whether an agent keeps to the protocol; the answer names the check", do: s.startCheck,
			body: checkOrder{},
		})
	}
	if s.Enlist != nil {
		out = append(out, action{
			path: "/leagues/{league}/enlist", summary: "Add an agent that did not register itself", do: s.enlist,
			body: enlistOrder{},
		})
	}
	return out
}

// An enlistOrder is the request to add an agent that does not register itself.
type enlistOrder struct {
	Endpoint string `json:"endpoint"`
	Name     string `json:"display_name"`
	Role     string `json:"role"`
}

// enlistedView is the answer to an enlistOrder.
type enlistedView struct {
	ID string `json:"id"`
}

// agents shows all agents.
func (s *agentPages) agents(r *http.Request, m Season) (any, error) {
	v := agentsOf(m, s.isAdmin(r))
	v.Endpoint = s.look(m).Endpoint
	v.CanCheck, v.CanEnlist = s.Check != nil && s.Admin != nil,
		s.Enlist != nil && s.Admin != nil && v.Open
	if s.isAdmin(r) {
		v.Checks = append(v.Checks, s.checks.heads(v.LeagueID)...)
	}
	return v, nil
}

// agentsOf lists the agents of a league. It determines their health before it reads the state: both take the same lock.
func agentsOf(m Season, admin bool) (v agentsView) {
	var ids []string
	m.Read(func(st *league.State) {
		for _, role := range []protocol.Role{protocol.RoleReferee, protocol.RolePlayer} {
			for _, a := range st.Roster(role) {
				ids = append(ids, a.ID)
			}
		}
	})
	health := map[string]league.Health{}
	for _, id := range ids {
		health[id] = m.Health(id)
	}
	m.Read(func(st *league.State) {
		v = newAgentsView(st, func(id string) league.Health { return health[id] }, admin)
		v.entry(st, m.Closed(st))
	})
	return v
}

// check shows a check to the admin and to the owner of the checked player: an agent's answers are private.
func (s *agentPages) check(r *http.Request, m Season) (any, error) {
	v, ok := s.checks.look(m.ID(), r.PathValue("check"))
	if !s.owns(r, m, v.PlayerID) {
		if err := s.onlyAdmin(r); err != nil {
			return nil, err
		}
	}
	if !ok {
		return nil, notFound("This check is no longer available. Run it again.")
	}
	m.Read(func(st *league.State) {
		v.CanEnlist = s.Enlist != nil && m.Closed(st) == "" && s.isAdmin(r)
		for _, a := range st.Agents {
			if v.Report != nil && a.Endpoint == v.Report.URL {
				v.Known = a.ID
			}
		}
	})
	return v, nil
}

// startCheck starts a check and redirects the browser to its page.
func (s *agentPages) startCheck(r *http.Request, m Season) (string, any, error) {
	return s.checks.of(m, s.Options, checkOrder{
		strings.TrimSpace(r.FormValue("endpoint")), r.FormValue("role"), r.FormValue("player_id"),
	})
}

// enlist adds an agent to the league.
func (s *agentPages) enlist(r *http.Request, m Season) (string, any, error) {
	role, err := roleOf(r.FormValue("role"))
	if err == nil && role == "" {
		err = badRequest("The role of the agent is missing.", "Choose player or referee.")
	}
	endpoint, bad := endpointOf(strings.TrimSpace(r.FormValue("endpoint")))
	if err == nil {
		err = bad
	}
	if err != nil {
		return "", nil, err
	}
	id, err := s.Enlist(r.Context(), m.ID(), endpoint, strings.TrimSpace(r.FormValue("display_name")), role)
	return "/leagues/" + m.ID() + "/agents#" + url.PathEscape(id), enlistedView{id}, err
}
