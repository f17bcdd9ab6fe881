package league

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"agentleague/protocol"
)

// An application is a request for a place in the league, with all that
// deciding on it takes.
type application struct {
	role        protocol.Role
	meta        protocol.AgentMeta
	place       string // where its endpoint is
	wanted      string // the id it calls itself by
	holder      string // the native agent whose token it shows
	invitation  string // the name that it was invited by, if it shows a join key
	spoke       string // the dialect that it applied in
	unreachable string // why its endpoint may not be called, if that shows
	configured  func(role protocol.Role, id string) string
	by          string // who brings it, if it does not come by itself

	answers  map[string]bool // by askedAs: whether an agent still answers where it was
	welcomed *welcomed       // the place that the applicant has taken; nil: it was not asked yet
}

// welcomed is a place that was offered to an applicant at its endpoint, and its signature under it.
type welcomed struct {
	id         string
	generation int
	proof      Welcomed
	organiser  bool
}

// A decision on an application is one of four: a registration, a refusal, or
// what has to be found out first, whether an agent still answers where it was,
// or whether the applicant takes the place that it would get.
type decision struct {
	yes   *Registered
	no    *rejection
	ask   *Agent
	offer *Registered
	same  bool // nothing changes: yes is what is known already
}

// limits is what a league takes.
type limits struct {
	maxPlayers, maxReferees int
	closed                  bool
	invitedOnly             bool
	guests                  string               // when a referee may join that is not the organiser's
	answered                func(id string) bool // whether an agent has ever answered a call
}

// When a referee may join that is not the organiser's.
const (
	GuestsBeforeStart = "before_start"
	GuestsInvited     = "invited"
	GuestsNever       = "never"
)

// A rejection is a refusal by policy: an answer, not an error.
type rejection struct {
	kind   *protocol.Kind
	reason string
	of     string // the agent that the applicant would be, if the organiser lets it
	alive  bool   // and that one still answers where it was
}

func refused(kind *protocol.Kind, format string, args ...any) decision {
	return decision{no: &rejection{kind: kind, reason: fmt.Sprintf(format, args...)}}
}

// pretends refuses an applicant that would be another agent. The organiser may
// let it: {code} in the reason is what with.
func pretends(a *Agent, format string, args ...any) decision {
	d := refused(protocol.DuplicateName, format, args...)
	d.no.of = a.ID
	return d
}

// admit decides on an application. Who comes back is looked at before the
// window, the size and the name: these are for newcomers.
func admit(s *State, ap application, l limits) decision {
	if r := unfit(s, ap); r != nil {
		return decision{no: r}
	}
	if a := ap.known(s); a != nil {
		return comeBack(s, ap, a)
	}
	return newcomer(s, ap, l)
}

// known returns the agent that an applicant shows to be, or nil.
func (ap application) known(s *State) *Agent {
	if a := s.Agents[ap.holder]; a != nil && a.Role == ap.role {
		return a
	}
	if i := s.invited[ap.role][ap.invitation]; i != nil {
		return s.Agents[i.Agent]
	}
	if a := s.heirs[(Readmitted{Key: ap.meta.PublicKey, Place: ap.place}).name(ap.role)]; a != nil {
		return a
	}
	if ap.meta.PublicKey != "" {
		return s.keys[keyName(ap.role, ap.meta.PublicKey)]
	}
	for _, a := range s.strange[Port(ap.place)] {
		if a.Role == ap.role && a.Invitation == "" && a.Displaced == "" && a.Heir == nil {
			return a
		}
	}
	return nil
}

// comeBack decides on an applicant that is an agent of the league, or says so.
func comeBack(s *State, ap application, a *Agent) decision {
	if s.Completed() && (a.Place == ap.place || ap.holder == a.ID) {
		return decision{yes: &a.Registered, same: true} // the log is closed
	}
	heir := a.Heir != nil && a.Heir.Key == ap.meta.PublicKey && a.Heir.Place == ap.place
	moves := a.Place != ap.place && (a.Native() || Port(a.Place) != Port(ap.place))
	switch {
	case a.State == protocol.AgentShutdown && !s.Completed():
		return putOut(a)
	case heir:
		return ap.take(s, a, a.Generation)
	case a.Heir != nil && ap.holder == "":
		return pretends(a, "the organiser has let somebody else be %s; ask the organiser for `league readmit %s {code}`", a.ID, a.ID)
	case a.Native() && ap.meta.PublicKey != a.Key && (moves || ap.meta.PublicKey != "" || ap.holder == "") && ap.invitation == "":
		return pretends(a, "%s is known by another key than this one; start it with the identity that it kept, or ask the organiser for `league readmit %s {code}`", a.ID, a.ID)
	case a.Native() && ap.meta.PublicKey == "" && ap.invitation != "":
		return pretends(a, "%s is known by a key and comes without it; start it with the identity that it kept, or ask the organiser for `league readmit %s {code}`", a.ID, a.ID)
	case moves && a.Displaced == "" && !ap.asked(a):
		return decision{ask: a}
	case moves && ap.stillThere(a):
		return pretends(a, "%s runs at %s; stop it there first, or ask the organiser for `league readmit %s {code}`",
			a.ID, a.Endpoint, a.ID)
	case a.Native() && ap.meta.PublicKey == "": // with its token, where it was: there is nothing to change
		return decision{yes: &a.Registered, same: true}
	case !a.Native() && ap.invitation == "" && ap.meta.PublicKey == "":
		return ap.again(s, a)
	}
	generation := a.Generation
	if a.Key != ap.meta.PublicKey && a.Native() {
		generation = a.Issued + 1
	}
	return ap.take(s, a, generation)
}

