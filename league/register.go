package league

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
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
// with nil and a reason. A native agent is welcomed at its endpoint first;
// others are looked for afterwards: many listen only when they have their answer.
func (m *Manager) register(ctx context.Context, role protocol.Role, from rpc.From, h *protocol.Envelope, meta protocol.AgentMeta) (protocol.Admission, *string, error) {
	var none protocol.Admission
	if err := m.checkLeague(h, false); err != nil && (meta.MatchTokens || m.Node.Strict) {
		return none, nil, err
	} else if err != nil { // strangers have the name of their own league in their configuration
		m.warn("a stranger names another league", slog.String("league_id", clip(h.LeagueID)))
	}
	_, wanted := protocol.ParseSender(h.Sender)
	ap := application{role: role, meta: meta, wanted: wanted, spoke: from.Dialect, configured: m.opts.Dialect}
	m.recognise(&ap, from, h.AuthToken)
	agent, no, err := m.apply(ctx, ap, h.ConversationID, from.Addr)
	if err != nil {
		return none, nil, err
	}
	if no != nil {
		if no.of == "" && no.kind == protocol.DuplicateName { // it would be nobody that is here yet
			m.Suspect("a registration was refused: "+no.reason, from.Addr)
		}
		ap.place = m.place(ctx, meta.ContactEndpoint) // where it is let in, if the organiser lets it
		return m.rejected(ap, no, from.Addr), nil, nil
	}
	return m.accepted(agent, ap), &agent.ID, nil
}

// recognise finds out whose token or join key an applicant shows. What a foreign
// agent has is a ticket, which anybody can get: it shows nothing.
func (m *Manager) recognise(ap *application, from rpc.From, token string) {
	_, holder := protocol.ParseSender(protocol.TokenOwner(token))
	m.Read(func(s *State) {
		if a := s.Agents[holder]; a != nil && a.Role == ap.role && a.Native() && m.owns(a, token) {
			ap.holder = a.ID
		}
		for _, key := range []string{from.Key, token} {
			if i := m.invitationOf(s, ap.role, key); i != nil {
				ap.invitation = i.Name
			}
		}
	})
	if ap.invitation == "" {
		m.suspectKey(from, token)
	}
}

// apply puts an application, and sees to the agent if it is admitted.
func (m *Manager) apply(ctx context.Context, ap application, conversation, addr string) (*Agent, *rejection, error) {
	if err := checkMeta(ap.role, &ap.meta); err != nil {
		return nil, nil, err
	}
	if v := ap.meta.ProtocolVersion; oddVersion(v) {
		m.warn("protocol_version cannot be read and is taken for 2.0.0", slog.String("protocol_version", clip(v)))
	}
	if err := m.opts.Guard.CheckEndpoint(ap.meta.ContactEndpoint); err != nil {
		ap.unreachable = err.Error()
	}
	if ap.place = m.place(ctx, ap.meta.ContactEndpoint); m.isOwn(ap) {
		ap.unreachable = "that is the manager's own address; give the address at which the agent itself listens"
	}
	leave, ok := m.waits(addr)
	if !ok {
		return nil, nil, rpc.TooMany("registrations under way from " + addr)
	}
	defer leave()
	agent, changed, no, err := m.decideOn(ctx, ap, conversation)
	if err != nil || no != nil {
		return nil, no, err
	}
	if changed {
		m.arrived(agent)
	} else {
		m.lookAgain(agent.ID)
	}
	return agent, nil, nil
}

// place returns where an endpoint is, as the log compares places.
func (m *Manager) place(ctx context.Context, endpoint string) string {
	return placeOf(endpoint, m.Node.Network.Addresses(ctx, endpoint), rpc.IsHere)
}

// isOwn reports whether an applicant gives the manager's address for its own. Only
// native agents share its port, each under a path of its own.
func (m *Manager) isOwn(ap application) bool {
	own := m.place(m.ctx, m.opts.Endpoint)
	return ap.place == own || ap.meta.PublicKey == "" && port(ap.place) == port(own)
}

// maxWaiting is how many registrations of one address may be under way at once.
const maxWaiting = 64

// waits notes that a registration of an address is under way, unless there are too many of them.
func (m *Manager) waits(addr string) (leave func(), ok bool) {
	m.locked(func(v *volatile) {
		if ok = v.applying[addr] < maxWaiting; ok {
			v.applying[addr]++
		}
	})
	return func() {
		m.locked(func(v *volatile) {
			if v.applying[addr]--; v.applying[addr] == 0 {
				delete(v.applying, addr)
			}
		})
	}, ok
}

