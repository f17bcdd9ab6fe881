package manager

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"agentleague/league"
	"agentleague/league/keyring"
	"agentleague/league/warnings"
	"agentleague/protocol"
	"agentleague/rpc"
)

// An authenticator authenticates senders and refuses unauthorized messages.
type authenticator struct {
	*core
	*ledger
	keys *keyring.Keyring

	asked    *rpc.Limiter // by agent
	warnings warnings.List

	mu      sync.Mutex
	lastUse map[string]time.Time // of tokens
	shown   map[string]bool      // tokens that were used after they were handed out
}

// newAuthenticator returns an authenticator that applies the rate limit to each agent separately.
func newAuthenticator(c *core, l *ledger, keys *keyring.Keyring) *authenticator {
	return &authenticator{
		core: c, ledger: l, keys: keys, asked: rpc.NewLimiter(c.Node.Limits.Agent),
		lastUse: map[string]time.Time{}, shown: map[string]bool{},
	}
}

// authenticate returns the role and id of the sender of a message; for the admin the id is empty. For a native agent it
// also prepares the message code that authenticates the answer.
func (g *authenticator) authenticate(from rpc.From, m protocol.Message) (protocol.Role, string, error) {
	h := m.Head()
	role, id := protocol.ParseSender(h.Sender)
	if role == protocol.RoleAdmin {
		return role, "", g.checkAdmin(h.AuthToken)
	}
	if agent := protocol.AgentOf(h.AuthToken); agent != "" {
		return g.native(agent, m)
	}
	if a := g.invited(from, h.AuthToken); a != nil { // every message to its keyed address is its own
		return a.Role, a.ID, nil
	}
	if a := g.byMailbox(from); a != nil {
		return a.Role, a.ID, nil
	}
	g.SuspectKey(from, h.AuthToken)
	if a := g.tokenless(from, h); a != nil {
		return a.Role, a.ID, nil
	}
	if h.AuthToken == "" && !g.opts.OpenDoors {
		return "", "", protocol.Errorf(protocol.AuthTokenMissing, "%s needs the auth_token from your registration",
			h.MessageType)
	}
	role, id, err := g.byTicket(role, id, h)
	if err != nil || g.opts.OpenDoors {
		return role, id, err
	}
	return role, id, g.recordUse(h.AuthToken)
}

// byMailbox returns the third-party agent to which the mailbox key of a request belongs, or nil. That key authenticates
// every message of the agent.
func (g *authenticator) byMailbox(from rpc.From) (found *league.Registered) {
	if from.Mailbox == "" {
		return nil
	}
	g.Read(func(s *league.State) {
		for _, a := range s.AtMailbox(from.Mailbox) {
			if !a.Native() {
				found = registrationOf(a)
			}
		}
	})
	return found
}

// native verifies that native agent id authenticated m, and returns its role and id. It also sets the key with which
// the answer is authenticated.
func (g *authenticator) native(id string, m protocol.Message) (role protocol.Role, _ string, err error) {
	var c *protocol.Credential
	g.Read(func(s *league.State) {
		if a := s.Agents[id]; a != nil {
			role, c = a.Role, g.keys.Credential(s, a)
		}
	})
	if c == nil || m.Head().Sender != protocol.Sender(role, id) || !c.Requested(m) {
		return "", "", wrongToken(m.Head().AuthToken,
			fmt.Sprintf("the message is not authenticated by %s of this league; register again", league.Clip(id)))
	}
	m.Head().AnswerWith(c)
	g.HandedOut(c.Token)
	return role, id, nil
}

// byTicket authenticates a third-party agent by the token in its message, and returns the agent's role and id.
func (g *authenticator) byTicket(role protocol.Role, id string, h *protocol.Envelope) (_ protocol.Role, _ string, err error) {
	g.Read(func(s *league.State) {
		a := s.Agents[id]
		// Some agents keep using an id of their own choice; the token identifies them.
		if a == nil && !protocol.ValidID(role, id) {
			owner, own := protocol.ParseSender(protocol.TokenOwner(h.AuthToken))
			if o := s.Agents[own]; o != nil && o.Role == owner && g.keys.Owns(s, o, h.AuthToken) {
				role, id, a = owner, own, o
			}
		}
		switch {
		case (a == nil || a.Role != role) && role == protocol.RoleReferee:
			err = protocol.Errorf(protocol.RefereeNotRegistered, "no referee %q has registered", id)
		case a == nil || a.Role != role:
			err = protocol.Errorf(protocol.PlayerNotRegistered, "no player %q has registered", id).With("player_id", id)
		case !g.opts.OpenDoors && !g.keys.Owns(s, a, h.AuthToken):
			err = wrongToken(h.AuthToken, "this is not a token of "+h.Sender)
		case a.Merged != "": // the process still uses the id and the ticket from before the merge
			id = a.Merged
		}
	})
	if err != nil {
		return "", "", err
	}
	return role, id, nil
}