// again lets a foreign agent be what it is. Before the start it may change its
// name and how it speaks; after it nobody can do so for it.
func (ap application) again(s *State, a *Agent) decision {
	now := ap.registered(s, a.ID, a.Generation)
	now.Endpoint, now.Place, now.Invitation, now.By = a.Endpoint, a.Place, a.Invitation, a.By
	if other := s.Named(ap.role, now.Name); other != nil && other != a || ap.reserved(s, now.Name) {
		now.Name = a.Name
	}
	now.Nonce = a.Nonce
	if s.Started() || reflect.DeepEqual(*now, a.Registered) {
		return decision{yes: &a.Registered, same: true}
	}
	return decision{yes: now}
}

// take gives an agent its place, where it is now: a native one has to take it with its signature.
func (ap application) take(s *State, a *Agent, generation int) decision {
	now := ap.registered(s, a.ID, generation)
	if other := s.Named(ap.role, now.Name); other != nil && other != a || ap.reserved(s, now.Name) || ap.invitation != "" {
		now.Name = a.Name
	}
	now.Invitation, now.Nonce = cmp.Or(ap.invitation, a.Invitation), a.Nonce
	if now.Native() && ap.holder == a.ID && a.Place == now.Place && a.Key == now.Key {
		now.Endpoint, now.Welcome, now.Organiser = a.Endpoint, a.Welcome, a.Organiser // as it was signed
		return decision{yes: now}
	}
	return ap.settled(now)
}

// settled is the registration once the applicant has taken its place; before that it is offered.
func (ap application) settled(now *Registered) decision {
	if !now.Native() {
		return decision{yes: now}
	}
	w := ap.welcomed
	if w == nil || w.id != now.ID || w.generation != now.Generation {
		return decision{offer: now}
	}
	now.Welcome, now.Organiser = &w.proof, w.organiser
	return decision{yes: now}
}

// putOut tells an agent that is out what to do.
func putOut(a *Agent) decision {
	d := refused(protocol.RegistrationClosed, "%s is out of the league (%s); ask the organiser for `league readmit %s`, then start it again", a.ID, cmp.Or(a.Why, "withdrawn"), a.ID)
	d.no.of = a.ID
	return d
}

// askedAs is under what the answer is kept to whether an agent is still where it was.
func askedAs(a *Agent) string { return a.ID + " " + a.Endpoint }

func (ap application) asked(a *Agent) bool {
	_, asked := ap.answers[askedAs(a)]
	return asked
}

func (ap application) stillThere(a *Agent) bool { return ap.answers[askedAs(a)] }

// unfit returns why an agent, new or not, cannot take part in this league, or nil.
func unfit(s *State, ap application) *rejection {
	switch {
	case !versionSupported(ap.meta.ProtocolVersion):
		return refused(protocol.VersionMismatch, "protocol_version %q is not supported; this league speaks 2.0.0 up to 3", clip(ap.meta.ProtocolVersion)).no
	case ap.unreachable != "":
		return refused(protocol.EndpointNotAllowed, "contact_endpoint: %s", ap.unreachable).no
	case len(ap.meta.GameTypes) > 0 && !slices.Contains(ap.meta.GameTypes, s.Created.GameType):
		return refused(protocol.UnsupportedGame, "this league plays %s; the agent offers %s", s.Created.GameType, clip(strings.Join(ap.meta.GameTypes, ", "))).no
	}
	return nil
}

// versionSupported accepts 2.x; what is absent or unreadable is taken for 2.0.0.
func versionSupported(v string) bool {
	n, err := majorVersion(v)
	return errors.Is(err, strconv.ErrSyntax) || n == 2
}

// oddVersion reports whether a declared version cannot be read.
func oddVersion(v string) bool {
	_, err := majorVersion(v)
	return errors.Is(err, strconv.ErrSyntax) && v != "" && v != protocol.Version
}

func majorVersion(v string) (int, error) {
	major, _, _ := strings.Cut(v, ".")
	return strconv.Atoi(major)
}

func (ap application) registered(s *State, id string, generation int) *Registered {
	return &Registered{
		Role: ap.role, ID: id, CallsItself: ap.alias(id), Name: ap.meta.DisplayName, Endpoint: ap.meta.ContactEndpoint, Dialect: ap.dialectOf(s, id),
		Version: ap.meta.Version, GameTypes: ap.meta.GameTypes, Capacity: ap.meta.MaxConcurrentMatches,
		Place: ap.place, Key: ap.meta.PublicKey, Invitation: ap.invitation, Nonce: ap.meta.Nonce, Generation: generation, By: ap.by,
	}
}

// alias returns the id that a stranger goes on calling itself by, if that is not the granted one.
func (ap application) alias(granted string) string {
	if ap.meta.PublicKey != "" || ap.wanted == granted || len(ap.wanted) > maxWord {
		return ""
	}
	return ap.wanted
}

// ids lists the ids that an applicant may go by: what it calls itself, or else
// what its name or its port say. Some keep that, whatever they are granted.
func (ap application) ids() []string {
	ids := []string{ap.wanted}
	ids = append(ids, strings.FieldsFunc(ap.meta.DisplayName, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })...)
	return append(ids, protocol.HomeID(ap.role, ap.meta.ContactEndpoint))
}
