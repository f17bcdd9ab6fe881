package league

import (
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
	role       protocol.Role
	meta       protocol.AgentMeta
	wanted     string // the id it calls itself by
	holder     string // whose token it shows, if a valid one
	generation int    // of that token
	oldAlive   bool   // the agent of that name still answers where it was

	conversation string
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

// admit decides on an application. Coming back is looked at before everything
// else: the window, the size and the name are for newcomers.
func admit(s *State, ap application, l limits) (*Registered, *rejection) {
	if known := s.Agents[ap.holder]; known != nil && known.Role == ap.role {
		return ap.registered(known.ID, ap.generation), nil
	}
	if known := s.named(ap.role, ap.meta.DisplayName); known != nil {
		if known.Endpoint == ap.meta.ContactEndpoint || !ap.oldAlive {
			return ap.registered(known.ID, ap.generationFor(known)), nil
		}
		return nil, &rejection{protocol.DuplicateName, fmt.Sprintf("the name %q belongs to %s, which still answers at its own endpoint; choose another name", known.Name, known.ID)}
	}
	if r := refuse(s, ap, l); r != nil {
		return nil, r
	}
	return ap.registered(s.freeID(ap.role, ap.wanted), 1), nil
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
	count := len(s.names[ap.role])
	switch {
	case !versionSupported(ap.meta.ProtocolVersion):
		return &rejection{protocol.VersionMismatch, fmt.Sprintf("protocol_version %q is not supported; this league speaks 2.0.0 up to 3", ap.meta.ProtocolVersion)}
	case len(ap.meta.GameTypes) > 0 && !slices.Contains(ap.meta.GameTypes, s.Created.GameType):
		return &rejection{protocol.UnsupportedGame, fmt.Sprintf("this league plays %s; the agent offers %s", s.Created.GameType, strings.Join(ap.meta.GameTypes, ", "))}
	case ap.role == protocol.RolePlayer && (s.Started() || l.closed):
		return &rejection{protocol.RegistrationClosed, "registration is closed: the schedule is made"}
	case s.Completed():
		return &rejection{protocol.RegistrationClosed, "the league is over"}
	case ap.role == protocol.RolePlayer && count >= l.maxPlayers:
		return &rejection{protocol.LeagueFull, fmt.Sprintf("the league is full: %d players", count)}
	case ap.role == protocol.RoleReferee && count >= l.maxReferees:
		return &rejection{protocol.LeagueFull, fmt.Sprintf("the league is full: %d referees", count)}
	}
	return nil
}

// versionSupported accepts 2.x; what is absent or unreadable is taken for 2.0.0.
func versionSupported(v string) bool {
	major, _, _ := strings.Cut(v, ".")
	n, err := strconv.Atoi(major)
	return err != nil || n == 2
}

func (ap application) registered(id string, generation int) *Registered {
	return &Registered{
		Role: ap.role, ID: id, Name: ap.meta.DisplayName, Endpoint: ap.meta.ContactEndpoint, Dialect: ap.meta.Dialect,
		Version: ap.meta.Version, GameTypes: ap.meta.GameTypes, Capacity: ap.meta.MaxConcurrentMatches,
		MatchTokens: ap.meta.MatchTokens, Nonce: ap.meta.Nonce, Generation: generation, Conversation: ap.conversation,
	}
}

// named returns the agent of a role with that name.
func (s *State) named(role protocol.Role, name string) *Agent { return s.names[role][name] }

// freeID grants the wanted id if it is well-formed and free, or else the lowest that is free.
func (s *State) freeID(role protocol.Role, wanted string) string {
	if protocol.ValidID(role, wanted) && s.Agents[wanted] == nil {
		return wanted
	}
	for n := 1; ; n++ {
		if id := protocol.AgentID(role, n); s.Agents[id] == nil {
			return id
		}
	}
}

const maxName = 64

// checkMeta refuses an introduction that cannot be acted on, and brings what
// can be into bounds.
func checkMeta(role protocol.Role, meta *protocol.AgentMeta) error {
	where := string(role) + "_meta."
	meta.DisplayName = cleanName(meta.DisplayName)
	if meta.DisplayName == "" {
		return protocol.Errorf(protocol.MissingField, "%sdisplay_name: want a name", where).With("field", where+"display_name")
	}
	u, err := url.Parse(meta.ContactEndpoint)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || len(meta.ContactEndpoint) > 512 {
		return protocol.Errorf(protocol.InvalidMessage, "%scontact_endpoint: want a URL such as http://localhost:8101/mcp", where).With("field", where+"contact_endpoint")
	}
	if len(meta.Nonce) > 64 || strings.ContainsFunc(meta.Nonce, func(r rune) bool { return r < ' ' || r > '~' }) {
		return protocol.Errorf(protocol.InvalidMessage, "%snonce: want at most 64 printable ASCII characters", where).With("field", where+"nonce")
	}
	if meta.MaxConcurrentMatches < 0 || meta.MaxConcurrentMatches > 10_000 {
		return protocol.Errorf(protocol.InvalidMessage, "%smax_concurrent_matches: want 1 to 10000", where).With("field", where+"max_concurrent_matches")
	}
	if role == protocol.RoleReferee {
		meta.MaxConcurrentMatches = max(meta.MaxConcurrentMatches, 1)
	}
	if len(meta.GameTypes) > 32 {
		meta.GameTypes = meta.GameTypes[:32]
	}
	return nil
}

// cleanName drops what does not print, or writes backwards, and cuts what is left to a line's length.
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
