package registration

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"time"

	"agentleague/league"
	"agentleague/league/location"
	"agentleague/league/naming"
	"agentleague/protocol"
	"agentleague/rpc"
)

// A Recruit is an agent that the admin adds to a league because it does not register itself.
type Recruit struct {
	Role           protocol.Role
	Endpoint, Name string            // without a name it is called after its address
	Tools          map[string]string // of an MCP server: tools that discovery does not find, by their input
	By             string            // the origin of the order
}

// An Enlisted is a recruit that was added to the league.
type Enlisted struct {
	ID    string
	Calls []protocol.ToolUse // of an MCP server: the tools to be called, with their purposes
	At    string             // the address at which the MCP server was found; "": its endpoint
}

// Enlist adds an agent that does not register itself, and returns its granted id. The same limits and refusals
// apply as to an applicant, and its endpoint is probed. It never receives a token: an enlisted referee is
// identified by its address, see the authenticator of package manager. Its dialect is detected: for an MCP server
// at once, for others with the first message. An agent that has registered itself at that endpoint is left
// unchanged.
func (reg *Registrar) Enlist(ctx context.Context, r Recruit) (out Enlisted, err error) {
	if err := r.check(); err != nil {
		return out, err
	}
	name := naming.Clean(r.Name)
	if a := reg.at(ctx, r.Role, r.Endpoint); a != nil && a.By == "" {
		return Enlisted{ID: a.ID}, nil
	} else if a != nil {
		name = cmp.Or(name, a.Name)
	}
	meta := protocol.AgentMeta{DisplayName: cmp.Or(name, hostOf(r.Endpoint)), ContactEndpoint: r.Endpoint}
	ap := league.Application{Role: r.Role, Meta: meta, Configured: reg.cfg.Dialect, By: league.Origin(r.By)}
	met, err := reg.meet(ctx, r)
	if err != nil {
		return out, err
	}
	if met != nil {
		ap.Spoke, out.Calls = met.Dialect, met.Calls
		if met.At != r.Endpoint {
			out.At = met.At
		}
	}
	out.ID, err = reg.bring(ctx, ap)
	return out, err
}

// check validates the members of an order to enlist an agent.
func (r Recruit) check() error {
	if r.Role != protocol.RolePlayer && r.Role != protocol.RoleReferee {
		return protocol.Errorf(protocol.InvalidMessage, "role: want player or referee, got %q",
			league.Clip(string(r.Role))).With("field", "role")
	}
	if !location.Callable(r.Endpoint) {
		return protocol.Errorf(protocol.InvalidMessage,
			"endpoint: want a URL such as http://localhost:8101/mcp, without a user, password or query; `league enlist` takes "+
				"these and keeps them apart").With("field", "endpoint")
	}
	if r.Role == protocol.RoleReferee && len(r.Tools) > 0 {
		return protocol.Errorf(protocol.InvalidMessage, "tools are named for players only").With("field", "role")
	}
	return nil
}

// handshakeTimeout is the timeout of the handshake with an MCP server. An order to enlist must be answered within ten
// seconds.
const handshakeTimeout = 7 * time.Second

// meet determines whether a player is an MCP server. It returns an error if it is one and cannot play, and nil if
// it is none.
func (reg *Registrar) meet(ctx context.Context, r Recruit) (*rpc.Meeting, error) {
	if r.Role != protocol.RolePlayer || reg.cfg.Guard.CheckEndpoint(r.Endpoint) != nil { // that is refused for itself
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, handshakeTimeout)
	defer cancel()
	met, err := reg.cfg.Node.Meet(ctx, r.Endpoint, reg.cfg.Asks, r.Tools)
	if err == nil {
		return met, nil
	}
	field := "endpoint"
	switch {
	case errors.Is(err, rpc.ErrNoTool):
		field = "tools"
	case errors.Is(err, rpc.ErrNoValue):
		field = "arguments"
	case errors.Is(err, rpc.ErrWantsCredentials):
		field = "credentials"
	}
	return nil, protocol.Errorf(protocol.InvalidMessage, "%s", protocol.Plain(err.Error())).With("field", field)
}

// TakeOver adds a third-party agent of the previous season, which does not register for the next one itself. The agent
// keeps its endpoint, its dialect and, if it is free, the id that it uses. An agent that is already in the league is
// left unchanged.
func (reg *Registrar) TakeOver(ctx context.Context, r league.Registered, by string) (id string, err error) {
	if a := reg.at(ctx, r.Role, r.Endpoint); a != nil {
		return a.ID, nil
	}
	meta := protocol.AgentMeta{
		DisplayName: r.Name, ContactEndpoint: r.Endpoint, Version: r.Version, GameTypes: r.GameTypes,
		MaxConcurrentMatches: r.Capacity,
	}
	return reg.bring(ctx, league.Application{Role: r.Role, Meta: meta, Wanted: cmp.Or(r.CallsItself, r.ID),
		Spoke: r.Dialect, Configured: reg.cfg.Dialect, By: league.Origin(by)})
}

// bring applies on behalf of an agent that does not register itself. A refusal is an error.
func (reg *Registrar) bring(ctx context.Context, ap league.Application) (id string, err error) {
	agent, no, err := reg.apply(ctx, ap, &protocol.Envelope{}, "")
	if err != nil {
		return "", err
	}
	if no != nil {
		return "", protocol.Errorf(no.Kind, "%s", no.Reason)
	}
	return agent.ID, nil
}

// at returns the agent of a role whose endpoint is at the same place, or nil.
func (reg *Registrar) at(ctx context.Context, role protocol.Role, endpoint string) (found *league.Registered) {
	place := reg.place(ctx, endpoint)
	reg.cfg.League.Read(func(s *league.State) {
		for _, a := range s.Roster(role) {
			if (a.Endpoint == endpoint || location.Port(a.Place) == location.Port(place) && !a.Native()) &&
				a.State != protocol.AgentShutdown {
				found = &league.Registered{ID: a.ID, Name: a.Name, By: a.By}
				return
			}
		}
	})
	return found
}

// hostOf returns the host and port of an endpoint, or "".
func hostOf(endpoint string) string {
	u, err := url.Parse(endpoint)
	if err != nil {
		return ""
	}
	return u.Host
}
