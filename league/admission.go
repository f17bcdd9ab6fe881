package league

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"agentleague/dialect/notation"
	"agentleague/protocol"
)

// An Application is a request of an agent to join the league, with everything that [Admit] needs to decide on it.
// The manager fills it in. If Admit needs more it returns a question, and is called again with the answer.
type Application struct {
	Role        protocol.Role
	Meta        protocol.AgentMeta // the applicant's introduction, checked by [CheckMeta]
	Place       string             // where its endpoint is, as [PlaceOf] writes it
	Wanted      string             // the id it calls itself by
	Invitation  string             // the name that it was invited by, if it shows a join key
	Spoke       string             // the dialect that it applied in
	Unreachable string             // why its endpoint may not be called; "": it may
	By          string             // the party that brings it, if the agent does not apply directly

	// Configured returns the dialect that the league's operator sets for an agent, or "" for the agent's own choice. A
	// nil function sets none.
	Configured func(role protocol.Role, id string) string

	Now     time.Time        // when it is decided on
	Answers map[string]bool  // whether an agent still answers where it was, by [AskedAs]
	Signed  map[string]Found // signatures of the native agents among those
	Taken   *TakenPlace      // the place that the applicant has taken; nil: it was not challenged yet
}

// A TakenPlace is a native applicant's signed answer to the challenge that the manager sent to its endpoint. With it
// the applicant accepts its id and endpoint in the league.
type TakenPlace struct {
	ID         string
	Generation int // of the token that goes with the place
	Proof      Welcomed
	Organiser  bool // of a referee: it has shown the organiser's secret
}

// A Ruling is the decision on an application. One of the first four fields is set: the application is granted or
// refused, or a check is needed before it can be decided again. A Ruling does not share memory with the state.
type Ruling struct {
	Yes   *Registered // it is granted: this registration is to be written, unless Same
	No    *Rejection  // it is refused
	Ask   *Agent      // find out whether this agent still answers where it was, and note it in Application.Answers
	Offer *Registered // challenge the applicant at its endpoint to take this place, and note it in Application.Taken

	Renames bool // Yes gives a third-party agent of the league another name

	Same  bool   // nothing changes: Yes is the recorded registration
	Found *Found // of a displaced agent that has answered: it is there again
}

// Limits are the rules for new agents: how many may join, and which.
type Limits struct {
	MaxPlayers, MaxReferees int
	Closed                  bool                 // registration is over: no player may join any more
	InvitedOnly             bool                 // only agents with a join key may join, and the organiser's
	Guests                  string               // when a referee may join that is not the organiser's
	UniqueNames             bool                 // a name that another agent has is refused, and not numbered
	Answered                func(id string) bool // whether an agent has ever answered a call
	Regulars                Regulars             // of the season before
	Late                    *Scheduling          // how players join the running league; nil: none may
}

// Values of Limits.Guests: when a referee that is not the organiser's may join.
const (
	GuestsBeforeStart = "before_start"
	GuestsInvited     = "invited"
	GuestsNever       = "never"
)

// A Rejection is a refusal by policy: an answer, not an error.
type Rejection struct {
	Advice string // the remedy; "": that of its kind
	Kind   *protocol.Kind
	Reason string // a sentence; {code} in it stands for the code that lets the applicant in, see [Rejection.Of]
	Of     string // the id of the agent that the applicant would be, if the organiser lets it; "": none
	Alive  bool   // that agent still answers where it was
	// Present and Most are set for a full league: the number of agents of the role that it has, and the maximum.
	Present, Most int
	Claims        string // the id of the agent whose key the applicant shows without being able to sign with it; "": none
}

// Admission returns the answer to the refused registration request.
func (r *Rejection) Admission(role protocol.Role) protocol.Admission {
	t := protocol.TypeLeagueRegisterRequest
	if role == protocol.RoleReferee {
		t = protocol.TypeRefereeRegisterRequest
	}
	out := protocol.Admission{
		Status: protocol.Rejected, Reason: &r.Reason,
		ErrorCode: r.Kind.Code, ErrorName: r.Kind.Name, Code: r.Kind.Numeric(t),
		Suggestion: cmp.Or(r.Advice, r.Kind.Suggestion),
	}
	if role == protocol.RoleReferee {
		out.CurrentReferees, out.MaxReferees = r.Present, r.Most
	} else {
		out.CurrentPlayers, out.MaxPlayers = r.Present, r.Most
	}
	return out
}

// unchanged returns the ruling on an application that changes nothing: the log has the same registration.
func unchanged(a *Agent) Ruling {
	now := a.Registered
	return Ruling{Yes: &now, Same: true}
}

// askFirst returns a ruling with a question to the manager: does agent a, whose id or address an applicant claims,
// still answer at its endpoint?
func askFirst(a *Agent) Ruling {
	now := *a
	return Ruling{Ask: &now}
}

// Refused returns a ruling that refuses an applicant for the formatted reason.
func Refused(kind *protocol.Kind, format string, args ...any) Ruling {
	return Ruling{No: &Rejection{Kind: kind, Reason: fmt.Sprintf(format, args...)}}
}

