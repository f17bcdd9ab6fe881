package manager

import (
	"context"
	"log/slog"
	"strings"

	"agentleague/league"
	"agentleague/protocol"
)

// Invite reserves names for agents that are to come, and returns their join
// keys. Who was invited before keeps the key.
func (reg *registrar) Invite(
	ctx context.Context, role protocol.Role, names []string, by string,
) ([]protocol.Invitation, error) {
	if role != protocol.RolePlayer && role != protocol.RoleReferee {
		return nil, protocol.Errorf(protocol.InvalidMessage, "role: use player or referee, not %q",
			league.Clip(string(role))).
			With("field", "role")
	}
	if len(names) == 0 || len(names) > maxInvited {
		return nil, protocol.Errorf(protocol.InvalidMessage, "names: use 1 to %d names", maxInvited).
			With("field", "names")
	}
	out := make([]protocol.Invitation, 0, len(names))
	for _, name := range names {
		if name = league.CleanName(name); name == "" {
			return nil, protocol.Errorf(protocol.InvalidMessage, "names: a name is empty").With("field", "names")
		}
		key := reg.keys.joinKey(role, name)
		out = append(out, protocol.Invitation{Role: role, DisplayName: name, Key: key,
			Address: KeyedAddress(reg.outside(), key)})
	}
	reg.info("invitations ordered", slog.Int("agents", len(out)), slog.String("by", signed(by)))
	return out, reg.do(ctx, func(s *league.State) (events []league.Event, err error) {
		if s.Completed() {
			return nil, errOver()
		}
		for _, i := range out {
			if s.Invitation(role, i.DisplayName) != nil {
				continue
			}
			if a := s.Named(role, i.DisplayName); a != nil {
				return nil, protocol.Errorf(protocol.DuplicateName,
					"%q is %s, which joined without an invitation; invite agents before they register",
					i.DisplayName, a.ID).Suggest("Choose another name for the invitation")
			}
			events = append(events, league.Invited{Role: role, Name: i.DisplayName, By: signed(by)})
		}
		return events, nil
	})
}

// maxInvited is how many agents one order invites.
const maxInvited = 10_000

// KeyedAddress is the address of a manager for the agent that has a join key.
func KeyedAddress(endpoint, key string) string {
	return strings.TrimSuffix(endpoint, "/mcp") + "/k/" + key + "/mcp"
}
