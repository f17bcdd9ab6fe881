package manager

import (
	"context"
	"strings"
	"sync"
	"time"

	"agentleague/league"
	"agentleague/protocol"
	"agentleague/rpc"
)

// A badge is what a token belongs to.
type badge struct {
	role       protocol.Role
	id         string
	key        string
	generation int
}

// passes are tokens and join keys, which are derived anew by whoever wants them, but not for every message.
type passes struct {
	mu    sync.RWMutex
	known map[badge]string

	joining map[badge]string // join keys, by role and name
	joins   map[string]badge // and the other way round
}

// passOf returns the token of an agent's generation.
func (m *Manager) passOf(a *league.Agent, generation int) string {
	b := badge{a.Role, a.ID, a.Key, generation}
	m.passes.mu.RLock()
	p, ok := m.passes.known[b]
	m.passes.mu.RUnlock()
	if ok {
		return p
	}
	p = protocol.AgentToken(m.tokenKey, m.opts.LeagueID, protocol.Sender(a.Role, a.ID), a.Key, generation)
	m.passes.mu.Lock()
	defer m.passes.mu.Unlock()
	if m.passes.known == nil {
		m.passes.known = map[badge]string{}
	}
	m.passes.known[b] = p
	return p
}

// token returns the token of an agent, of its newest generation handed out.
func (m *Manager) token(a *league.Agent) string { return m.passOf(a, a.Generation) }

// owns reports whether a token is an agent's own. Older ones end when the agent gets another.
func (m *Manager) owns(a *league.Agent, token string) bool {
	return protocol.SameToken(token, m.token(a))
}

// authenticate returns who sent a message: a registered agent with its token, or the admin.
func (m *Manager) authenticate(from rpc.From, h *protocol.Envelope) (protocol.Role, string, error) {
	role, id := protocol.ParseSender(h.Sender)
	if role == protocol.RoleAdmin {
		return role, "", m.checkAdmin(h.AuthToken)
	}
	if a := m.invited(from, h.AuthToken); a != nil { // what comes by its address is its own
		return a.Role, a.ID, nil
	}
	m.suspectKey(from, h.AuthToken)
	if a := m.tokenless(from, h); a != nil {
		return a.Role, a.ID, nil
	}
	if h.AuthToken == "" && !m.opts.OpenDoors {
		return "", "", protocol.Errorf(protocol.AuthTokenMissing, "%s needs the auth_token that registration gave", h.MessageType)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	a := m.state.Agents[id]
	if a == nil && !protocol.ValidID(role, id) { // some keep the id they chose themselves; their token says who they are
		owner, own := protocol.ParseSender(protocol.TokenOwner(h.AuthToken))
		if o := m.state.Agents[own]; o != nil && o.Role == owner && m.owns(o, h.AuthToken) {
			role, id, a = owner, own, o
		}
	}
	switch {
	case (a == nil || a.Role != role) && role == protocol.RoleReferee:
		return "", "", protocol.Errorf(protocol.RefereeNotRegistered, "no referee %q has registered", id)
	case a == nil || a.Role != role:
		return "", "", protocol.Errorf(protocol.PlayerNotRegistered, "no player %q has registered", id).With("player_id", id)
	case m.opts.OpenDoors:
		return role, id, nil
	case !m.owns(a, h.AuthToken):
		return "", "", wrongToken(h.AuthToken, "that is not a token of "+h.Sender)
	}
	return role, id, m.use(h.AuthToken)
}

// question authenticates a message of one who asks, and bounds how often one
// agent may. The admin may always.
func (m *Manager) question(from rpc.From, h *protocol.Envelope) (protocol.Role, string, error) {
	role, id, err := m.authenticate(from, h)
	if err == nil && role != protocol.RoleAdmin && !m.asked.Allow(id) {
		err = rpc.TooMany("questions of " + id)
	}
	return role, id, err
}

// use notes that a token was used, or refuses one that was not for too long.
// The caller holds the lock.
func (m *Manager) use(token string) error {
	now := time.Now()
	if last, ok := m.lastUse[token]; ok && m.opts.TokenTTL > 0 && now.Sub(last) > m.opts.TokenTTL {
		return wrongToken(token, "the token has expired; register again")
	}
	m.lastUse[token] = now
	m.shown[token] = true
	return nil
}

func (m *Manager) checkAdmin(token string) error {
	if token == "" {
		return protocol.Errorf(protocol.AuthTokenMissing, "this needs the admin token")
	}
	if m.opts.AdminToken == "" || !protocol.SameToken(token, m.opts.AdminToken) {
		return wrongToken(token, "that is not the admin token")
	}
	return nil
}

// checkOrder refuses an order that is not the admin's, and says so: nobody else has one to give.
func (m *Manager) checkOrder(from rpc.From, h *protocol.Envelope) error {
	err := m.checkAdmin(strings.TrimPrefix(h.AuthToken, "Bearer "))
	if err != nil {
		m.Suspect(string(h.MessageType)+" without the admin token was refused", from.Addr)
	}
	return err
}

func wrongToken(token, detail string) error {
	return protocol.Errorf(protocol.AuthTokenInvalid, "%s", detail).
		With("provided_token", protocol.Redact(token)).With("expected_format", "tok_{player|referee}_{id}_{signature}")
}

// admin lets h be used with the admin token only.
func (m *Manager) admin(h rpc.Handler) rpc.Handler {
	return func(ctx context.Context, from rpc.From, msg protocol.Message) (protocol.Message, error) {
		if err := m.checkOrder(from, msg.Head()); err != nil {
			return nil, err
		}
		if err := m.checkLeague(msg.Head(), false); err != nil {
			return nil, err
		}
		return h(ctx, from, msg)
	}
}

// checkLeague refuses a message that names another league, unless it comes from
// an agent of another make: those have the name written in them.
func (m *Manager) checkLeague(h *protocol.Envelope, foreign bool) error {
	if h.LeagueID != "" && h.LeagueID != m.opts.LeagueID && (!foreign || m.Node.Strict) {
		return protocol.Errorf(protocol.UnknownLeague, "this manager runs %s, not %q", m.opts.LeagueID, h.LeagueID)
	}
	return nil
}
