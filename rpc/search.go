package rpc

import (
	"net/url"
	"slices"

	"agentleague/protocol"
)

// A search goes through the forms of a message in the order in which they are
// likely, and learns from every refusal which are worth offering next.
type search struct {
	endpoint string
	todo     []protocol.Form
	tried    []protocol.Form
	first    error          // the first refusal, which says most
	soft     *protocol.Form // the first form that the peer failed at, rather than refused

	taken *protocol.Form // the first form that it may have understood: it did not say
	reply protocol.Message
}

func newSearch(endpoint string, candidates []protocol.Form) *search {
	return &search{endpoint: endpoint, todo: candidates}
}

// next returns the next form to offer.
func (s *search) next() (form protocol.Form, ok bool) {
	if len(s.todo) == 0 || len(s.tried) >= protocol.MaxCandidates {
		return protocol.Form{}, false
	}
	form, s.todo = s.todo[0], s.todo[1:]
	s.tried = append(s.tried, form)
	return form, true
}

// perhaps notes a form that the peer answered with nothing. It counts if no
// other is understood better.
func (s *search) perhaps(form protocol.Form, reply protocol.Message) {
	if s.taken == nil {
		s.taken, s.reply = &form, reply
	}
}

// refused takes a refusal into account.
func (s *search) refused(form protocol.Form, r *protocol.Refusal) {
	if s.first == nil {
		s.first = r
	}
	if r.Code != 0 && form.Frame != "bare" && form.Frame != "data" { // it speaks JSON-RPC
		s.todo = slices.DeleteFunc(s.todo, func(f protocol.Form) bool { return f.Frame == "bare" || f.Frame == "data" })
	}
	switch r.Blame() {
	case protocol.BlamePlace:
		s.elsewhere(form)
	case protocol.BlameMembers:
		s.reshaped(form, r)
	case protocol.BlameSession:
		s.prefer("mcp")
	case protocol.BlameUnknown:
		if s.soft == nil {
			s.soft = &form
		}
	}
	if form.Path != "" && !form.Apart() && r.Blame() != protocol.BlamePlace { // somebody is there
		for i := range s.todo {
			s.todo[i].Path = form.Path
		}
	}
}

// elsewhere offers the first form at the other path that agents listen on.
func (s *search) elsewhere(form protocol.Form) {
	if len(s.tried) > 1 || form.Path != "" || form.Apart() {
		return
	}
	u, err := url.Parse(s.endpoint)
	if err != nil {
		return
	}
	var others []protocol.Form
	for _, path := range []string{"/mcp", "/", "/MCP"} {
		if form.Path = path; u.Path != path && !(u.Path == "" && path == "/") {
			others = append(others, form)
		}
	}
	s.todo = slices.Insert(s.todo, 0, others[:1]...)
	s.todo = append(s.todo, others[1:]...)
}

// reshaped offers other arrangements of the members: at once if the peer knows
// the message by its name or asks for them, at last if it may be the framing
// that it refuses.
func (s *search) reshaped(form protocol.Form, r *protocol.Refusal) {
	others, told := form.Reshaped(r.Message)
	if r.Code == protocol.InvalidParams || r.Name != "" {
		told = len(others)
	}
	s.todo = append(slices.Insert(s.todo, 0, others[:told]...), others[told:]...)
}

// prefer moves the forms of a frame to the front.
func (s *search) prefer(frame string) {
	slices.SortStableFunc(s.todo, func(a, b protocol.Form) int { return rank(a, frame) - rank(b, frame) })
}

func rank(f protocol.Form, frame string) int {
	if f.Frame == frame {
		return 0
	}
	return 1
}
