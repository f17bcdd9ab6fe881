package web

import (
	"net/http"
	"net/url"
	"strings"

	"agentleague/league"
	"agentleague/protocol"
)

// agentPages are the pages about agents as programs: their availability, dialects and speed.
func (s *site) agentPages() []page {
	return []page{
		{path: "/leagues/{league}/agents", template: "agents", nav: "Agents",
			summary: "Everybody in the league: state, health, dialect and load", view: s.agents,
			example: AgentsView{}, styles: []string{"detail.css"}},
		{path: "/leagues/{league}/checks/{check}", template: "check", summary: "A check of an agent and its results; " +
			"for the admin", view: s.check,
			example: CheckView{}, scripts: []string{"check.js"}, styles: []string{"detail.css"}},
	}
}

// agentActions returns the admin's actions on agents, as far as this process supports them.
func (s *site) agentActions() (out []action) {
	if s.Options.Check != nil {
		out = append(out, action{
			path:    "/leagues/{league}/check",
			summary: "Check whether an agent keeps to the protocol; the answer names the check", do: s.startCheck,
			body: checkOrder{},
		})
	}
	if s.Options.Enlist != nil {
		out = append(out, action{
			path: "/leagues/{league}/enlist", summary: "Add an agent that did not register itself", do: s.enlist,
			body: enlistOrder{},
		})
	}
	return out
}

// An enlistOrder asks for an agent to be added.
type enlistOrder struct {
	Endpoint string `json:"endpoint"`
	Name     string `json:"display_name"`
	Role     string `json:"role"`
}

// Enlisted is the answer to it.
type Enlisted struct {
	ID string `json:"id"`
}

// agents shows all agents. It determines their health before it reads the state: both take the same lock.
func (s *site) agents(r *http.Request) (any, error) {
	m, err := s.manager(r)
	if err != nil {
		return nil, err
	}
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
	var v AgentsView
	m.Read(func(st *league.State) {
		v = agentsView(st, func(id string) league.Health { return health[id] }, s.isAdmin(r))
	})
	v.CanCheck, v.CanEnlist = s.Options.Check != nil && s.Options.Admin != nil,
		s.Options.Enlist != nil && s.Options.Admin != nil && v.Open
	if s.isAdmin(r) {
		v.Checks = append(v.Checks, s.checks.heads(v.LeagueID)...)
	}
	return v, nil
}

// check shows a check to the admin and to the owner of the checked player: an agent's answers are private.
func (s *site) check(r *http.Request) (any, error) {
	m, err := s.manager(r)
	if err != nil {
		return nil, err
	}
	v, ok := s.checks.look(r.PathValue("league"), r.PathValue("check"))
	if !s.owners.owns(r, m, v.PlayerID) {
		if err := s.allowed(r, action{}); err != nil {
			return nil, err
		}
	}
	if !ok {
		return nil, notFound("This check is no longer available. Run it again.")
	}
	m.Read(func(st *league.State) {
		v.CanEnlist = s.Options.Enlist != nil && !st.Started() && s.isAdmin(r)
		for _, a := range st.Agents {
			if v.Report != nil && a.Endpoint == v.Report.URL {
				v.Known = a.ID
			}
		}
	})
	return v, nil
}

// startCheck starts a check and redirects the browser to its page.
func (s *site) startCheck(r *http.Request) (string, any, error) {
	return s.checkOf(r, checkOrder{
		strings.TrimSpace(r.FormValue("endpoint")), r.FormValue("role"), r.FormValue("player_id"),
	})
}

// checkOf starts a check of an agent, of one in the league by its id or of any other by its address, and answers with
// the address of the check's page.
func (s *site) checkOf(r *http.Request, order checkOrder) (string, any, error) {
	m, err := s.manager(r)
	if err != nil {
		return "", nil, err
	}
	if order.PlayerID != "" {
		m.Read(func(st *league.State) {
			if a := st.Agents[order.PlayerID]; a != nil {
				order.Endpoint, order.Role = a.Endpoint, string(a.Role)
			}
		})
	}
	role, err := roleOf(order.Role)
	if err == nil {
		order.Endpoint, err = endpointOf(order.Endpoint)
	}
	if err != nil {
		return "", nil, err
	}
	league := r.PathValue("league")
	v, err := s.checks.start(&s.Options, league, order, role)
	return "/leagues/" + league + "/checks/" + v.ID, v, err
}

// enlist adds an agent to the league.
func (s *site) enlist(r *http.Request) (string, any, error) {
	if _, err := s.manager(r); err != nil {
		return "", nil, err
	}
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
	league := r.PathValue("league")
	id, err := s.Options.Enlist(r.Context(), league, endpoint, strings.TrimSpace(r.FormValue("display_name")), role)
	return "/leagues/" + league + "/agents#" + url.PathEscape(id), Enlisted{id}, err
}

// roleOf parses an agent's role; "" means to be detected.
func roleOf(text string) (protocol.Role, error) {
	switch role := protocol.Role(text); role {
	case "", protocol.RolePlayer, protocol.RoleReferee:
		return role, nil
	}
	return "", badRequest("An agent is a player or a referee, not "+said(text, 32)+".", "Choose player or referee.")
}

// endpointOf parses the address of an agent. The path may be omitted.
func endpointOf(text string) (string, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || len(text) > 500 || u.User != nil {
		return "", badRequest("This is not the address of an agent.", "Use an address such as http://localhost:8101/mcp.")
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = "/mcp"
	}
	u.Fragment = ""
	return u.String(), nil
}
