package league

import (
	"context"
	"log/slog"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
)

func (m *Manager) registerReferee(ctx context.Context, from rpc.From, msg protocol.Message) (protocol.Message, error) {
	r := msg.(*protocol.RefereeRegisterRequest)
	a, grant, err := m.register(ctx, protocol.RoleReferee, from, msg.Head(), r.Meta)
	if err != nil {
		return nil, err
	}
	a.MessageType = protocol.TypeRefereeRegisterResponse
	return &protocol.RefereeRegisterResponse{Admission: a, RefereeID: grant}, nil
}

func (m *Manager) registerPlayer(ctx context.Context, from rpc.From, msg protocol.Message) (protocol.Message, error) {
	r := msg.(*protocol.LeagueRegisterRequest)
	a, grant, err := m.register(ctx, protocol.RolePlayer, from, msg.Head(), r.Meta)
	if err != nil {
		return nil, err
	}
	a.MessageType = protocol.TypeLeagueRegisterResponse
	return &protocol.LeagueRegisterResponse{Admission: a, PlayerID: grant}, nil
}

// register decides on an application and answers it, with the granted id or
// with nil and a reason. The endpoint is looked at afterwards: many agents
// listen only when they have their answer.
func (m *Manager) register(ctx context.Context, role protocol.Role, from rpc.From, h *protocol.Envelope, meta protocol.AgentMeta) (protocol.Admission, *string, error) {
	var none protocol.Admission
	if err := m.checkLeague(h, false); err != nil && (meta.MatchTokens || m.Node.Strict) {
		return none, nil, err
	} else if err != nil { // strangers have the name of their own league in their configuration
		m.warn("a stranger names another league", slog.String("league_id", clip(h.LeagueID)))
	}
	_, wanted := protocol.ParseSender(h.Sender)
	agent, no, err := m.apply(ctx, application{
		role: role, meta: meta, wanted: wanted, conversation: clip(h.ConversationID), spoke: from.Dialect, configured: m.opts.Dialect,
	}, h.AuthToken)
	if err != nil {
		return none, nil, err
	}
	if no != nil {
		return m.rejected(role, no), nil, nil
	}
	return m.accepted(agent), &agent.ID, nil
}

// apply puts an application, with the token that the applicant shows, and sees to the agent if it is admitted.
func (m *Manager) apply(ctx context.Context, ap application, token string) (*Agent, *rejection, error) {
	if err := checkMeta(ap.role, &ap.meta); err != nil {
		return nil, nil, err
	}
	if v := ap.meta.ProtocolVersion; oddVersion(v) {
		m.warn("protocol_version cannot be read and is taken for 2.0.0", slog.String("protocol_version", clip(v)))
	}
	if err := m.opts.Guard.CheckEndpoint(ap.meta.ContactEndpoint); err != nil {
		ap.unreachable = err.Error()
	}
	if known := m.knownAs(ap); known != "" && !m.asked.Allow("registration of "+known) {
		return nil, nil, rpc.TooMany("registrations of " + known)
	}
	agent, no, err := m.decideOn(ctx, ap, token)
	if err != nil || no != nil {
		return nil, no, err
	}
	m.welcome(agent)
	return agent, nil, nil
}

// decideOn has an application decided. Who else has its name is asked first
// whether it still lives; that is found out outside of the decision, and again
// if somebody has taken the name meanwhile.
func (m *Manager) decideOn(ctx context.Context, ap application, token string) (*Agent, *rejection, error) {
	m.recognise(&ap, token)
	for {
		var agent *Agent
		var no *rejection
		var ask string
		var again bool
		var known Registered
		err := m.do(ctx, func(s *State) ([]Event, error) {
			if ask, again = ap.mustAsk(s); again {
				known = s.named(ap.role, ap.meta.DisplayName).Registered
				return nil, nil
			}
			var yes *Registered
			if yes, no = admit(s, ap, m.limits()); yes == nil {
				return nil, nil
			}
			agent = &Agent{Registered: *yes}
			return []Event{*yes}, nil
		})
		switch {
		case err != nil: // of a manager that ends: the decision may still be under way
			return nil, nil, err
		case !again:
			return agent, no, nil
		}
		ap.asked, ap.alive = ask, m.answers(ctx, known)
	}
}

// knownAs returns the id of the agent that has an applicant's name, or "".
func (m *Manager) knownAs(ap application) (id string) {
	m.Read(func(s *State) {
		if known := s.named(ap.role, ap.meta.DisplayName); known != nil {
			id = known.ID
		}
	})
	return id
}

// recognise finds out whose token an applicant shows.
func (m *Manager) recognise(ap *application, token string) {
	_, holder := protocol.ParseSender(protocol.TokenOwner(token))
	m.Read(func(s *State) {
		if a := s.Agents[holder]; a != nil && a.Role == ap.role {
			if g := m.generation(a, token); g > 0 {
				ap.holder, ap.generation = a.ID, g
			}
		}
	})
}

