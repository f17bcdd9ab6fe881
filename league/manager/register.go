package manager

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"agentleague/league"
	"agentleague/protocol"
	"agentleague/rpc"
)

// A registrar lets agents into the league: those that apply, those that are enlisted, and those that come back.
type registrar struct {
	*core
	*ledger
	calls    *caller
	gate     *gate
	keys     *keyring
	lobby    *lobby
	dispatch *dispatcher
	refused  refusals

	mu       sync.Mutex
	applying map[string]int // registrations under way, by the address that they come from
}

// registerReferee answers a referee that wants to join.
func (reg *registrar) registerReferee(
	ctx context.Context, from rpc.From, msg protocol.Message,
) (protocol.Message, error) {
	r := msg.(*protocol.RefereeRegisterRequest)
	a, grant, err := reg.register(ctx, protocol.RoleReferee, from, msg.Head(), r.Meta)
	if err != nil {
		return nil, err
	}
	a.MessageType = protocol.TypeRefereeRegisterResponse
	return &protocol.RefereeRegisterResponse{Admission: a, RefereeID: grant}, nil
}

// registerPlayer answers a player that wants to join.
func (reg *registrar) registerPlayer(
	ctx context.Context, from rpc.From, msg protocol.Message,
) (protocol.Message, error) {
	r := msg.(*protocol.LeagueRegisterRequest)
	a, grant, err := reg.register(ctx, protocol.RolePlayer, from, msg.Head(), r.Meta)
	if err != nil {
		return nil, err
	}
	a.MessageType = protocol.TypeLeagueRegisterResponse
	return &protocol.LeagueRegisterResponse{Admission: a, PlayerID: grant}, nil
}

// register decides on an application and answers it, with the granted id or
// with nil and a reason. A native agent is welcomed at its endpoint first;
// others are looked for afterwards: many listen only when they have their answer.
func (reg *registrar) register(
	ctx context.Context, role protocol.Role, from rpc.From, h *protocol.Envelope, meta protocol.AgentMeta,
) (protocol.Admission, *string, error) {
	var none protocol.Admission
	if err := reg.gate.checkLeague(h, false); err != nil && (meta.Native || reg.Node.Strict) {
		return none, nil, err
	} else if err != nil { // strangers have the name of their own league in their configuration
		reg.warn("a stranger names another league", slog.String("league_id", league.Clip(h.LeagueID)))
	}
	_, wanted := protocol.ParseSender(h.Sender)
	ap := league.Application{Role: role, Meta: meta, Wanted: wanted, Spoke: from.Dialect, Configured: reg.opts.Dialect}
	reg.recognise(&ap, from, h.AuthToken)
	agent, no, err := reg.apply(ctx, ap, h.ConversationID, from.Addr)
	if err != nil {
		return none, nil, err
	}
	if no != nil {
		if no.Of == "" && no.Kind == protocol.DuplicateName { // it would be nobody that is here yet
			reg.gate.Suspect("a registration was refused: "+no.Reason, from.Addr)
		}
		reg.gate.suspectReferee(ap, no, from.Addr)
		ap.Place = reg.place(ctx, meta.ContactEndpoint) // where it is let in, if the organiser lets it
		return reg.rejected(ap, reg.directs(no), from.Addr), nil, nil
	}
	out := reg.accepted(agent, ap)
	out.NextLeagueID, out.LeagueOver = reg.goesOn(ctx, agent)
	return out, &agent.ID, nil
}

// recognise finds out whose token or join key an applicant shows. What a foreign
// agent has is a ticket, which anybody can get: it shows nothing.
func (reg *registrar) recognise(ap *league.Application, from rpc.From, token string) {
	_, holder := protocol.ParseSender(protocol.TokenOwner(token))
	reg.Read(func(s *league.State) {
		if a := s.Agents[holder]; a != nil && a.Role == ap.Role && a.Native() && reg.keys.owns(a, token) {
			ap.Holder = a.ID
		}
		for _, key := range []string{from.Key, token} {
			if i := reg.keys.invitationOf(s, ap.Role, key); i != nil {
				ap.Invitation = i.Name
			}
		}
	})
	if ap.Invitation == "" && !reg.opts.Regulars.Any() { // who comes from the season before may still show its key of then
		reg.gate.suspectKey(from, token)
	}
}

// apply puts an application, and sees to the agent if it is admitted.
func (reg *registrar) apply(
	ctx context.Context, ap league.Application, conversation, addr string,
) (*league.Agent, *league.Rejection, error) {
	if err := league.CheckMeta(ap.Role, &ap.Meta); err != nil {
		return nil, nil, err
	}
	if v := ap.Meta.ProtocolVersion; league.OddVersion(v) {
		reg.warn("protocol_version cannot be read; 2.0.0 is assumed",
			slog.String("protocol_version", league.Clip(v)))
	}
	if err := reg.opts.Guard.CheckEndpoint(ap.Meta.ContactEndpoint); err != nil {
		ap.Unreachable = err.Error()
	}
	if ap.Place = reg.place(ctx, ap.Meta.ContactEndpoint); reg.isOwn(ap) {
		ap.Unreachable = "this is the manager's own address; give the address where the agent itself listens"
	}
	leave, ok := reg.waits(addr)
	if !ok {
		return nil, nil, rpc.TooMany("registrations under way from " + addr)
	}
	defer leave()
	agent, changed, no, err := reg.decideOn(ctx, ap, conversation)
	if err != nil || no != nil {
		return nil, no, err
	}
	if changed {
		reg.arrived(agent)
	} else {
		reg.lookAgain(agent.ID)
	}
	return agent, nil, nil
}

