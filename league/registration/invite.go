package registration

import (
	"context"
	"log/slog"

	"agentleague/league"
	"agentleague/league/keyring"
	"agentleague/league/naming"
	"agentleague/protocol"
)

// Invite reserves names for future agents, and returns their join keys. A repeated invitation keeps its key.
func (reg *Registrar) Invite(
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
		switch name = naming.Clean(name); {
		case naming.Blank(name):
			return nil, protocol.Errorf(protocol.InvalidMessage, "names: a name is empty").With("field", "names")
		case naming.Reserved(name):
			no := league.ReservedNameRefused(name).No
			return nil, protocol.Errorf(no.Kind, "%s", no.Reason).Suggest(no.Advice)
		}
		key := reg.cfg.Keys.JoinKey(role, name)
		out = append(out, protocol.Invitation{Role: role, DisplayName: name, Key: key,
			Address: keyring.KeyedAddress(reg.cfg.PublicURL, key)})
	}
	reg.info("invitations ordered", slog.Int("agents", len(out)), slog.String("by", league.Origin(by)))
	return out, reg.cfg.League.Do(ctx, func(s *league.State) (events []league.Event, err error) {
		if s.Completed() {
			return nil, league.ErrOver()
		}
		invited := map[string]string{} // names by their skeletons
		for _, i := range out {
			if s.Invitation(role, i.DisplayName) != nil {
				continue
			}
			if other := s.Reservation(role, i.DisplayName); other != nil {
				return nil, protocol.Errorf(protocol.DuplicateName, "%q looks like %q, which is invited already",
					i.DisplayName, other.Name).Suggest("Choose another name for the invitation")
			}
			skeleton := naming.Skeleton(i.DisplayName)
			if twin := invited[skeleton]; twin == i.DisplayName {
				continue
			} else if twin != "" {
				return nil, protocol.Errorf(protocol.DuplicateName, "%q looks like %q, which is invited with it",
					i.DisplayName, twin).Suggest("Choose another name for the invitation")
			}
			invited[skeleton] = i.DisplayName
			if a := s.Named(role, i.DisplayName); a != nil {
				return nil, protocol.Errorf(protocol.DuplicateName,
					"%q is %s, which joined without an invitation; invite agents before they register",
					i.DisplayName, a.ID).Suggest("Choose another name for the invitation")
			}
			events = append(events, league.Invited{Role: role, Name: i.DisplayName, By: league.Origin(by)})
		}
		return events, nil
	})
}

// maxInvited is the maximum number of agents in one invitation order.
const maxInvited = 10_000