// answers reports whether an agent answers at its endpoint within two seconds.
func (m *Manager) answers(ctx context.Context, a Registered) bool {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	return m.Node.Alive(ctx, a.Endpoint) == nil && !(a.MatchTokens && m.moved(ctx, a))
}

// moved reports whether somebody else is at the endpoint of an agent of ours by
// now: who takes free ports may get one that another had before.
func (m *Manager) moved(ctx context.Context, a Registered) bool {
	reply, err := m.Node.Call(ctx, rpc.Peer{Endpoint: a.Endpoint, Dialect: protocol.Canonical}, &protocol.Tool{Envelope: protocol.Envelope{
		MessageType: protocol.TypePing, ConversationID: "conv-ping-" + a.ID,
	}})
	pong, ok := reply.(*protocol.Pong)
	if err != nil || !ok {
		return false
	}
	role, id := protocol.ParseSender(pong.Agent)
	return pong.Agent == protocol.Manager || protocol.ValidID(role, id) && pong.Agent != protocol.Sender(a.Role, a.ID)
}

func (m *Manager) limits() limits {
	return limits{maxPlayers: m.opts.MaxPlayers, maxReferees: m.opts.MaxReferees, closed: m.starting()}
}

func (m *Manager) accepted(a *Agent) protocol.Admission {
	token := m.token(a)
	m.mu.Lock()
	m.lastUse[token] = time.Now()
	m.mu.Unlock()
	return protocol.Admission{Status: protocol.Accepted, AuthToken: &token, LeagueID: &m.opts.LeagueID, MatchTokens: true}
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

// probeFor is how long a newly registered agent is looked for at its endpoint:
// many listen only after they have been answered.
const probeFor = 15 * time.Second

// probeLater is how often one is looked for that was not found by then.
const probeLater = 10 * time.Second

// probe looks for an agent at its endpoint, once a second. One that is not found is
// looked for, less often, as long as the league has not started: it may have been cut
// off, and does not know that it is missed. One that may not be called is not looked for again.
func (m *Manager) probe(id, endpoint string) {
	found, why, pause := probing, "", time.Second
	for end := time.Now().Add(probeFor); m.probed(id, endpoint, found, why); {
		ctx, cancel := context.WithTimeout(m.ctx, time.Second)
		err := m.Node.Alive(ctx, endpoint)
		cancel()
		no := rpc.Hopeless(err)
		switch {
		case err == nil:
			m.probed(id, endpoint, probeReached, "")
			return
		case no != nil:
			m.probed(id, endpoint, probeFailed, "its endpoint cannot be called: "+protocol.AsError(no).Detail)
			return
		case m.Node.Sleep(m.ctx, "probe "+id, pause) != nil:
			return
		case !time.Now().Before(end):
			found, why, pause = probeFailed, "its endpoint could not be reached", probeLater
		}
	}
}

// probed notes what is known of an agent's endpoint, and reports whether it is still worth looking.
func (m *Manager) probed(id, endpoint string, found probe, why string) (again bool) {
	var started bool
	m.Read(func(s *State) { started = s.Started() })
	if m.peer(id).Endpoint != endpoint {
		found = probeUnknown // it has moved meanwhile
	}
	if m.probeState(id) != found {
		if found == probeFailed {
			m.warn("agent unreachable", slog.String("agent_id", id), slog.String("endpoint", endpoint), slog.String("why", why))
		}
		m.locked(func(v *volatile) { v.probes[id], v.unreached[id] = found, why })
		m.kick()
	}
	return found == probing || found == probeFailed && !started
}

// unreached says why an agent was not found at its endpoint, or "" if it was or
// is being looked for.
func (m *Manager) unreached(id string) (why string) {
	m.locked(func(v *volatile) {
		if v.probes[id] == probeFailed {
			why = v.unreached[id]
		}
	})
	return why
}

// call sends a message to an agent, with the token that shows whose manager this is.
func (m *Manager) call(ctx context.Context, id string, msg protocol.Message) (protocol.Message, error) {
	msg.Head().AuthToken = m.tokenFor(id, msg.Head())
	return m.Node.Call(ctx, m.peer(id), msg)
}

// tokenFor returns the token L that a message to an agent carries.
func (m *Manager) tokenFor(id string, h *protocol.Envelope) string {
	m.mu.RLock()
	defer m.mu.RUnlock()
	a := m.state.Agents[id]
	if a == nil {
		return ""
	}
	return protocol.ManagerToken(m.token(a), m.opts.LeagueID, h.MessageType, h.RoundID)
}

// peer returns how an agent is reached.
func (m *Manager) peer(id string) rpc.Peer {
	m.mu.RLock()
	defer m.mu.RUnlock()
	a := m.state.Agents[id]
	if a == nil {
		return rpc.Peer{}
	}
	return rpc.Peer{Endpoint: a.Endpoint, Dialect: a.Dialect}
}
