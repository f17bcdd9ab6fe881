package registration

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"agentleague/league"
	"agentleague/league/keyring"
	"agentleague/league/location"
	"agentleague/protocol"
	"agentleague/rpc"
)

// A League is the running league that agents register for.
type League interface {
	Read(f func(s *league.State)) // with the durable state
	// Do writes the events that decide returns, and returns once they are durable. It returns an error of decide
	// unchanged.
	Do(ctx context.Context, decide func(s *league.State) ([]league.Event, error)) error
	FirstLine(ctx context.Context) (string, error) // of the log: its SHA-256 is the seal of the league
}

// Agents gives access to the running agents of a league.
type Agents interface {
	// Answers reports whether an agent still answers at its registered endpoint. A native agent must sign a challenge;
	// its signature is returned.
	Answers(ctx context.Context, a league.Registered) (signed league.Found, there bool)
	// Arrived is called when an agent has registered from an address: probe its endpoint, and order its matches again.
	Arrived(id, addr string)
	Returned(id, addr string) // an agent has registered again without a change: look again
	LookAgain(id string)      // repeat a failed probe after an unauthenticated claim that an agent is back
}

// An Authenticator authenticates messages, and warns the organizer of refused attempts.
type Authenticator interface {
	CheckLeague(h *protocol.Envelope, foreign bool) error // whether a message names this league
	HandedOut(token string)                               // from now on the token can expire
	Suspect(what, address string)
	SuspectAs(key, what, address string)  // under a key by which the warning can be forgiven
	SuspectKey(from rpc.From, key string) // of a join key that no agent has
	Forgive(key string)
}

// A Config connects a registrar with the manager of a league.
type Config struct {
	LeagueID  string
	Endpoint  string // of the manager
	PublicURL string // where agents outside of its network reach it
	Node      *rpc.Node
	Life      context.Context  // of the manager
	Guard     rpc.Guard        // the endpoints that may be called
	Asks      protocol.Message // an example of the question for a move

	League League
	Agents Agents
	Auth   Authenticator
	Keys   *keyring.Keyring
	Limits func() league.Limits // what decides on an admission besides the log
	Log    func(level slog.Level, text string, attrs ...slog.Attr)

	Asked    func(ctx context.Context, endpoint string) []string // addresses of the manager, the one first that an applicant called
	IsPublic func(endpoint string) bool                          // whether it is the manager's public address
	IsRelay  func(endpoint string) bool                          // whether the manager passes messages on at this address
	Dialect  func(role protocol.Role, id string) string          // set by the operator; "": the agent's choice
	Next     func(ctx context.Context) (id string, err error)    // the next season, created if need be; nil: there is none
	Vacant   func() []string                                     // other leagues that can be joined; nil: there are none
}

// A Registrar admits agents to a league: applicants, enlisted agents and returning ones. It is safe for concurrent
// use.
type Registrar struct {
	cfg     Config
	refused refusals
	renames *rpc.Limiter // by address

	mu       sync.Mutex
	applying map[string]int // registrations in progress, by the address that they come from
	slow     map[string]int // those of them that wait long for the answer to a challenge, by the endpoint's host
}

// New returns the registrar of a league.
func New(c Config) *Registrar {
	return &Registrar{cfg: c, renames: rpc.NewLimiter(renameRate), applying: map[string]int{}, slow: map[string]int{}}
}

func (reg *Registrar) info(text string, attrs ...slog.Attr) {
	reg.cfg.Log(slog.LevelInfo, text, attrs...)
}

func (reg *Registrar) warn(text string, attrs ...slog.Attr) {
	reg.cfg.Log(slog.LevelWarn, text, attrs...)
}