// maxLooks is how often a decision may need something to be found out.
const maxLooks = 12

// decideOn has an application decided. What the decision needs is found out
// outside of it, and again if the league has changed meanwhile.
func (m *Manager) decideOn(ctx context.Context, ap application, conversation string) (agent *Agent, changed bool, no *rejection, err error) {
	ap.answers = map[string]bool{}
	for range maxLooks {
		var d decision
		var ask Agent
		err := m.do(ctx, func(s *State) ([]Event, error) {
			d = admit(s, ap, m.limits())
			switch {
			case d.ask != nil:
				ask = *d.ask
			case d.yes != nil && !d.same:
				return []Event{*d.yes}, nil
			}
			return nil, nil
		})
		switch {
		case err != nil: // of a manager that ends: the decision may still be under way
			return nil, false, nil, err
		case d.ask != nil:
			ap.answers[askedAs(&ask)] = m.answers(ctx, ask.Registered)
		case d.offer != nil:
			if ap.welcomed, no = m.offer(ctx, *d.offer, conversation); no != nil {
				return nil, false, m.looked(ctx, ap, m.inPlaceOf(*d.offer, no)), nil
			}
		case d.no != nil:
			return nil, false, m.looked(ctx, ap, d.no), nil
		default:
			return &Agent{Registered: *d.yes}, !d.same, nil, nil
		}
	}
	return nil, false, nil, protocol.Errorf(protocol.Internal, "the league changes too fast to decide; register again").Pass()
}

// inPlaceOf says of a place that was not taken whose it is: whoever registered
// there would be that agent.
func (m *Manager) inPlaceOf(r Registered, no *rejection) *rejection {
	if no.kind == protocol.Connection { // nobody was there who could be anybody
		return no
	}
	m.Read(func(s *State) {
		if others := s.inPlace(r); s.Agents[r.ID] != nil {
			no.of = r.ID
		} else if len(others) > 0 {
			no.of = others[0].ID
		}
	})
	if no.of != "" {
		no.reason += fmt.Sprintf("; if this is %s, ask the organiser for `league readmit %s {code}`", no.of, no.of)
	}
	return no
}

// looked finds out whether the agent that an applicant would be still answers
// where it was: the organiser wants to know before it lets another be it.
func (m *Manager) looked(ctx context.Context, ap application, no *rejection) *rejection {
	var of Agent
	m.Read(func(s *State) {
		if a := s.Agents[no.of]; a != nil {
			of = *a
		}
	})
	switch {
	case of.ID == "" || of.State == protocol.AgentShutdown || of.lostPlace():
	case ap.asked(&of):
		no.alive = ap.stillThere(&of)
	default:
		no.alive = m.answers(ctx, of.Registered)
	}
	return no
}

// offer welcomes an applicant at its endpoint: here is your place, is it you?
// The token goes there and nowhere else.
func (m *Manager) offer(ctx context.Context, r Registered, conversation string) (*welcomed, *rejection) {
	a := &Agent{Registered: r}
	var seal string
	m.Read(func(s *State) { seal = s.Seal })
	w := &protocol.Welcome{
		Envelope: protocol.Envelope{MessageType: protocol.TypeWelcome, ConversationID: conversation, LeagueID: m.opts.LeagueID},
		Manager:  m.opts.Endpoint, Seal: seal, ID: r.ID, Token: m.token(a),
	}
	ctx, cancel := context.WithTimeout(ctx, welcomeWithin)
	defer cancel()
	reply, err := m.Node.Call(ctx, rpc.Peer{Endpoint: r.Endpoint, Dialect: protocol.Canonical}, w)
	ack, ok := reply.(*protocol.WelcomeAck)
	if refusal := (*protocol.Refusal)(nil); errors.As(err, &refusal) || err == nil && !ok {
		return nil, refused(protocol.DuplicateName, "the agent at %s does not take the place: it has not asked this manager for it", r.Endpoint).no
	}
	if err != nil {
		return nil, refused(protocol.Connection, "nobody answered the welcome at %s; an agent with a key listens before it registers", r.Endpoint).no
	}
	text := w.Text(r.Endpoint, ack.Nonce)
	if len(ack.Nonce) > maxWord || protocol.CheckSignature(r.Key, text, ack.Signature) != nil {
		m.warn("an agent took a place with a signature that is not its own", slog.String("endpoint", r.Endpoint))
		return nil, refused(protocol.AuthTokenInvalid, "the signature from %s is not of the key that was registered", r.Endpoint).no
	}
	return &welcomed{
		id: r.ID, generation: r.Generation,
		proof:     Welcomed{Manager: w.Manager, Nonce: ack.Nonce, TokenSHA256: protocol.SHA256(w.Token), Signature: ack.Signature},
		organiser: r.Role == protocol.RoleReferee && ack.Organiser != "" && m.refereeSecret != nil && protocol.SameToken(ack.Organiser, protocol.OrganiserMark(m.refereeSecret, text)),
	}, nil
}

