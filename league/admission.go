package league

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
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

// pretends refuses an applicant that would be another agent. The organiser may let it.
func pretends(a *Agent, alive bool, format string, args ...any) decision {
	d := refused(protocol.DuplicateName, format, args...)
	d.no.of, d.no.alive = a.ID, alive
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
	for _, a := range s.roster[ap.role] {
		if h := a.Heir; h != nil && h.Key == ap.meta.PublicKey && h.Place == ap.place {
			return a
		}
	}
	if ap.meta.PublicKey != "" {
		return s.keys[keyName(ap.role, ap.meta.PublicKey)]
	}
	for _, a := range s.roster[ap.role] {
		if !a.Native() && a.Invitation == "" && a.Displaced == "" && a.Heir == nil && port(a.Place) == port(ap.place) {
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
	moves := a.Place != ap.place && (a.Native() || port(a.Place) != port(ap.place))
	switch {
	case a.State == protocol.AgentShutdown && !s.Completed():
		return putOut(a)
	case heir:
		return ap.take(s, a, a.Generation)
	case a.Heir != nil && ap.holder == "":
		return pretends(a, false, "the organiser has let somebody else be %s; ask for `league readmit %s` with the code of this answer", a.ID, a.ID)
	case a.Native() && ap.meta.PublicKey != a.Key && (moves || ap.meta.PublicKey != "" || ap.holder == "") && ap.invitation == "":
		return pretends(a, ap.stillThere(a), "%s is known by another key than this one; start it with the identity that it kept, or ask the organiser for `league readmit %s` with the code of this answer", a.ID, a.ID)
	case a.Native() && ap.meta.PublicKey == "" && ap.invitation != "":
		return pretends(a, ap.stillThere(a), "%s is known by a key and comes without it; start it with the identity that it kept, or ask the organiser for `league readmit %s` with the code of this answer", a.ID, a.ID)
	case moves && a.Displaced == "" && !ap.asked(a):
		return decision{ask: a}
	case moves && ap.stillThere(a):
		return pretends(a, true, "%s runs at %s; stop it there first", a.ID, a.Endpoint)
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
	if other := s.named(ap.role, now.Name); other != nil && other != a || s.reserved(ap, now.Name) {
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
	if other := s.named(ap.role, now.Name); other != nil && other != a || s.reserved(ap, now.Name) || ap.invitation != "" {
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

// newcomer decides on an applicant that is no agent of the league yet.
func newcomer(s *State, ap application, l limits) decision {
	now := ap.registered(s, s.freeID(ap.role, ap.ids()...), 1)
	namesake := s.named(ap.role, now.Name)
	switch d := ap.refuse(s, l, namesake); {
	case d.no != nil && ap.mayBeOrganisers():
		return decision{offer: now} // whoever has the secret is let in
	case d.no != nil:
		return d
	}
	if ap.invitation != "" {
		now.Name, namesake = ap.invitation, nil
	}
	if namesake != nil {
		switch {
		case !ap.asked(namesake):
			return decision{ask: namesake}
		case ap.stillThere(namesake):
			return pretends(namesake, true, "the name %q belongs to %s, which runs at %s; choose another name", namesake.Name, namesake.ID, namesake.Endpoint)
		}
		now.Name = s.freeName(ap.role, now.Name)
	}
	if !now.Native() {
		for _, other := range s.inPlace(*now) {
			if d := ap.inTheWay(other, l); d.no != nil || d.ask != nil {
				return d
			}
		}
	}
	return ap.settled(now)
}

// mayBeOrganisers reports whether a referee may turn out to be the organiser's, when it is welcomed.
func (ap application) mayBeOrganisers() bool {
	return ap.role == protocol.RoleReferee && ap.meta.PublicKey != "" && ap.welcomed == nil
}

// inTheWay returns why a foreign newcomer cannot be where another agent is. Who
// shows a signature there has the place; who never answered a call holds none.
func (ap application) inTheWay(other *Agent, l limits) decision {
	switch {
	case !other.Native() && !l.answered(other.ID):
		return decision{}
	case other.Native() && !ap.asked(other):
		return decision{ask: other}
	case other.Native() && !ap.stillThere(other):
		return decision{}
	}
	return pretends(other, true, "%s is the place of %s; one endpoint is one agent", ap.meta.ContactEndpoint, other.ID)
}

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

// refuse returns why a newcomer cannot join, or nothing.
func (ap application) refuse(s *State, l limits, namesake *Agent) decision {
	count, most := len(s.names[ap.role]), l.maxReferees
	if ap.role == protocol.RolePlayer {
		most = l.maxPlayers
	}
	organisers := ap.welcomed != nil && ap.welcomed.organiser
	late := s.Started() || l.closed
	switch {
	case s.Completed():
		return refused(protocol.RegistrationClosed, "the league is over")
	case organisers:
	case late && namesake != nil && (ap.role == protocol.RolePlayer || s.Started()):
		return pretends(namesake, ap.stillThere(namesake), "%s is %q already; if this is that agent, ask the organiser for `league readmit %s` with the code of this answer", namesake.ID, namesake.Name, namesake.ID)
	case ap.role == protocol.RolePlayer && late:
		return refused(protocol.RegistrationClosed, "registration is closed: the schedule is made")
	case s.reserved(ap, ap.meta.DisplayName):
		return refused(protocol.DuplicateName, "the name %q is kept for an invited agent; use the address with its join key, or choose another name", ap.meta.DisplayName)
	case l.invitedOnly && ap.invitation == "" && ap.by == "":
		return refused(protocol.RegistrationClosed, "this league is for invited agents; ask the organiser for a join key")
	case ap.role == protocol.RoleReferee && ap.by == "":
		if no := ap.uninvited(s, l); no != "" {
			return refused(protocol.RegistrationClosed, "%s", no)
		}
	}
	if count >= most && !organisers {
		return refused(protocol.LeagueFull, "the league is full: it has %d %ss", count, ap.role)
	}
	return decision{}
}

// uninvited says why a referee that is not the organiser's may not judge here, or nothing.
func (ap application) uninvited(s *State, l limits) string {
	switch {
	case !s.Created.GuestsMayJudge:
		return "matches of " + s.Created.GameType + " are judged by the organiser's referees only: start it with the organiser's --root, or give it the root's referee secret"
	case l.guests == GuestsNever:
		return "only the organiser's referees judge here: start it with the organiser's --root, or give it the root's referee secret"
	case l.guests == GuestsInvited && ap.invitation == "":
		return "guest referees need an invitation: ask the organiser for a join key"
	case s.Started() && ap.invitation == "":
		return "guest referees join before the league starts"
	}
	return ""
}

// reserved reports whether a name is kept for an invited agent that the applicant is not.
func (s *State) reserved(ap application, name string) bool {
	i := s.invited[ap.role][name]
	return i != nil && i.Name != ap.invitation
}

// freeName returns a name with a number behind it that nobody has.
func (s *State) freeName(role protocol.Role, name string) string {
	for n := 2; ; n++ {
		tail := fmt.Sprintf(" (%d)", n)
		letters := []rune(name)
		next := strings.TrimSpace(string(letters[:min(len(letters), maxName-len(tail))])) + tail
		if s.named(role, next) == nil && s.invited[role][next] == nil {
			return next
		}
	}
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

// freeID grants the first id that is wanted, well-formed and free, or else the lowest that is free.
func (s *State) freeID(role protocol.Role, wanted ...string) string {
	for _, id := range wanted {
		if protocol.ValidID(role, id) && s.Agents[id] == nil {
			return id
		}
	}
	return protocol.AgentID(role, s.free[role])
}

const (
	maxName  = 64  // characters
	maxWord  = 64  // bytes of a version, a game type or a dialect
	maxURL   = 512 // bytes
	maxGames = 32
)

// checkMeta refuses an introduction that cannot be acted on, and brings what
// can be into bounds.
func checkMeta(role protocol.Role, meta *protocol.AgentMeta) error {
	where := string(role) + "_meta."
	bad := func(kind *protocol.Kind, field, want string) error {
		return protocol.Errorf(kind, "%s: want %s", where+field, want).With("field", where+field)
	}
	meta.DisplayName = cleanName(meta.DisplayName)
	switch {
	case meta.DisplayName == "":
		return bad(protocol.MissingField, "display_name", "a name")
	case !callable(meta.ContactEndpoint):
		return bad(protocol.InvalidMessage, "contact_endpoint", "a URL such as http://localhost:8101/mcp")
	case len(meta.Nonce) > 64 || strings.ContainsFunc(meta.Nonce, func(r rune) bool { return r < ' ' || r > '~' }):
		return bad(protocol.InvalidMessage, "nonce", "at most 64 printable ASCII characters")
	case meta.MaxConcurrentMatches < 0 || meta.MaxConcurrentMatches > 10_000:
		return bad(protocol.InvalidMessage, "max_concurrent_matches", "1 to 10000")
	case len(meta.Dialect) > maxDialect:
		return bad(protocol.InvalidMessage, "dialect", "the name of a dialect")
	}
	if _, err := protocol.ParseDialect(meta.Dialect); err != nil {
		return bad(protocol.InvalidMessage, "dialect", err.Error())
	}
	if role == protocol.RoleReferee {
		meta.MaxConcurrentMatches = max(meta.MaxConcurrentMatches, 1)
	}
	meta.Version = clip(protocol.Plain(meta.Version))
	var games []string
	for _, g := range meta.GameTypes[:min(len(meta.GameTypes), maxGames)] {
		games = append(games, clip(protocol.Plain(g)))
	}
	meta.GameTypes = games
	return nil
}

// callable reports whether an agent could be at that endpoint. It is shown in
// logs and on terminals, so that other letters than ASCII's have to be encoded.
func callable(endpoint string) bool {
	u, err := url.Parse(endpoint)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && len(endpoint) <= maxURL &&
		u.RawQuery == "" && u.Fragment == "" && !strings.HasSuffix(endpoint, "?") && !strings.HasSuffix(endpoint, "#") &&
		!strings.ContainsFunc(endpoint, func(r rune) bool { return r <= ' ' || r > '~' })
}

// cleanName drops what does not print, or turns the direction of writing, and
// cuts what is left to a line's length.
func cleanName(name string) string {
	out := []rune{}
	for _, r := range strings.ToValidUTF8(name, "") {
		if unicode.IsPrint(r) {
			out = append(out, r)
		}
		if len(out) == maxName {
			break
		}
	}
	return strings.TrimSpace(string(out))
}

// clip cuts a text that somebody else wrote to a length that can be shown and kept.
func clip(s string) string { return clipTo(s, maxWord) }

func clipTo(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