// question authenticates the sender of a query and applies the sender's rate limit, from which the admin is exempt.
func (g *authenticator) question(from rpc.From, m protocol.Message) (protocol.Role, string, error) {
	role, id, err := g.authenticate(from, m)
	if err == nil && role != protocol.RoleAdmin && !g.asked.Allow(id) {
		err = rpc.TooMany("questions of " + id)
	}
	return role, id, err
}

// recordUse records the use of a token. It returns an error if the token was unused for longer than Options.TokenTTL.
func (g *authenticator) recordUse(token string) error {
	now := time.Now()
	g.mu.Lock()
	defer g.mu.Unlock()
	if last, ok := g.lastUse[token]; ok && g.opts.TokenTTL > 0 && now.Sub(last) > g.opts.TokenTTL {
		return wrongToken(token, "the token has expired; register again")
	}
	g.lastUse[token] = now
	g.shown[token] = true
	return nil
}

// HandedOut records that a token was issued; its TTL starts now.
func (g *authenticator) HandedOut(token string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.lastUse[token] = time.Now()
}

// lastUsed returns the time of a token's last use or issue since the manager started, or the zero time if there was
// none.
func (g *authenticator) lastUsed(token string) time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.lastUse[token]
}

func (g *authenticator) owner(secret string) (id string) {
	g.Read(func(s *league.State) {
		if i := g.keys.Invitation(s, protocol.RolePlayer, secret); i != nil {
			id = i.Agent
			return
		}
		a := s.Agents[protocol.OwnedBy(secret)]
		c := g.keys.Credential(s, a)
		if c != nil && a.Role == protocol.RolePlayer &&
			protocol.SameToken(secret, protocol.OwnerKey(c.Token, c.LeagueID, a.ID)) {
			id = a.ID
		}
	})
	return id
}

// invited returns the third-party agent to which the join key of a request belongs, or nil. The join key is in the
// request's URL or is its token. A native agent authenticates with its own key instead, and gives nil.
func (g *authenticator) invited(from rpc.From, token string) (found *league.Registered) {
	g.Read(func(s *league.State) {
		for _, key := range []string{from.Key, token} {
			for _, role := range []protocol.Role{protocol.RolePlayer, protocol.RoleReferee} {
				i := g.keys.Invitation(s, role, key)
				if i != nil && found == nil && s.Agents[i.Agent] != nil && !s.Agents[i.Agent].Native() {
					found = registrationOf(s.Agents[i.Agent])
				}
			}
		}
	})
	return found
}

// attributeMessage returns the agent that sent a malformed message, by the join key or the token in it; certain is
// false if anyone could have sent it. A native agent's token proves nothing here, since it depends on the whole
// message.
func (g *authenticator) attributeMessage(from rpc.From, sender, token string) (agent string, certain bool) {
	if a := g.invited(from, token); a != nil {
		return protocol.Sender(a.Role, a.ID), true
	}
	g.Read(func(s *league.State) {
		for _, key := range []string{from.Key, token} {
			for _, role := range []protocol.Role{protocol.RolePlayer, protocol.RoleReferee} {
				if i := g.keys.Invitation(s, role, key); i != nil && agent == "" {
					agent, certain = protocol.Sender(role, i.Name), true
				}
			}
		}
		_, id := protocol.ParseSender(sender)
		if a := s.Agents[id]; agent == "" && a != nil && !a.Native() && token != "" && g.keys.Owns(s, a, token) {
			agent, certain = protocol.Sender(a.Role, a.ID), true
		}
	})
	return agent, certain
}

// judge authenticates the referee that sent a report and returns its id. A third-party referee, which cannot sign, must
// in addition call from its address or show its join key.
func (g *authenticator) judge(ctx context.Context, from rpc.From, m protocol.Message) (referee string, err error) {
	h := m.Head()
	role, referee, err := g.authenticate(from, m)
	if err != nil {
		return "", err
	}
	if role != protocol.RoleReferee {
		return "", protocol.Errorf(protocol.RefereeNotRegistered, "results must come from referees, not from %s",
			h.Sender)
	}
	if err := g.CheckLeague(h, g.isForeign(referee)); err != nil {
		return "", err
	}
	if g.isForeign(referee) && g.invited(from, h.AuthToken) == nil && !g.opts.OpenDoors {
		var endpoint string
		g.Read(func(s *league.State) { endpoint = s.Agents[referee].Endpoint })
		if !g.Node.ComesFrom(ctx, from, endpoint) {
			g.SuspectAs("report as "+referee, fmt.Sprintf("a report of %s for %s came from another address than its own",
				league.Clip(h.MatchID), referee), from.Addr)
			return "", protocol.Errorf(protocol.AuthTokenInvalid, "reports of %s must come from its own address, %s",
				referee, endpoint)
		}
	}
	return referee, nil
}

