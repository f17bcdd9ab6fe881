package league

import (
	"strings"

	"agentleague/dialect/notation"
	"agentleague/league/location"
	"agentleague/league/naming"
	"agentleague/protocol"
)

// Limits of the text in a third-party agent's introduction.
const (
	MaxWord  = 64 // bytes of a version, a game type or a dialect
	maxGames = 32
)

// CheckMeta returns an error for an unusable introduction. It truncates or sanitizes too long or undisplayable
// text in place.
func CheckMeta(role protocol.Role, meta *protocol.AgentMeta) error {
	where := string(role) + "_meta."
	bad := func(kind *protocol.Kind, field, want string) error {
		return protocol.Errorf(kind, "%s: want %s", where+field, want).With("field", where+field)
	}
	meta.DisplayName = naming.Clean(meta.DisplayName)
	switch {
	case naming.Blank(meta.DisplayName):
		return bad(protocol.MissingField, "display_name", "a name")
	case !location.Callable(meta.ContactEndpoint) && !location.NamesUser(meta.ContactEndpoint): // [rpc.Guard] refuses a user name
		return bad(protocol.InvalidMessage, "contact_endpoint", "a URL such as http://localhost:8101/mcp")
	case len(meta.Nonce) > 64 || strings.ContainsFunc(meta.Nonce, func(r rune) bool { return r < ' ' || r > '~' }):
		return bad(protocol.InvalidMessage, "nonce", "at most 64 printable ASCII characters")
	case meta.PublicKey != "" && meta.AgreementKey != "" && protocol.CheckAgreementKey(meta.AgreementKey) != nil:
		return bad(protocol.InvalidMessage, "agreement_key", "64 lower-case hexadecimal digits")
	case meta.MaxConcurrentMatches < 0 || meta.MaxConcurrentMatches > 10_000:
		return bad(protocol.InvalidMessage, "max_concurrent_matches", "1 to 10000")
	case len(meta.Dialect) > maxDialect:
		return bad(protocol.InvalidMessage, "dialect", "the name of a dialect")
	}
	if _, err := notation.Parse(meta.Dialect); err != nil {
		return bad(protocol.InvalidMessage, "dialect", err.Error())
	}
	if meta.PublicKey == "" {
		meta.AgreementKey = ""
	}
	if role == protocol.RoleReferee {
		meta.MaxConcurrentMatches = max(meta.MaxConcurrentMatches, 1)
	}
	meta.Version, meta.Build = Clip(protocol.Plain(meta.Version)), Clip(protocol.Plain(meta.Build))
	var games []string
	for _, g := range meta.GameTypes[:min(len(meta.GameTypes), maxGames)] {
		games = append(games, Clip(protocol.Plain(g)))
	}
	meta.GameTypes = games
	return nil
}

// origin returns the scheme, host and port of a URL.
func origin(address string) string {
	scheme, rest, _ := strings.Cut(address, "://")
	host, _, _ := strings.Cut(rest, "/")
	return scheme + "://" + host
}

// Clip truncates untrusted text to 64 bytes for logs and messages.
func Clip(s string) string { return ClipTo(s, MaxWord) }

// ClipTo is Clip with another length, in bytes.
func ClipTo(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// maxDialect is the maximum length of a dialect in bytes.
const maxDialect = 4096
