package rpc

import (
	"net/url"
	"slices"
	"strings"

	"agentleague/protocol"
)

// A search goes through the forms of a message in the order in which they are
// likely, and learns from every refusal which are worth offering next.
type search struct {
	typ      protocol.Type
	todo     []protocol.Form
	places   []string // other paths that it may listen on; none once somebody was there
	tried    []protocol.Form
	left     int   // how many may still be offered
	first    error // the first refusal, which says most
	arranged bool  // other arrangements of the members have been put in front

	refuses map[protocol.Form]int // by frame and path: how many names it has refused there; two if it said so
}

func newSearch(endpoint string, typ protocol.Type, candidates []protocol.Form, left int) *search {
	return &search{typ: typ, todo: candidates, places: otherPlaces(endpoint), left: left, refuses: map[protocol.Form]int{}}
}

// asks reports whether a nod in a form is to be asked about: not if the peer is
// known to refuse names in that frame, and not if nothing else can be offered to
// it any more. The question is one of the twelve.
func (s *search) asks(form protocol.Form) bool {
	if s.refuses[spot(form)] > 1 || len(s.todo) == 0 || s.left-len(s.tried) < 2 {
		return false
	}
	s.left--
	return true
}

// next returns the next form to offer.
func (s *search) next() (form protocol.Form, ok bool) {
	if len(s.todo) == 0 || len(s.tried) >= s.left {
		return protocol.Form{}, false
	}
	form, s.todo = s.todo[0], s.todo[1:]
	s.tried = append(s.tried, form)
	return form, true
}

// refused takes a refusal into account.
func (s *search) refused(form protocol.Form, r *protocol.Refusal) {
	if s.first == nil {
		s.first = r
	}
	if r.Code <= -32000 && !slices.Contains([]string{"bare", "data", "mcp"}, form.Frame) { // it speaks JSON-RPC
		s.hasten("call", "type", "tool", "message", "protocol", "query")
	}
	s.count(form, r)
	if r.Blame() == protocol.BlamePlace {
		s.elsewhere(form)
	} else {
		s.places = nil
	}
	switch r.Blame() {
	case protocol.BlameForm:
		if r.KnowsFrame() {
			s.prefer(form.Frame)
		}
	case protocol.BlameMembers:
		s.reshaped(form, r)
	case protocol.BlameSession:
		s.prefer("mcp")
	}
	if form.Frame == "tool" && (r.Code == protocol.InvalidParams || strings.Contains(strings.ToLower(r.Message), "tool")) { // it lists those that it has
		s.prefer("mcp")
	}
	if form.Path != "" && !form.Apart() && r.Blame() != protocol.BlamePlace { // somebody is there
		for i := range s.todo {
			s.todo[i].Path = form.Path
		}
	}
}

// count notes that the peer has refused a name in a frame. Who has refused two,
// or has said of one that it is unknown, does not nod at those that it does not know.
func (s *search) count(form protocol.Form, r *protocol.Refusal) {
	same := func(f protocol.Form) bool { return spot(f) == spot(form) && f.Name == form.Name }
	switch before := s.tried[:len(s.tried)-1]; {
	case r.Blame() == protocol.BlameForm:
		s.refuses[spot(form)] += 2
	case !slices.ContainsFunc(before, same):
		s.refuses[spot(form)]++
	}
}

// spot is a form but for what it is called there.
func spot(f protocol.Form) protocol.Form { return protocol.Form{Frame: f.Frame, Path: f.Path} }

// elsewhere offers the first form at the next path that agents listen on.
func (s *search) elsewhere(form protocol.Form) {
	if len(s.places) == 0 || form.Apart() {
		return
	}
	form.Path, s.places = s.places[0], s.places[1:]
	s.todo = slices.Insert(s.todo, 0, form)
}

// otherPlaces lists where an agent may listen if not at the endpoint that it gave.
func otherPlaces(endpoint string) []string {
	u, err := url.Parse(endpoint)
	if err != nil {
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

// reshaped offers other arrangements of the members: at once if the peer knows
// the message by its name or asks for them, at last if it may be the framing
// that it refuses. Who refuses all arrangements of one form means the form.
func (s *search) reshaped(form protocol.Form, r *protocol.Refusal) {
	others, told := form.Reshaped(r.Complaint())
	if (r.Code == protocol.InvalidParams || r.Name != "") && !s.arranged {
		s.arranged, told = true, len(others)
	}
	s.todo = append(slices.Insert(s.todo, 0, others[:told]...), others[told:]...)
}

// prefer moves the forms of some frames to the front.
func (s *search) prefer(frames ...string) { forward(s.todo, frames) }

// hasten moves those forms of some frames forward that many agents have. What
// one or two have stays behind the common forms of other frames.
func (s *search) hasten(frames ...string) {
	last := len(s.todo)
	for last > 0 && !(rank(s.todo[last-1], frames) == 0 && s.todo[last-1].Common(s.typ)) {
		last--
	}
	forward(s.todo[:last], frames)
}

func forward(forms []protocol.Form, frames []string) {
	slices.SortStableFunc(forms, func(a, b protocol.Form) int { return rank(a, frames) - rank(b, frames) })
}

func rank(f protocol.Form, frames []string) int {
	if slices.Contains(frames, f.Frame) {
		return 0
	}
	return 1
}
