package manager

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"log/slog"
	"strings"

	"agentleague/league"
	"agentleague/protocol"
	"agentleague/rpc"
)

// A join key makes whoever has it the agent of one name, from any port or
// machine. Keys are derived from a secret of the league, never stored: 130 bits
// in letters and digits that cannot be taken for each other.

// keyLetters writes join keys.
var keyLetters = base32.NewEncoding("abcdefghijkmnpqrstuvwxyz23456789").WithPadding(base32.NoPadding)

// keyLength is how many letters a join key has.
const keyLength = 26

// joinKey returns the key of an invitation.
func (m *Manager) joinKey(role protocol.Role, name string) string {
	mac := hmac.New(sha256.New, m.inviteKey)
	mac.Write([]byte("join\n" + m.opts.LeagueID + "\n" + string(role) + "\n" + name))
	return keyLetters.EncodeToString(mac.Sum(nil))[:keyLength]
}

// invitationOf returns the invitation whose key this is, or nil. The caller holds the lock.
func (m *Manager) invitationOf(s *league.State, role protocol.Role, key string) *league.Invitation {
	if len(key) != keyLength {
		return nil
	}
	m.passes.mu.Lock()
	defer m.passes.mu.Unlock()
	s.Invited(role, func(name string) {
		if b := (badge{role: role, id: name}); m.passes.joining[b] == "" {
			if m.passes.joining == nil {
				m.passes.joining, m.passes.joins = map[badge]string{}, map[string]badge{}
			}
			k := m.joinKey(role, name)
			m.passes.joining[b], m.passes.joins[k] = k, b
		}
	})
	if b, ok := m.passes.joins[key]; ok && b.role == role {
		return s.Invitation(role, b.id)
	}
	return nil
}

// invited returns the agent whose join key a message shows, in its address or as its token, or nil.
func (m *Manager) invited(from rpc.From, token string) (found *league.Agent) {
	m.Read(func(s *league.State) {
		for _, key := range []string{from.Key, token} {
			for _, role := range []protocol.Role{protocol.RolePlayer, protocol.RoleReferee} {
				if i := m.invitationOf(s, role, key); i != nil && found == nil {
					found = s.Agents[i.Agent]
				}
			}
		}
	})
	return found
}

// Invite reserves names for agents that are to come, and returns their join
// keys. Who was invited before keeps the key.
func (m *Manager) Invite(ctx context.Context, role protocol.Role, names []string, by string) ([]protocol.Invitation, error) {
	if role != protocol.RolePlayer && role != protocol.RoleReferee {
		return nil, protocol.Errorf(protocol.InvalidMessage, "role: use player or referee, not %q", league.Clip(string(role))).With("field", "role")
	}
	if len(names) == 0 || len(names) > maxInvited {
		return nil, protocol.Errorf(protocol.InvalidMessage, "names: use 1 to %d names", maxInvited).With("field", "names")
	}
	out := make([]protocol.Invitation, 0, len(names))
	for _, name := range names {
		if name = league.CleanName(name); name == "" {
			return nil, protocol.Errorf(protocol.InvalidMessage, "names: a name is empty").With("field", "names")
		}
		key := m.joinKey(role, name)
		out = append(out, protocol.Invitation{Role: role, DisplayName: name, Key: key, Address: KeyedAddress(m.opts.Endpoint, key)})
	}
	m.info("invitations ordered", slog.Int("agents", len(out)), slog.String("by", signed(by)))
	return out, m.do(ctx, func(s *league.State) (events []league.Event, err error) {
		if s.Completed() {
			return nil, errOver()
		}
		for _, i := range out {
			if s.Invitation(role, i.DisplayName) != nil {
				continue
			}
			if a := s.Named(role, i.DisplayName); a != nil {
				return nil, protocol.Errorf(protocol.DuplicateName, "%q is %s, which came without an invitation; invite it before it registers", i.DisplayName, a.ID)
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

func (m *Manager) invite(ctx context.Context, from rpc.From, msg protocol.Message) (protocol.Message, error) {
	r := msg.(*protocol.InviteAgents)
	if r.Role == "" {
		r.Role = protocol.RolePlayer
	}
	list, err := m.Invite(ctx, r.Role, r.Names, orderedBy(from, msg.Head()))
	if err != nil {
		return nil, err
	}
	return &protocol.Invitations{Envelope: protocol.Envelope{MessageType: protocol.TypeInvitations, LeagueID: m.opts.LeagueID}, Invitations: list}, nil
}