// refusePretender refuses an applicant that claims the name or network address of agent a. In format, {code} stands for
// the code with which the organiser can admit the applicant in place of a.
func refusePretender(a *Agent, format string, args ...any) Ruling {
	d := Refused(protocol.DuplicateName, format, args...)
	d.No.Of = a.ID
	return d
}

// Admit decides on an application. It first matches returning agents: the registration window, the maximum number
// of agents and the rules for names apply only to new ones.
func Admit(s *State, ap Application, l Limits) Ruling {
	if r := unfitReason(s, ap); r != nil {
		return Ruling{No: r}
	}
	if a := ap.known(s); a != nil {
		return comeBack(s, ap, a)
	}
	return newcomer(s, ap, l)
}

// WithIdentity is the advice to an applicant that sends the public key of a registered agent but cannot prove that it
// has the private key.
const WithIdentity = "Start the agent with its saved identity"

// MaxRenames is the maximum number of times that a third-party agent may change its name by registering.
const MaxRenames = 5

// unfitReason returns why an agent, new or not, cannot take part in this league, or nil.
func unfitReason(s *State, ap Application) *Rejection {
	switch {
	case !versionSupported(ap.Meta.ProtocolVersion):
		return Refused(protocol.VersionMismatch,
			"protocol_version %q is not supported; this league speaks 2.0.0 up to 3", Clip(ap.Meta.ProtocolVersion)).No
	case ap.Meta.PublicKey != "" && ap.Meta.AgreementKey == "":
		no := Refused(protocol.VersionMismatch,
			"the agent is of an older version: it registers a public_key without an agreement_key").No
		no.Advice = "Update the files of a kit with `league new player`, whose help shows how, or start the agent with this version"
		return no
	case ap.Unreachable != "":
		return Refused(protocol.EndpointNotAllowed, "contact_endpoint: %s", ap.Unreachable).No
	case len(ap.Meta.GameTypes) > 0 && !slices.Contains(ap.Meta.GameTypes, s.Created.GameType):
		return Refused(protocol.UnsupportedGame, "this league plays %s; the agent offers %s", s.Created.GameType,
			Clip(strings.Join(ap.Meta.GameTypes, ", "))).No
	}
	return nil
}

// versionSupported accepts 2.x; an absent or unreadable version counts as 2.0.0.
func versionSupported(v string) bool {
	n, err := majorVersion(v)
	return errors.Is(err, strconv.ErrSyntax) || n == 2
}

// OddVersion reports whether a declared protocol version cannot be parsed. Such a version is treated as 2.0.0.
func OddVersion(v string) bool {
	_, err := majorVersion(v)
	return errors.Is(err, strconv.ErrSyntax) && v != "" && v != protocol.Version
}

// majorVersion returns the first number of a version such as 2.1.0.
func majorVersion(v string) (int, error) {
	major, _, _ := strings.Cut(v, ".")
	return strconv.Atoi(major)
}

// registered returns the event that admits an applicant under an id. The generation is the number of tokens issued for
// that id so far.
func (ap Application) registered(s *State, id string, generation int) *Registered {
	return &Registered{
		Role: ap.Role, ID: id, CallsItself: ap.alias(id), Name: ap.Meta.DisplayName,
		Endpoint: ap.Meta.ContactEndpoint, Dialect: ap.dialectOf(s, id),
		Version: ap.Meta.Version, Build: ap.Meta.Build, GameTypes: ap.Meta.GameTypes, Capacity: ap.Meta.MaxConcurrentMatches,
		Place: ap.Place, Key: ap.Meta.PublicKey, AgreementKey: ap.Meta.AgreementKey, Invitation: ap.Invitation,
		Nonce: ap.Meta.Nonce, Generation: generation, By: ap.By,
	}
}

// alias returns the id that a third-party agent uses for itself, if that differs from the id that the league granted.
func (ap Application) alias(granted string) string {
	if ap.Meta.PublicKey != "" || ap.Wanted == granted || len(ap.Wanted) > MaxWord {
		return ""
	}
	return ap.Wanted
}

// ids lists the ids that an applicant would like, best first: the id in its request, or else ids derived from its name
// and port. Some agents use such an id whatever id the league grants.
func (ap Application) ids() []string {
	ids := []string{ap.Wanted}
	ids = append(ids, strings.FieldsFunc(ap.Meta.DisplayName, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})...)
	return append(ids, protocol.HomeID(ap.Role, ap.Meta.ContactEndpoint))
}

// dialectOf returns the encoding of messages (see package dialect) to use for an applicant. The first of these that is
// known counts: the league's configuration, the applicant's introduction, earlier calls to its endpoint, the encoding
// of its request.
func (ap Application) dialectOf(s *State, id string) string {
	switch known := s.Agents[id]; {
	case ap.Configured != nil && ap.Configured(ap.Role, id) != "":
		return ap.Configured(ap.Role, id)
	case ap.Meta.Dialect != "":
		return ap.Meta.Dialect
	case ap.Meta.PublicKey != "":
		return protocol.Canonical
	case known != nil && known.Endpoint == ap.Meta.ContactEndpoint && notation.SpokenIn(known.Dialect) == ap.Spoke:
		return known.Dialect
	}
	return ap.Spoke
}