// place returns where an endpoint is, as the log compares places.
func (reg *registrar) place(ctx context.Context, endpoint string) string {
	return league.PlaceOf(endpoint, reg.Node.Network.Addresses(ctx, endpoint), rpc.IsHere)
}

// isOwn reports whether an applicant gives the manager's address for its own. Only
// native agents share its port, each under a path of its own.
func (reg *registrar) isOwn(ap league.Application) bool {
	own := reg.place(reg.ctx, reg.opts.Endpoint)
	return ap.Place == own || ap.Meta.PublicKey == "" && league.Port(ap.Place) == league.Port(own) ||
		reg.isPublic(ap.Meta.ContactEndpoint)
}

// maxWaiting is how many registrations of one address may be under way at once.
const maxWaiting = 64

// waits notes that a registration of an address is under way, unless there are too many of them.
func (reg *registrar) waits(addr string) (leave func(), ok bool) {
	reg.mu.Lock()
	defer reg.mu.Unlock()
	if ok = reg.applying[addr] < maxWaiting; ok {
		reg.applying[addr]++
	}
	return func() {
		reg.mu.Lock()
		defer reg.mu.Unlock()
		if reg.applying[addr]--; reg.applying[addr] == 0 {
			delete(reg.applying, addr)
		}
	}, ok
}

// maxLooks is how often a decision may need something to be found out.
const maxLooks = 12

// decideOn has an application decided. What the decision needs is found out
// outside of it, and again if the league has changed meanwhile.
func (reg *registrar) decideOn(
	ctx context.Context, ap league.Application, conversation string,
) (agent *league.Agent, changed bool, no *league.Rejection, err error) {
	ap.Answers = map[string]bool{}
	for range maxLooks {
		var d league.Ruling
		err := reg.do(ctx, func(s *league.State) ([]league.Event, error) {
			d = league.Admit(s, ap, reg.limits())
			if d.Yes != nil && !d.Same {
				return []league.Event{*d.Yes}, nil
			}
			return nil, nil
		})
		switch {
		case err != nil: // of a manager that ends: the decision may still be under way
			return nil, false, nil, err
		case d.Ask != nil:
			ap.Answers[league.AskedAs(d.Ask)] = reg.calls.answers(ctx, d.Ask.Registered)
		case d.Offer != nil:
			if ap.Taken, no = reg.offer(ctx, *d.Offer, conversation); no != nil {
				return nil, false, reg.looked(ctx, ap, reg.inPlaceOf(*d.Offer, no)), nil
			}
		case d.No != nil:
			return nil, false, reg.looked(ctx, ap, d.No), nil
		default:
			return &league.Agent{Registered: *d.Yes}, !d.Same, nil, nil
		}
	}
	return nil, false, nil, protocol.Errorf(protocol.Internal,
		"the league changes too fast to decide; register again").Pass()
}

// inPlaceOf says of a place that was not taken whose it is: whoever registered
// there would be that agent.
func (reg *registrar) inPlaceOf(r league.Registered, no *league.Rejection) *league.Rejection {
	if no.Kind == protocol.Connection { // nobody was there who could be anybody
		return no
	}
	reg.Read(func(s *league.State) {
		if others := s.InPlace(r); s.Agents[r.ID] != nil {
			no.Of = r.ID
		} else if len(others) > 0 {
			no.Of = others[0].ID
		}
	})
	if no.Of != "" {
		no.Reason += fmt.Sprintf("; if this is %s, ask the organiser for `league readmit %s {code}`", no.Of, no.Of)
	}
	return no
}

// looked finds out whether the agent that an applicant would be still answers
// where it was: the organiser wants to know before it lets another be it.
func (reg *registrar) looked(ctx context.Context, ap league.Application, no *league.Rejection) *league.Rejection {
	var of league.Agent
	reg.Read(func(s *league.State) {
		if a := s.Agents[no.Of]; a != nil {
			of = *a
		}
	})
	switch {
	case of.ID == "" || of.State == protocol.AgentShutdown || of.LostPlace():
	case ap.Asked(&of):
		no.Alive = ap.StillThere(&of)
	default:
		no.Alive = reg.calls.answers(ctx, of.Registered)
	}
	return no
}

// offer welcomes an applicant at its endpoint. An agent takes a place only from
// the address that it has asked, which may be any of the manager's.
func (reg *registrar) offer(
	ctx context.Context, r league.Registered, conversation string,
) (taken *league.TakenPlace, no *league.Rejection) {
	for _, address := range reg.asked(ctx, r.Endpoint) {
		taken, no = reg.welcome(ctx, r, conversation, address)
		if no == nil || no.Kind != protocol.DuplicateName {
			break
		}
	}
	return taken, no
}

