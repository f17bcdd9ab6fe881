package dialect

import (
	"net/url"
	"slices"
	"strings"

	"agentleague/dialect/notation"
	"agentleague/protocol"
)

// A Search iterates over the encodings of a message, the likeliest first, and reorders the rest after every refusal. It
// belongs to one call and is not safe for concurrent use. The caller stores the encoding that was understood in a
// [notation.Dialect].
type Search struct {
	typ      protocol.Type
	known    notation.Dialect // the dialect before the search
	endpoint string
	todo     []notation.Form
	paths    []string // other paths at which the peer may listen; none once it has answered at one
	tried    []notation.Form
	left     int     // how many may still be offered
	first    error   // the first refusal, the most informative
	arranged bool    // other arrangements of the members have been put in front
	nothing  *string // the answer at the registered path if that does not exist; nil: it exists

	// refuses counts the names that the peer has refused, by framing and path. A refusal counts twice if the peer
	// blamed the name.
	refuses map[notation.Form]int

	missed map[string]bool // the members that it has missed, of those that may hold a message
}

// NewSearch returns a search for the encoding in which a peer with dialect d understands messages of type t. failed
// lists the encodings that failed in earlier searches; they are skipped and count towards MaxCandidates. If no encoding
// or no try is left, only failed[0] is offered again. The encodings of a registration include one with the path /MCP.
func NewSearch(d notation.Dialect, endpoint string, t protocol.Type, failed []notation.Form) *Search {
	todo := slices.DeleteFunc(Candidates(d, t), func(f notation.Form) bool { return slices.Contains(failed, f) })
	left := MaxCandidates - len(failed)
	if len(failed) > 0 && (len(todo) == 0 || left <= 0) {
		todo, left = slices.Clone(failed[:1]), 1
	}
	if at := len(todo); t.Registers() && strings.HasSuffix(endpoint, "/mcp") && at > 0 { // a person has written it
		capital := todo[0]
		capital.Path = "/MCP"
		todo = slices.Insert(todo, min(at, max(left-2, 0)), capital)
	}
	return &Search{typ: t, known: d, endpoint: endpoint, todo: todo, paths: alternativePaths(endpoint), left: left,
		refuses: map[notation.Form]int{}, missed: map[string]bool{}}
}

// Next returns the next encoding to offer.
func (s *Search) Next() (form notation.Form, ok bool) {
	if len(s.todo) == 0 || len(s.tried) >= s.left {
		return notation.Form{}, false
	}
	form, s.todo = s.todo[0], s.todo[1:]
	s.tried = append(s.tried, form)
	return form, true
}

// More reports whether encodings are left that have not been offered.
func (s *Search) More() bool { return len(s.todo) > 0 }

// Offered is how many encodings were offered.
func (s *Search) Offered() int { return len(s.tried) }

// First returns the first refusal, which is the most informative, or nil.
func (s *Search) First() error { return s.first }

// Probes reports whether the caller should send a [Probe], and counts it as an offered encoding. A probe is useless if
// the peer is known to refuse names in that framing, or if no other encoding is left.
func (s *Search) Probes(form notation.Form) bool {
	if s.refuses[form.Place()] > 1 || len(s.todo) == 0 || s.left-len(s.tried) < 2 {
		return false
	}
	s.left--
	return true
}

// Refused reorders the remaining encodings after the peer has refused encoding with r.
func (s *Search) Refused(form notation.Form, r *protocol.Refusal) {
	if s.first == nil {
		s.first = r
	}
	blame := BlameOf(r)
	if r.Code <= -32000 && !slices.Contains([]string{"bare", "data", "mcp"}, form.Frame) { // it speaks JSON-RPC
		s.hasten("call", "type", "tool", "message", "protocol", "query")
	}
	s.count(form, blame)
	if blame == BlamePlace {
		s.unplaced(form, r)
		s.elsewhere(form)
	} else {
		s.paths = nil
	}
	switch blame {
	case BlameForm:
		if understandsFrame(r) {
			s.prefer(form.Frame)
		}
		if missesEnvelope(r) && !s.understood(form) {
			s.avoid(envelopeAt(form))
		}
	case BlameMembers:
		s.reshaped(form, r)
	case BlameSession:
		s.prefer("mcp")
	}
	if isMCPServer(r) {
		s.prefer("mcp")
	}
	if form.Frame == "tool" && (r.Code == protocol.InvalidParams || strings.Contains(strings.ToLower(r.Message), "tool")) {
		s.prefer("mcp") // it has tools: a real MCP server lists them
	}
	if form.Path != "" && !form.Apart() && blame != BlamePlace { // the peer listens there
		for i := range s.todo {
			s.todo[i].Path = form.Path
		}
	}
	s.lead(append(hints(form, r, s.typ), s.bodyHints(form, r)...))
}

// Acknowledged is like [Search.Refused] for a peer that acknowledges any name. ack is its answer to the encoding.
func (s *Search) Acknowledged(form notation.Form, ack []byte, r *protocol.Refusal) {
	s.Refused(form, r)
	if isBare(ack) {
		s.hasten("bare")
	}
}

// count records a refused name by framing and path. A peer with two refused names, or one that it called unknown, does
// not acknowledge unknown names.
func (s *Search) count(form notation.Form, blame Blame) {
	same := func(f notation.Form) bool { return f.Place() == form.Place() && f.Name == form.Name }
	switch before := s.tried[:len(s.tried)-1]; {
	case blame == BlameForm:
		s.refuses[form.Place()] += 2
	case !slices.ContainsFunc(before, same):
		s.refuses[form.Place()]++
	}
}

// elsewhere offers encoding next at another path that agents commonly listen on.
func (s *Search) elsewhere(form notation.Form) {
	if len(s.paths) == 0 || form.Apart() {
		return
	}
	form.Path, s.paths = s.paths[0], s.paths[1:]
	s.todo = slices.Insert(s.todo, 0, form)
}

// alternativePaths lists the paths at which an agent may listen besides that of its registered endpoint.
func alternativePaths(endpoint string) []string {
	u, err := url.Parse(endpoint)
	if err != nil || protocol.IsRelayed(endpoint) {
		return nil
	}
	switch trimmed := strings.TrimRight(u.Path, "/"); {
	case trimmed == "/mcp" && u.Path == trimmed:
		return []string{"/"}
	case trimmed == "":
		return []string{"/mcp", "/MCP"}
	case trimmed != u.Path:
		return []string{trimmed}
	}
	return []string{"/mcp"}
}

// reshaped offers other arrangements of the members. They come first if the peer knows the name of the message or its
// complaint suggests them, and last if the peer may be refusing the framing.
func (s *Search) reshaped(form notation.Form, r *protocol.Refusal) {
	others, told := reshaped(form, wholeOf(r))
	if (r.Code == protocol.InvalidParams || r.Name != "") && !s.arranged {
		s.arranged, told = true, len(others)
	}
	s.todo = append(slices.Insert(s.todo, 0, others[:told]...), others[told:]...)
}

// unplaced handles an encoding whose path does not exist. If the peer has registered by REST and answers its registered
// path like a nonexistent one, the search continues with a path for each message.
func (s *Search) unplaced(form notation.Form, r *protocol.Refusal) {
	peer := known{s.known, methodPrefixOf(s.known)}
	if form.Apart() || s.typ.Registers() || !peer.byREST() {
		return
	}
	said := wholeOf(r)
	switch {
	case form.Path == "":
		s.nothing = &said
	case len(s.paths) == 0 && s.nothing != nil && *s.nothing == said:
		s.lead(peer.restForms(baseOf(s.endpoint), s.typ, snake, kebab))
	}
}
