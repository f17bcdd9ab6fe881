package league

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"agentleague/protocol"
)

// An application is a request for a place in the league, with all that
// deciding on it takes.
type application struct {
	role         protocol.Role
	meta         protocol.AgentMeta
	conversation string
	wanted       string // the id it calls itself by
	holder       string // whose token it shows, if a valid one
	generation   int    // of that token
	asked        string // the endpoint of the agent of that name, which has been asked
	alive        bool   // and answered
	spoke        string // the dialect that it applied in
	unreachable  string // why its endpoint may not be called, if that shows
	configured   func(role protocol.Role, id string) string
	by           string // who brings it, if it does not come by itself
}

// limits is how many agents a league takes.
type limits struct {
	maxPlayers, maxReferees int
	closed                  bool
}

// A rejection is a refusal by policy: an answer, not an error.
type rejection struct {
	kind   *protocol.Kind
	reason string
}

// admit decides on an application. Coming back is looked at before the window,
// the size and the name: these are for newcomers.
func admit(s *State, ap application, l limits) (*Registered, *rejection) {
	if r := unfit(s, ap); r != nil {
		return nil, r
	}
	known := s.named(ap.role, ap.meta.DisplayName)
	if holder := s.Agents[ap.holder]; holder != nil && holder.Role == ap.role {
		if known != nil && known != holder {
			ap.meta.DisplayName = holder.Name // the new name is another's
		}
		return ap.registered(s, holder.ID, ap.generation), nil
	}
	if known != nil {
		if ap.replaces(known) {
			return ap.registered(s, known.ID, ap.generationFor(known)), nil
		}
		return nil, &rejection{protocol.DuplicateName, fmt.Sprintf("the name %q belongs to %s, which still answers at its own endpoint; choose another name", known.Name, known.ID)}
	}
	if r := refuse(s, ap, l); r != nil {
		return nil, r
	}
	return ap.registered(s, s.freeID(ap.role, ap.ids()...), 1), nil
}

// unfit returns why an agent, new or not, cannot take part in this league, or nil.
func unfit(s *State, ap application) *rejection {
	switch {
	case !versionSupported(ap.meta.ProtocolVersion):
		return &rejection{protocol.VersionMismatch, fmt.Sprintf("protocol_version %q is not supported; this league speaks 2.0.0 up to 3", clip(ap.meta.ProtocolVersion))}
	case ap.unreachable != "":
		return &rejection{protocol.EndpointNotAllowed, "contact_endpoint: " + ap.unreachable}
	case len(ap.meta.GameTypes) > 0 && !slices.Contains(ap.meta.GameTypes, s.Created.GameType):
		return &rejection{protocol.UnsupportedGame, fmt.Sprintf("this league plays %s; the agent offers %s", s.Created.GameType, clip(strings.Join(ap.meta.GameTypes, ", ")))}
	}
	return nil
}

// replaces reports whether the applicant can be the agent of its name: it is
// where that one was, or that one is gone.
func (ap application) replaces(known *Agent) bool {
	return ap.meta.ContactEndpoint == known.Endpoint || ap.asked == known.Endpoint && !ap.alive
}

// mustAsk returns the endpoint that has to be asked before the application can
// be decided on: that of an agent of the same name somewhere else.
func (ap application) mustAsk(s *State) (endpoint string, ok bool) {
	known := s.named(ap.role, ap.meta.DisplayName)
	if ap.holder != "" || known == nil || known.Endpoint == ap.meta.ContactEndpoint || known.Endpoint == ap.asked {
		return "", false
	}
	return known.Endpoint, true
}

// generationFor returns which token an agent gets that comes back without one:
// a further one, unless this is the request it was answered with last time.
func (ap application) generationFor(known *Agent) int {
	if ap.conversation == known.Conversation {
		return known.Generation
	}
	return known.Issued + 1
}

// refuse returns why a newcomer cannot join, or nil.
func refuse(s *State, ap application, l limits) *rejection {
	count, most := len(s.names[ap.role]), l.maxReferees
	if ap.role == protocol.RolePlayer {
		most = l.maxPlayers
	}
	switch {
	case s.Completed():
		return &rejection{protocol.RegistrationClosed, "the league is over"}
	case ap.role == protocol.RolePlayer && (s.Started() || l.closed):
		return &rejection{protocol.RegistrationClosed, "registration is closed: the schedule is made"}
	case count >= most:
		return &rejection{protocol.LeagueFull, fmt.Sprintf("the league is full: it has %d %ss", count, ap.role)}
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
		MatchTokens: ap.meta.MatchTokens, Nonce: ap.meta.Nonce, Generation: generation, Conversation: ap.conversation, By: ap.by,
	}
}

// alias returns the id that a stranger goes on calling itself by, if that is not the granted one.
func (ap application) alias(granted string) string {
	if ap.meta.MatchTokens || ap.wanted == granted || len(ap.wanted) > maxWord {
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
func clip(s string) string {
	if len(s) <= maxWord {
		return s
	}
	return strings.ToValidUTF8(s[:maxWord], "") + "…"
}