// welcome says to an applicant: here is your place, is it you? The token goes
// to its endpoint and nowhere else.
func (reg *registrar) welcome(
	ctx context.Context, r league.Registered, conversation, address string,
) (*league.TakenPlace, *league.Rejection) {
	a := &league.Agent{Registered: r}
	var seal string
	reg.Read(func(s *league.State) { seal = s.Seal })
	w := &protocol.Welcome{
		Envelope: protocol.Envelope{MessageType: protocol.TypeWelcome, ConversationID: conversation,
			LeagueID: reg.opts.LeagueID},
		Manager: address, Seal: seal, ID: r.ID, Token: reg.keys.token(a),
	}
	ctx, cancel := context.WithTimeout(ctx, welcomeWithin)
	defer cancel()
	reply, err := reg.Node.Call(ctx, rpc.Peer{Endpoint: r.Endpoint, Dialect: protocol.Canonical}, w)
	ack, ok := reply.(*protocol.WelcomeAck)
	if refusal := (*protocol.Refusal)(nil); errors.As(err, &refusal) || err == nil && !ok {
		no := league.Refused(protocol.DuplicateName,
			"the agent at %s does not accept the place: it has not asked this manager for it", r.Endpoint).No
		no.Advice = "Register with a contact_endpoint at which you listen yourself"
		return nil, no
	}
	if err != nil {
		return nil, league.Refused(protocol.Connection,
			"nobody answered the welcome at %s; an agent with a key must listen before it registers", r.Endpoint).No
	}
	text := w.Text(r.Endpoint, ack.Nonce)
	if len(ack.Nonce) > league.MaxWord || protocol.CheckSignature(r.Key, text, ack.Signature) != nil {
		reg.warn("an agent took a place with a signature that is not its own", slog.String("endpoint", r.Endpoint))
		return nil, league.Refused(protocol.AuthTokenInvalid,
			"the signature from %s is not of the key that was registered", r.Endpoint).No
	}
	return &league.TakenPlace{
		ID: r.ID, Generation: r.Generation,
		Proof: league.Welcomed{Manager: w.Manager, Nonce: ack.Nonce, TokenSHA256: protocol.SHA256(w.Token),
			Signature: ack.Signature},
		Organiser: r.Role == protocol.RoleReferee && ack.Organiser != "" && reg.keys.organisers != nil &&
			protocol.SameToken(ack.Organiser, protocol.OrganiserMark(reg.keys.organisers, text)),
	}, nil
}

// welcomeWithin is how long an applicant may take for its welcome.
const welcomeWithin = 5 * time.Second

// limits are what an admission depends on beside the log. Admit is pure, so it gets them with every application.
func (reg *registrar) limits() league.Limits {
	return league.Limits{
		MaxPlayers: reg.opts.MaxPlayers, MaxReferees: reg.opts.MaxReferees, Closed: reg.lobby.isStarting(),
		InvitedOnly: reg.opts.InvitedOnly, Guests: reg.opts.GuestReferees, Regulars: reg.opts.Regulars,
		Answered: func(id string) bool { return reg.lobby.probeState(id) == probeReached },
	}
}

// accepted answers an agent that is in the league. A native agent is told its
// token only if it has shown it: otherwise it has it from its welcome.
func (reg *registrar) accepted(a *league.Agent, ap league.Application) protocol.Admission {
	token := reg.keys.token(a)
	reg.gate.handedOut(token)
	var seal string
	reg.Read(func(s *league.State) { seal = s.Seal })
	out := protocol.Admission{Status: protocol.Accepted, LeagueID: &reg.opts.LeagueID, Native: true, Seal: seal}
	if !a.Native() || ap.Holder == a.ID {
		out.AuthToken = &token
	}
	return out
}

// rejected is the answer to an application that was turned down. Where somebody else may let the agent in after
// all, it has a code for the admin.
func (reg *registrar) rejected(ap league.Application, no *league.Rejection, addr string) protocol.Admission {
	out := no.Admission(ap.Role)
	if no.Of != "" {
		out.ReadmitCode = reg.turnedAway(ap, no, addr)
		reason := strings.ReplaceAll(no.Reason, "{code}", out.ReadmitCode)
		out.Reason = &reason
	}
	return out
}

// arrived sees to an agent that has just registered, whether for the first
// time or again: it is looked for at its endpoint, and asked again for its matches.
func (reg *registrar) arrived(a *league.Agent) {
	reg.note(slog.LevelInfo, "AGENT_REGISTERED", fmt.Sprintf("%s %s (%s) registered, at %s", a.Role, a.ID,
		protocol.Plain(a.Name), a.Endpoint), slog.String("agent_id", protocol.Sender(a.Role, a.ID)),
		slog.String("endpoint", a.Endpoint))
	reg.lobby.registered(a.ID)
	reg.dispatch.restartMatches(a.ID)
}

// lookAgain looks whether an agent is there of which somebody says so that may be anybody.
func (reg *registrar) lookAgain(id string) {
	reg.lobby.lookAgain(id)
	reg.dispatch.restartMatches(id)
}
