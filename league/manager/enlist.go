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
	return reg.bring(ctx, league.Application{Role: role, Meta: meta, Configured: reg.opts.Dialect, By: signed(by)})
}

// TakeOver adds a foreign agent of the season before, which cannot know that there is another: at its endpoint, under
// the id that it goes by if that is free, and as it wants to be spoken to. One that is in the league is left as it is.
func (reg *registrar) TakeOver(ctx context.Context, r league.Registered, by string) (id string, err error) {
	if a := reg.at(ctx, r.Role, r.Endpoint); a != nil {
		return a.ID, nil
	}
	meta := protocol.AgentMeta{
		DisplayName: r.Name, ContactEndpoint: r.Endpoint, Version: r.Version, GameTypes: r.GameTypes,
		MaxConcurrentMatches: r.Capacity,
	}
	return reg.bring(ctx, league.Application{Role: r.Role, Meta: meta, Wanted: cmp.Or(r.CallsItself, r.ID),
		Spoke: r.Dialect, Configured: reg.opts.Dialect, By: signed(by)})
}

// bring puts an application for an agent that does not put it itself.
func (reg *registrar) bring(ctx context.Context, ap league.Application) (id string, err error) {
	agent, no, err := reg.apply(ctx, ap, "", "")
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