// welcomeWithin is how long an applicant may take for its welcome.
const welcomeWithin = 5 * time.Second

// answers reports whether an agent still answers where it was, within two
// seconds: a native one with its signature, another one at all.
func (m *Manager) answers(ctx context.Context, a Registered) bool {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	if !a.Native() {
		return m.Node.Alive(ctx, a.Endpoint) == nil
	}
	var seal string
	m.Read(func(s *State) { seal = s.Seal })
	challenge := m.Node.Nonce(16)
	reply, err := m.Node.Call(ctx, rpc.Peer{Endpoint: a.Endpoint, Dialect: protocol.Canonical}, &protocol.Identify{
		Envelope: protocol.Envelope{MessageType: protocol.TypeIdentify, ConversationID: "conv-identify-" + a.ID}, Challenge: challenge,
	})
	id, ok := reply.(*protocol.Identity)
	return err == nil && ok && protocol.CheckSignature(a.Key, protocol.IdentityText(seal, a.ID, a.Endpoint, challenge), id.Signature) == nil
}

func (m *Manager) limits() limits {
	return limits{
		maxPlayers: m.opts.MaxPlayers, maxReferees: m.opts.MaxReferees, closed: m.starting(), invitedOnly: m.opts.InvitedOnly, guests: m.opts.GuestReferees,
		answered: func(id string) bool { return m.probeState(id) == probeReached },
	}
}

// accepted answers an agent that is in the league. A native agent is told its
// token only if it has shown it: otherwise it has it from its welcome.
func (m *Manager) accepted(a *Agent, ap application) protocol.Admission {
	token := m.token(a)
	m.mu.Lock()
	m.lastUse[token] = time.Now()
	seal := m.state.Seal
	m.mu.Unlock()
	out := protocol.Admission{Status: protocol.Accepted, LeagueID: &m.opts.LeagueID, MatchTokens: true, Seal: seal}
	if !a.Native() || ap.holder == a.ID {
		out.AuthToken = &token
	}
	return out
}

func (m *Manager) rejected(ap application, no *rejection, addr string) protocol.Admission {
	t := protocol.TypeLeagueRegisterRequest
	if ap.role == protocol.RoleReferee {
		t = protocol.TypeRefereeRegisterRequest
	}
	out := protocol.Admission{
		Status: protocol.Rejected, Reason: &no.reason,
		ErrorCode: no.kind.Code, ErrorName: no.kind.Name, Code: no.kind.Numeric(t),
	}
	if no.of != "" {
		out.ReadmitCode = m.turnedAway(ap, no, addr)
		reason := strings.ReplaceAll(no.reason, "{code}", out.ReadmitCode)
		out.Reason = &reason
	}
	return out
}

// arrived sees to an agent that has just registered, whether for the first
// time or again: it is looked for at its endpoint, and asked again for its matches.
func (m *Manager) arrived(a *Agent) {
	m.info("agent registered", slog.String("agent_id", protocol.Sender(a.Role, a.ID)), slog.String("endpoint", a.Endpoint))
	m.locked(func(v *volatile) {
		if v.probes[a.ID] != probing {
			delete(v.probes, a.ID)
		}
	})
	m.restartMatches(a.ID)
}

// lookAgain looks whether an agent is there of which somebody says so that may be anybody.
func (m *Manager) lookAgain(id string) {
	m.locked(func(v *volatile) {
		if v.probes[id] == probeFailed {
			delete(v.probes, id)
		}
	})
	m.restartMatches(id)
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
		no := rpc.Permanent(err)
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
	if a == nil || a.lostPlace() {
		return rpc.Peer{}
	}
	dialect := a.Dialect
	if m.state.Completed() {
		m.locked(func(v *volatile) { dialect = cmp.Or(v.dialects[id], dialect) })
	}
	return rpc.Peer{Endpoint: a.Endpoint, Dialect: dialect}
}
