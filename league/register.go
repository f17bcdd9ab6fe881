package league

import (
	"context"
	"log/slog"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
)

func (m *Manager) registerReferee(ctx context.Context, _ rpc.From, msg protocol.Message) (protocol.Message, error) {
	r := msg.(*protocol.RefereeRegisterRequest)
	a, grant, err := m.register(ctx, protocol.RoleReferee, msg.Head(), r.Meta)
	if err != nil {
		return nil, err
	}
	a.MessageType = protocol.TypeRefereeRegisterResponse
	return &protocol.RefereeRegisterResponse{Admission: a, RefereeID: grant}, nil
}

func (m *Manager) registerPlayer(ctx context.Context, _ rpc.From, msg protocol.Message) (protocol.Message, error) {
	r := msg.(*protocol.LeagueRegisterRequest)
	a, grant, err := m.register(ctx, protocol.RolePlayer, msg.Head(), r.Meta)
	if err != nil {
		return nil, err
	}
	a.MessageType = protocol.TypeLeagueRegisterResponse
	return &protocol.LeagueRegisterResponse{Admission: a, PlayerID: grant}, nil
}

// register decides on an application and answers it, with the granted id or
// with nil and a reason. The endpoint is looked at afterwards: many agents
// listen only when they have their answer.
func (m *Manager) register(ctx context.Context, role protocol.Role, h *protocol.Envelope, meta protocol.AgentMeta) (protocol.Admission, *string, error) {
	var none protocol.Admission
	if err := m.checkLeague(h); err != nil {
		return none, nil, err
	}
	if err := checkMeta(role, &meta); err != nil {
		return none, nil, err
	}
	_, wanted := protocol.ParseSender(h.Sender)
	ap := application{role: role, meta: meta, wanted: wanted, conversation: h.ConversationID}
	m.recognise(ctx, h.AuthToken, &ap)
	var agent *Agent
	var no *rejection
	err := m.do(ctx, func(s *State) ([]Event, error) {
		var yes *Registered
		yes, no = admit(s, ap, m.limits())
		if yes == nil {
			return nil, nil
		}
		agent = &Agent{Registered: *yes}
		return []Event{*yes}, nil
	})
	if err != nil {
		return none, nil, err
	}
	if no != nil {
		return m.rejected(role, no), nil, nil
	}
	m.welcome(agent)
	return m.accepted(agent), &agent.ID, nil
}

// recognise finds out whether the applicant has been here before: by its token,
// or by its name, in which case its old endpoint is asked whether it still lives.
func (m *Manager) recognise(ctx context.Context, token string, ap *application) {
	var old string
	m.Read(func(s *State) {
		_, holder := protocol.ParseSender(protocol.TokenOwner(token))
		if a := s.Agents[holder]; a != nil && a.Role == ap.role {
			if g := m.generation(a, token); g > 0 {
				ap.holder, ap.generation = a.ID, g
			}
		}
		if a := s.named(ap.role, ap.meta.DisplayName); a != nil && a.Endpoint != ap.meta.ContactEndpoint {
			old = a.Endpoint
		}
	})
	if old == "" || ap.holder != "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	ap.oldAlive = m.Node.Alive(ctx, old) == nil
}

func (m *Manager) limits() limits {
	return limits{maxPlayers: m.opts.MaxPlayers, maxReferees: m.opts.MaxReferees, closed: m.starting()}
}

func (m *Manager) accepted(a *Agent) protocol.Admission {
	token := m.token(a)
	m.mu.Lock()
	m.lastUse[token] = time.Now()
	m.mu.Unlock()
	return protocol.Admission{
		Envelope: protocol.Envelope{}, Status: protocol.Accepted, AuthToken: &token, LeagueID: &m.opts.LeagueID, MatchTokens: true,
	}
}

func (m *Manager) rejected(role protocol.Role, no *rejection) protocol.Admission {
	t := protocol.TypeLeagueRegisterRequest
	if role == protocol.RoleReferee {
		t = protocol.TypeRefereeRegisterRequest
	}
	return protocol.Admission{
		Status: protocol.Rejected, Reason: &no.reason,
		ErrorCode: no.kind.Code, ErrorName: no.kind.Name, Code: no.kind.Numeric(t),
	}
}

// welcome sees to an agent that has just registered, whether for the first
// time or again: it is looked for at its endpoint, and asked again for its matches.
func (m *Manager) welcome(a *Agent) {
	m.info("agent registered", slog.String("agent_id", protocol.Sender(a.Role, a.ID)), slog.String("endpoint", a.Endpoint))
	m.locked(func(v *volatile) {
		if v.probes[a.ID] != probing {
			delete(v.probes, a.ID)
		}
	})
	m.restartMatches(a.ID)
}

// probe looks for an agent at its endpoint for as long as it may take to start up.
func (m *Manager) probe(id, endpoint string) {
	found := probeFailed
	for range probeTries {
		ctx, cancel := context.WithTimeout(m.ctx, time.Second)
		err := m.Node.Alive(ctx, endpoint)
		cancel()
		if err == nil {
			found = probeReached
			break
		}
		if m.Node.Sleep(m.ctx, "probe "+id, time.Second) != nil {
			return
		}
	}
	if found == probeFailed {
		m.warn("agent unreachable", slog.String("agent_id", id), slog.String("endpoint", endpoint))
	}
	if m.peer(id).Endpoint != endpoint {
		found = probeUnknown // it has moved meanwhile
	}
	m.setProbe(id, found)
	m.kick()
}

// probeTries looks for about 15 seconds: a second for each try and a second's rest.
const probeTries = 8

// peer returns how an agent is reached, and the token that the manager shows to it.
func (m *Manager) peer(id string) rpc.Peer {
	m.mu.RLock()
	defer m.mu.RUnlock()
	a := m.state.Agents[id]
	if a == nil {
		return rpc.Peer{}
	}
	return rpc.Peer{Endpoint: a.Endpoint, Dialect: a.Dialect, Token: protocol.ManagerToken(m.token(a), m.opts.LeagueID)}
}