// RegisterReferee handles the registration request of a referee.
func (reg *Registrar) RegisterReferee(
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

// RegisterPlayer handles the registration request of a player.
func (reg *Registrar) RegisterPlayer(
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

// register decides on an application and returns the answer: the granted id, or a rejection with its reason. A
// native agent is challenged at its endpoint before the answer. Others are probed after it, since many begin to
// listen only when they have received it.
func (reg *Registrar) register(
	ctx context.Context, role protocol.Role, from rpc.From, h *protocol.Envelope, meta protocol.AgentMeta,
) (protocol.Admission, *string, error) {
	var none protocol.Admission
	if err := reg.cfg.Auth.CheckLeague(h, false); err != nil && (meta.Native || reg.cfg.Node.Strict) {
		return none, nil, err
	} else if err != nil { // third-party agents have the name of another league in their configuration
		reg.warn("a stranger names another league", slog.String("league_id", league.Clip(h.LeagueID)))
	}
	_, wanted := protocol.ParseSender(h.Sender)
	ap := league.Application{Role: role, Meta: meta, Wanted: wanted, Spoke: from.Dialect, Configured: reg.cfg.Dialect}
	reg.recognise(&ap, from, h.AuthToken)
	ap.Unreachable = reg.mayNotHave(from, meta.ContactEndpoint)
	agent, no, err := reg.apply(ctx, ap, h, from.Addr)
	if err != nil {
		return none, nil, err
	}
	if no != nil {
		switch {
		case no.Claims != "":
			reg.cfg.Auth.SuspectAs(claimsOf(no.Claims), "an agent registers with the key of "+no.Claims+
				" and cannot sign with it; "+no.Claims+" keeps its place", from.Addr)
		case no.Of == "" && (no.Kind == protocol.DuplicateName || no.Kind == protocol.AuthTokenInvalid),
			no.Kind == protocol.RateLimited:
			reg.cfg.Auth.Suspect("a registration was refused: "+no.Reason, from.Addr)
		}
		reg.suspectReferee(ap, no, from.Addr)
		ap.Place = reg.place(ctx, meta.ContactEndpoint) // where it is let in, if the organiser lets it
		return reg.rejected(ap, reg.directs(no), from.Addr), nil, nil
	}
	if agent.Native() {
		reg.cfg.Auth.Forgive(claimsOf(agent.ID))
	}
	out := reg.accepted(agent)
	out.NextLeagueID, out.LeagueOver = reg.goesOn(ctx, agent)
	return out, &agent.ID, nil
}

// mayNotHave returns why an applicant may not register with an endpoint, or "": a mailbox must be its own, and the
// paths of the manager at which it passes messages on are no place of an agent.
func (reg *Registrar) mayNotHave(from rpc.From, endpoint string) string {
	switch id, mailbox := protocol.MailboxID(endpoint); {
	case mailbox && from.Mailbox == "":
		return "a mailbox is valid only in a message that shows its key; send Authorization: Bearer SECRET, with the secret of the mailbox"
	case mailbox && from.Mailbox != id:
		return "this message shows the key of another mailbox"
	case !mailbox && reg.cfg.IsRelay(endpoint):
		return "the manager passes messages on at this address; give the address where the agent itself listens, or its own mailbox"
	}
	return ""
}

// claimsOf returns the warning key for registrations that claim the public key of an agent.
func claimsOf(id string) string { return "claims of " + id }

// recognise sets the invitation of an applicant that sent a valid join key. It ignores the token of a third-party
// agent, which any client can obtain.
func (reg *Registrar) recognise(ap *league.Application, from rpc.From, token string) {
	reg.cfg.League.Read(func(s *league.State) {
		for _, key := range []string{from.Key, token} {
			if i := reg.cfg.Keys.Invitation(s, ap.Role, key); i != nil {
				ap.Invitation = i.Name
			}
		}
	})
	if ap.Invitation == "" && !reg.cfg.Limits().Regulars.Any() { // an agent of the season before may still show its key of then
		reg.cfg.Auth.SuspectKey(from, token)
	}
}

// apply decides on an application, and starts the probe of the agent if it is admitted. It returns the agent, or
// the rejection.
func (reg *Registrar) apply(
	ctx context.Context, ap league.Application, h *protocol.Envelope, addr string,
) (*league.Agent, *league.Rejection, error) {
	if err := league.CheckMeta(ap.Role, &ap.Meta); err != nil {
		return nil, nil, err
	}
	if v := ap.Meta.ProtocolVersion; league.OddVersion(v) {
		reg.warn("protocol_version cannot be read; 2.0.0 is assumed",
			slog.String("protocol_version", league.Clip(v)))
	}
	if err := reg.cfg.Guard.CheckEndpoint(ap.Meta.ContactEndpoint); err != nil && ap.Unreachable == "" {
		ap.Unreachable = err.Error()
	}
	if ap.Unreachable == "" && ap.Meta.PublicKey == "" && reg.cfg.Node.Profile.Rules().RefusesUnreachable {
		ap.Unreachable = reg.unreachable(ctx, ap.Meta.ContactEndpoint)
	}
	if ap.Place = reg.place(ctx, ap.Meta.ContactEndpoint); reg.claimsOwnAddress(ap) {
		ap.Unreachable = "this is the manager's own address; give the address where the agent itself listens"
	}
	leave, err := reg.waits(ap, addr)
	if err != nil {
		reg.cfg.Auth.Suspect("a registration was refused: "+protocol.AsError(err).Sentence(), addr)
		return nil, nil, err
	}
	defer leave()
	agent, changed, no, err := reg.decideOn(ctx, ap, h, addr)
	if err != nil || no != nil {
		return nil, no, err
	}
	if changed {
		reg.arrived(agent, addr)
	} else {
		reg.cfg.Agents.Returned(agent.ID, addr)
	}
	return agent, nil, nil
}

// unreachable returns why no agent is reached at an endpoint within two seconds, or "".
func (reg *Registrar) unreachable(ctx context.Context, endpoint string) string {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	if err := reg.cfg.Node.Alive(ctx, endpoint); err != nil {
		return "nothing answers at " + endpoint + ": " + rpc.Unreached(err) + "; start the agent before it registers"
	}
	return ""
}

// place returns the place of an endpoint in canonical form, see [location.Of].
func (reg *Registrar) place(ctx context.Context, endpoint string) string {
	return location.Of(endpoint, reg.cfg.Node.Network.Addresses(ctx, endpoint), rpc.IsHere)
}

// claimsOwnAddress reports whether an applicant claims the manager's own address. Native agents may share its port with
// a different path; others may not.
func (reg *Registrar) claimsOwnAddress(ap league.Application) bool {
	own := reg.place(reg.cfg.Life, reg.cfg.Endpoint)
	return ap.Place == own || ap.Meta.PublicKey == "" && location.Port(ap.Place) == location.Port(own) ||
		reg.cfg.IsPublic(ap.Meta.ContactEndpoint)
}

// maxLooks is the maximum number of checks for one decision, such as whether an agent still answers.
const maxLooks = 12

// decideOn decides on an application. It makes the calls that the decision needs without holding a lock, and
// repeats the decision with their results on the then current state.
func (reg *Registrar) decideOn(
	ctx context.Context, ap league.Application, h *protocol.Envelope, addr string,
) (agent *league.Agent, changed bool, no *league.Rejection, err error) {
	ap.Answers, ap.Signed = map[string]bool{}, map[string]league.Found{}
	for range maxLooks {
		var d league.Ruling
		flooded := false
		err := reg.cfg.League.Do(ctx, func(s *league.State) ([]league.Event, error) {
			ap.Now = time.Now()
			limits := reg.cfg.Limits()
			d = league.Admit(s, ap, limits)
			if flooded = !reg.mayRename(d, addr); flooded {
				return nil, nil
			}
			return limits.Events(s, d), nil
		})
		switch {
		case flooded:
			return nil, false, nil, reg.renamedTooOften(addr)
		case err != nil: // of a manager that ends: the decision may still be under way
			return nil, false, nil, err
		case d.Ask != nil:
			found, there := reg.cfg.Agents.Answers(ctx, d.Ask.Registered)
			ap.Answers[league.AskedAs(d.Ask)], ap.Signed[league.AskedAs(d.Ask)] = there, found
		case d.Offer != nil:
			if ap.Taken, no = reg.offer(ctx, *d.Offer, h, addr); no != nil {
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

// claimed adds to a rejection the agent whose public key the applicant sent without answering its challenge.
func (reg *Registrar) claimed(ap league.Application, no *league.Rejection) *league.Rejection {
	reg.cfg.League.Read(func(s *league.State) {
		if a := s.ByKey(ap.Role, ap.Meta.PublicKey); a != nil && no.Kind != protocol.Connection {
			no.Claims, no.Kind, no.Advice = a.ID, protocol.DuplicateName, league.WithIdentity
		}
	})
	return no
}

// looked adds to a rejection whether the agent that the applicant claims to be still answers at its endpoint. The
// organiser needs that to decide on a readmission.
func (reg *Registrar) looked(ctx context.Context, ap league.Application, no *league.Rejection) *league.Rejection {
	var of league.Agent
	reg.cfg.League.Read(func(s *league.State) {
		if a := s.Agents[no.Of]; a != nil {
			of = *a
		}
	})
	switch {
	case of.ID == "" || of.State == protocol.AgentShutdown || of.LostPlace():
	case ap.Asked(&of):
		no.Alive = ap.StillThere(&of)
	default:
		_, no.Alive = reg.cfg.Agents.Answers(ctx, of.Registered)
	}
	return no
}

// accepted returns the answer to an admitted agent; for a third-party one it contains the token.
func (reg *Registrar) accepted(a *league.Agent) protocol.Admission {
	out := protocol.Admission{Status: protocol.Accepted, LeagueID: &reg.cfg.LeagueID, Native: true, Strict: reg.cfg.Node.Strict}
	reg.cfg.League.Read(func(s *league.State) {
		out.Seal = s.Seal
		if !a.Native() {
			token := reg.cfg.Keys.Token(s, a)
			reg.cfg.Auth.HandedOut(token)
			out.AuthToken = &token
		}
	})
	return out
}

// rejected returns the answer to a refused applicant. It includes a code for the organiser if a readmission is
// possible.
func (reg *Registrar) rejected(ap league.Application, no *league.Rejection, addr string) protocol.Admission {
	out := no.Admission(ap.Role)
	out.DisplayName = league.Clip(ap.Meta.DisplayName)
	if no.Of != "" {
		out.ReadmitCode = reg.turnedAway(ap, no, addr)
		reason := strings.ReplaceAll(no.Reason, "{code}", out.ReadmitCode)
		out.Reason = &reason
	}
	return out
}

// arrived handles the first or a repeated registration of an agent, from an address.
func (reg *Registrar) arrived(a *league.Agent, addr string) {
	reg.info(fmt.Sprintf("%s %s (%s) registered, at %s", a.Role, a.ID, protocol.Plain(a.Name), a.Endpoint),
		slog.String("agent_id", protocol.Sender(a.Role, a.ID)), slog.String("endpoint", a.Endpoint),
		slog.String("event_type", "AGENT_REGISTERED"))
	reg.cfg.Agents.Arrived(a.ID, addr)
}

// suspectReferee warns of a refused referee that applies to a running league.
func (reg *Registrar) suspectReferee(ap league.Application, no *league.Rejection, address string) {
	running := false
	reg.cfg.League.Read(func(s *league.State) { running = s.Started() && !s.Completed() })
	if ap.Role == protocol.RoleReferee && no.Kind == protocol.RegistrationClosed && running {
		reg.cfg.Auth.SuspectAs("late referee", "a referee at "+ap.Meta.ContactEndpoint+", called "+ap.Meta.DisplayName+
			", asked to judge after the start and was refused: "+no.Reason, address)
	}
}

// goesOn reports whether the league is over for a native agent that registers. If so, next is the id of the next
// league, or "".
func (reg *Registrar) goesOn(ctx context.Context, a *league.Agent) (next string, over bool) {
	reg.cfg.League.Read(func(s *league.State) { over = s.Completed() && a.Native() })
	if !over || reg.cfg.Next == nil {
		return "", over
	}
	next, err := reg.cfg.Next(ctx)
	if err != nil {
		reg.warn("the next season cannot be created: "+err.Error(), slog.String("league_id", reg.cfg.LeagueID))
	}
	return next, next == "" && err == nil
}

// directs adds the leagues that can still be joined to the rejection of an applicant that came after the start.
func (reg *Registrar) directs(no *league.Rejection) *league.Rejection {
	late := false
	reg.cfg.League.Read(func(s *league.State) { late = s.Started() })
	if !late || no.Of != "" || no.Kind != protocol.RegistrationClosed || reg.cfg.Vacant == nil {
		return no
	}
	open := reg.cfg.Vacant()
	if len(open) == 0 {
		return no
	}
	out := *no
	out.Reason += "; open for registration here: " + strings.Join(open, ", ")
	out.Advice = "Register with league_id " + open[0]
	return &out
}