// registrationOf returns a copy of an agent's registration that the caller may keep after [ledger.Read] has returned;
// nil for a nil agent.
func registrationOf(a *league.Agent) *league.Registered {
	if a == nil {
		return nil
	}
	own := a.Registered
	return &own
}

// checkAdmin verifies the admin token. Without a configured token it refuses every sender.
func (g *authenticator) checkAdmin(token string) error {
	if token == "" {
		return protocol.Errorf(protocol.AuthTokenMissing, "this needs the admin token").Suggest(useAdminToken)
	}
	if g.opts.AdminToken == "" || !protocol.SameToken(token, g.opts.AdminToken) {
		return wrongToken(token, "this is not the admin token").Suggest(useAdminToken)
	}
	return nil
}

// checkOrder returns an error unless the admin sent the order, and otherwise warns the organizer of the attempt.
func (g *authenticator) checkOrder(ctx context.Context, from rpc.From, h *protocol.Envelope) error {
	err := g.checkAdmin(strings.TrimPrefix(h.AuthToken, "Bearer "))
	if err != nil && g.opts.Grants != nil && from.Token != "" {
		err = g.checkGrant(ctx, from, h)
	}
	if err != nil {
		g.Suspect(string(h.MessageType)+" without the admin token was refused", from.Addr)
	}
	return err
}

// checkGrant authorizes an order by an access token that Options.Grants verifies, instead of the admin token. It sets
// h.Sender to the subject of the access token.
func (g *authenticator) checkGrant(ctx context.Context, from rpc.From, h *protocol.Envelope) error {
	who, err := g.opts.Grants(ctx, from.Token)
	if err != nil {
		return wrongToken(from.Token, err.Error())
	}
	h.Sender = protocol.Sender(protocol.RoleAdmin, "oauth "+protocol.Clip(protocol.Plain(who), league.MaxWord))
	return nil
}

// useAdminToken is the advice for an order without the admin token.
const useAdminToken = "Send the admin token; the manager's root has it in data/admin.token"

// wrongToken returns the error for an invalid token. It quotes the token only in part, since errors end up in logs.
func wrongToken(token, detail string) *protocol.Error {
	return protocol.Errorf(protocol.AuthTokenInvalid, "%s", detail).
		With("provided_token", protocol.Redact(token)).With("expected_format", "tok_{player|referee}_{id}_{signature}")
}

// admin wraps h so that it requires the admin token.
func (g *authenticator) admin(h rpc.Handler) rpc.Handler {
	return func(ctx context.Context, from rpc.From, msg protocol.Message) (protocol.Message, error) {
		if err := g.checkOrder(ctx, from, msg.Head()); err != nil {
			return nil, err
		}
		if err := g.CheckLeague(msg.Head(), false); err != nil {
			return nil, err
		}
		return h(ctx, from, msg)
	}
}

// CheckLeague refuses a message with the id of another league. A third-party agent may send any id, since the id is
// part of its configuration.
func (g *authenticator) CheckLeague(h *protocol.Envelope, foreign bool) error {
	if h.LeagueID != "" && h.LeagueID != g.opts.LeagueID && (!foreign || g.Node.Strict) {
		return protocol.Errorf(protocol.UnknownLeague, "this manager runs %s, not %q", g.opts.LeagueID, h.LeagueID)
	}
	return nil
}

// Suspect warns the organizer of a refused attempt from an address, at most once per minute.
func (g *authenticator) Suspect(what, address string) { g.SuspectAs(what, what, address) }

// SuspectAs warns the organizer like Suspect. A later call of Forgive with the same key removes the warning.
func (g *authenticator) SuspectAs(key, text, address string) {
	if g.warnings.Add(key, text, address) {
		g.warn(text, slog.String("address", address))
	}
}

// SuspectKey warns of a join key that no agent has. A token that does not have the form of a join key is ignored.
func (g *authenticator) SuspectKey(from rpc.From, token string) {
	if from.Key != "" || keyring.IsJoinKey(token) {
		g.Suspect("a join key was refused: no agent of this league and role has it", from.Addr)
	}
}

// Forgive removes the warnings of SuspectAs with that key, from all addresses.
func (g *authenticator) Forgive(key string) { g.warnings.Clear(key) }
