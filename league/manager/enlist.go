package manager

import (
	"cmp"
	"context"
	"net/url"

	"agentleague/league"
	"agentleague/protocol"
)

// Enlist adds an agent that does not register itself, and returns the id that it
// is granted. It is admitted as one that does, under the same limits and for the
// same refusals, and looked for at its endpoint. It has never been given a token:
// a referee among them is believed by its address, as tokenless says, and how it
// wants to be spoken to is found out. Without a name it is called after its
// address. One that has registered itself at that endpoint is left as it is.
func (reg *registrar) Enlist(
	ctx context.Context, role protocol.Role, endpoint, name, by string,
) (id string, err error) {
	if role != protocol.RolePlayer && role != protocol.RoleReferee {
		return "", protocol.Errorf(protocol.InvalidMessage, "role: want player or referee, got %q",
			league.Clip(string(role))).
			With("field", "role")
	}
	if !league.Callable(endpoint) {
		return "", protocol.Errorf(protocol.InvalidMessage,
			"endpoint: want a URL such as http://localhost:8101/mcp").With("field", "endpoint")
	}
	name = league.CleanName(name)
	if a := reg.at(ctx, role, endpoint); a != nil && a.By == "" {
		return a.ID, nil
	} else if a != nil {
		name = cmp.Or(name, a.Name)
	}
	meta := protocol.AgentMeta{DisplayName: cmp.Or(name, hostOf(endpoint)), ContactEndpoint: endpoint}
	agent, no, err := reg.apply(ctx, league.Application{Role: role, Meta: meta, Configured: reg.opts.Dialect,
		By: signed(by)}, "", "")
	if err != nil {
		return "", err
	}
	if no != nil {
		return "", protocol.Errorf(no.Kind, "%s", no.Reason)
	}
	return agent.ID, nil
}

// at returns who is in the league at an endpoint, in a role, or nil.
func (reg *registrar) at(ctx context.Context, role protocol.Role, endpoint string) (found *league.Registered) {
	place := reg.place(ctx, endpoint)
	reg.Read(func(s *league.State) {
		for _, a := range s.Roster(role) {
			if (a.Endpoint == endpoint || league.Port(a.Place) == league.Port(place) && !a.Native()) &&
				a.State != protocol.AgentShutdown {
				found = &league.Registered{ID: a.ID, Name: a.Name, By: a.By}
				return
			}
		}
	})
	return found
}

// hostOf is the host and port of an endpoint, or "".
func hostOf(endpoint string) string {
	u, err := url.Parse(endpoint)
	if err != nil {
		return ""
	}
	return u.Host
}
