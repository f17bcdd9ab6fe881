package manager

import (
	"context"
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
	renames  *rpc.Limiter // by address

	mu       sync.Mutex
	applying map[string]int // registrations in progress, by the address that they come from
	slow     map[string]int // those of them that wait long for the answer to a challenge, by the endpoint's host
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

// register decides on an application and answers it, with the granted id or with nil and a reason. A native agent is
// challenged at its endpoint first; others are probed afterwards: many listen only when they have their answer.
func (reg *registrar) register(
	ctx context.Context, role protocol.Role, from rpc.From, h *protocol.Envelope, meta protocol.AgentMeta,
) (protocol.Admission, *string, error) {
	var none protocol.Admission
	if err := reg.gate.checkLeague(h, false); err != nil && (meta.Native || reg.Node.Strict) {
		return none, nil, err
	} else if err != nil { // foreign agents have the name of another league in their configuration
		reg.warn("a stranger names another league", slog.String("league_id", league.Clip(h.LeagueID)))
	}
	_, wanted := protocol.ParseSender(h.Sender)
	ap := league.Application{Role: role, Meta: meta, Wanted: wanted, Spoke: from.Dialect, Configured: reg.opts.Dialect}
	reg.recognise(&ap, from, h.AuthToken)
	agent, no, err := reg.apply(ctx, ap, h, from.Addr)
	if err != nil {
		return none, nil, err
	}
	if no != nil {
		switch {
		case no.Claims != "":
			reg.gate.suspect(claimsOf(no.Claims), "an agent registers with the key of "+no.Claims+
				" and cannot sign with it; "+no.Claims+" keeps its place", from.Addr)
		case no.Of == "" && (no.Kind == protocol.DuplicateName || no.Kind == protocol.AuthTokenInvalid),
			no.Kind == protocol.RateLimited:
			reg.gate.Suspect("a registration was refused: "+no.Reason, from.Addr)
		}
		reg.gate.suspectReferee(ap, no, from.Addr)
		ap.Place = reg.place(ctx, meta.ContactEndpoint) // where it is let in, if the organiser lets it
		return reg.rejected(ap, reg.directs(no), from.Addr), nil, nil
	}
	if agent.Native() {
		reg.gate.warnings.clear(claimsOf(agent.ID))
	}
	out := reg.accepted(agent)
	out.NextLeagueID, out.LeagueOver = reg.goesOn(ctx, agent)
	return out, &agent.ID, nil
}

// claimsOf returns the key of the warnings about registrations with the key of an agent.
func claimsOf(id string) string { return "claims of " + id }

// recognise identifies the join key that an applicant shows. The ticket of a foreign agent proves nothing: any client
// can get it.
func (reg *registrar) recognise(ap *league.Application, from rpc.From, token string) {
	reg.Read(func(s *league.State) {
		for _, key := range []string{from.Key, token} {
			if i := reg.keys.invitationOf(s, ap.Role, key); i != nil {
				ap.Invitation = i.Name
			}
		}
	})
	if ap.Invitation == "" && !reg.opts.Regulars.Any() { // an agent of the season before may still show its key of then
		reg.gate.suspectKey(from, token)
	}
}

// apply puts an application, and sees to the agent if it is admitted.
func (reg *registrar) apply(
	ctx context.Context, ap league.Application, h *protocol.Envelope, addr string,
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
	leave, err := reg.waits(ap, addr)
	if err != nil {
		reg.gate.Suspect("a registration was refused: "+protocol.AsError(err).Sentence(), addr)
		return nil, nil, err
	}
	defer leave()
	agent, changed, no, err := reg.decideOn(ctx, ap, h, addr)
	if err != nil || no != nil {
		return nil, no, err
	}
	if changed {
		reg.arrived(agent)
	} else {
		reg.dispatch.returned.Store(agent.ID, time.Now())
		reg.lookAgain(agent.ID)
	}
	return agent, nil, nil
}

// place returns where an endpoint is, as the log compares places.
func (reg *registrar) place(ctx context.Context, endpoint string) string {
	return league.PlaceOf(endpoint, reg.Node.Network.Addresses(ctx, endpoint), rpc.IsHere)
}

// isOwn reports whether an applicant claims the manager's own address. Only native agents share its port, on
// different paths.
func (reg *registrar) isOwn(ap league.Application) bool {
	own := reg.place(reg.ctx, reg.opts.Endpoint)
	return ap.Place == own || ap.Meta.PublicKey == "" && league.Port(ap.Place) == league.Port(own) ||
		reg.isPublic(ap.Meta.ContactEndpoint)
}

// maxLooks is how often a decision may need something to be found out.
const maxLooks = 12

// decideOn decides on an application. Calls that the decision needs are made outside the lock, and the decision is
// repeated if the league has changed in between.
func (reg *registrar) decideOn(
	ctx context.Context, ap league.Application, h *protocol.Envelope, addr string,
) (agent *league.Agent, changed bool, no *league.Rejection, err error) {
	ap.Answers, ap.Signed = map[string]bool{}, map[string]league.Found{}
	for range maxLooks {
		var d league.Ruling
		flooded := false
		err := reg.do(ctx, func(s *league.State) ([]league.Event, error) {
			ap.Now = time.Now()
			d = league.Admit(s, ap, reg.limits())
			switch {
			case !reg.mayRename(d, addr):
				flooded = true
				return nil, nil
			case d.Yes != nil && !d.Same:
				return []league.Event{*d.Yes}, nil
			case d.Found != nil:
				return []league.Event{*d.Found}, nil
			}
			return nil, nil
		})
		switch {
		case flooded:
			return nil, false, nil, reg.renamedTooOften(addr)
		case err != nil: // of a manager that ends: the decision may still be under way
			return nil, false, nil, err
		case d.Ask != nil:
			found, there := reg.calls.answers(ctx, d.Ask.Registered)
			ap.Answers[league.AskedAs(d.Ask)], ap.Signed[league.AskedAs(d.Ask)] = there, found
		case d.Offer != nil:
			if ap.Taken, no = reg.offer(ctx, *d.Offer, h); no != nil {
				return nil, false, reg.claimed(ap, no), nil
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

// claimed adds to a rejection the agent whose key the applicant showed without answering its challenge.
func (reg *registrar) claimed(ap league.Application, no *league.Rejection) *league.Rejection {
	reg.Read(func(s *league.State) {
		if a := s.ByKey(ap.Role, ap.Meta.PublicKey); a != nil && no.Kind != protocol.Connection {
			no.Claims, no.Kind, no.Advice = a.ID, protocol.DuplicateName, league.WithIdentity
		}
	})
	return no
}

// looked checks whether the agent that an applicant claims to be still answers at its endpoint: the organiser needs
// that to decide on a readmission.
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
		_, no.Alive = reg.calls.answers(ctx, of.Registered)
	}
	return no
}

// limits returns the inputs of an admission besides the log. Admit is pure, so it gets them with every application.
func (reg *registrar) limits() league.Limits {
	return league.Limits{
		MaxPlayers: reg.opts.MaxPlayers, MaxReferees: reg.opts.MaxReferees, Closed: reg.lobby.isStarting(),
		InvitedOnly: reg.opts.InvitedOnly, Guests: reg.opts.GuestReferees, Regulars: reg.opts.Regulars,
		Answered: func(id string) bool { return reg.lobby.probeState(id) == probeReached },
	}
}

// accepted answers an agent that is in the league: a foreign one with its ticket.
func (reg *registrar) accepted(a *league.Agent) protocol.Admission {
	out := protocol.Admission{Status: protocol.Accepted, LeagueID: &reg.opts.LeagueID, Native: true}
	reg.Read(func(s *league.State) {
		out.Seal = s.Seal
		if !a.Native() {
			token := reg.keys.token(s, a)
			reg.gate.handedOut(token)
			out.AuthToken = &token
		}
	})
	return out
}

// rejected answers a refused application. Where the organiser may still admit the agent, it includes a code for the
// admin.
func (reg *registrar) rejected(ap league.Application, no *league.Rejection, addr string) protocol.Admission {
	out := no.Admission(ap.Role)
	if no.Of != "" {
		out.ReadmitCode = reg.turnedAway(ap, no, addr)
		reason := strings.ReplaceAll(no.Reason, "{code}", out.ReadmitCode)
		out.Reason = &reason
	}
	return out
}

// arrived handles the registration of an agent, first or repeated: it is probed at its endpoint, and asked again for
// its matches.
func (reg *registrar) arrived(a *league.Agent) {
	reg.note(slog.LevelInfo, "AGENT_REGISTERED", fmt.Sprintf("%s %s (%s) registered, at %s", a.Role, a.ID,
		protocol.Plain(a.Name), a.Endpoint), slog.String("agent_id", protocol.Sender(a.Role, a.ID)),
		slog.String("endpoint", a.Endpoint))
	reg.lobby.registered(a.ID)
	reg.dispatch.restartMatches(a.ID)
}

// lookAgain probes an agent again after an unauthenticated claim that it is back.
func (reg *registrar) lookAgain(id string) {
	reg.lobby.lookAgain(id)
	reg.dispatch.restartMatches(id)
}
