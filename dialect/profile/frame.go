package profile

import (
	"encoding/json"
	"strconv"

	"agentleague/protocol"
)

// Request returns the body of a request of type t in the profile.
func (s *Speaker) Request(t protocol.Type, body []byte) []byte {
	f, ok := parse(body)
	if !ok || s == nil {
		return body
	}
	if name := s.methods[t]; name != "" && f["method"] != nil {
		f["method"] = name
	}
	if m, ok := f["params"].(tree); ok {
		s.write(m)
	}
	return text(f, body)
}

// Answer returns the body of the answer to a request of type t in the profile. A body that is not a JSON-RPC answer is
// returned unchanged.
func (s *Speaker) Answer(t protocol.Type, body []byte) []byte {
	f, ok := parse(body)
	if !ok || s == nil {
		return body
	}
	if m, ok := f["result"].(tree); ok {
		s.write(m)
		if s.refusals && word(m, "status") == protocol.Rejected {
			f["error"] = s.refusal(m)
			delete(f, "result")
		}
	} else if e, ok := f["error"].(tree); ok {
		s.failure(t, e)
		if m, ok := e["data"].(tree); ok && s.inResult && word(m, "message_type") == string(protocol.TypeLeagueError) {
			f["result"] = m
			delete(f, "error")
		}
	}
	return text(f, body)
}

// Read returns the answer to a request of type t without the members by which native agents are known. It keeps the
// token and the league of a registration.
func (s *Speaker) Read(t protocol.Type, body []byte) []byte {
	if s == nil || !t.Registers() {
		return body
	}
	f, ok := parse(body)
	m, is := f["result"].(tree)
	if !ok || !is {
		return body
	}
	asForeign(s, m)
	if token := word(m, "auth_token"); token != "" {
		s.token.Store(&token)
	}
	if id := word(m, "league_id"); id != "" {
		s.leagueID.Store(&id)
	}
	return text(f, body)
}

// write changes a message to the profile, in place.
func (s *Speaker) write(m tree) {
	t := protocol.Type(word(m, "message_type"))
	s.rename(m, t)
	for _, e := range s.edits[t] {
		e(s, m)
	}
	for _, e := range s.every {
		e(s, m)
	}
	if name := s.names[t]; name != "" {
		m["message_type"] = name
	}
}

// rename gives the error in a message the label of the document.
func (s *Speaker) rename(m tree, t protocol.Type) (number int) {
	kind, ok := protocol.KindNamed(word(m, "error_name"))
	if !ok {
		return 0
	}
	if l, ok := s.labels(t)[kind]; ok {
		m["error_code"], m["error_name"], number = l.code, l.name, l.number
		for _, path := range []string{"error_description", "error_message", "message"} {
			if word(m, path) == kind.Name {
				m[path] = l.name
			}
		}
	}
	if detail := word(m, "detail"); s.describes && detail != "" {
		m["error_description"] = detail
	}
	return number
}

// labels returns the names and codes that the profile's document gives to each kind of error in messages of type t.
func (s *Speaker) labels(t protocol.Type) map[*protocol.Kind]label {
	if t == protocol.TypeGameError {
		return s.game
	}
	return s.league
}

// failure changes the JSON-RPC error in the answer to a request of type t, in place.
func (s *Speaker) failure(t protocol.Type, e tree) {
	m, ok := e["data"].(tree)
	if !ok || word(m, "message_type") == "" {
		return
	}
	kind, _ := protocol.KindNamed(word(e, "error_name"))
	if number := s.rename(e, protocol.Type(word(m, "message_type"))); number != 0 {
		e["code"] = number
	}
	if code, ok := s.query[kind]; ok && t == protocol.TypeLeagueQuery {
		e["code"] = code
	}
	s.write(m)
	if s.titles == nil {
		return
	}
	for name, v := range inner(m, "context") { // the documents have these beside each other
		if _, ok := m[name]; !ok {
			m[name] = v
		}
	}
	e["message"] = s.title(e, m)
}

func inner(m tree, name string) tree {
	in, _ := m[name].(tree)
	return in
}

// title returns the message of a JSON-RPC error.
func (s *Speaker) title(e, m tree) string {
	code := number(e["code"])
	title := s.titles[code]
	switch {
	case title == "":
		return word(m, "error_name")
	case code == -1:
		return title + " waiting for " + word(m, "original_message_type")
	}
	return title
}

// number returns an integer of a tree, or 0.
func number(v any) int {
	if n, ok := v.(json.Number); ok {
		i, _ := strconv.Atoi(n.String())
		return i
	}
	i, _ := v.(int)
	return i
}

// refusal returns the JSON-RPC error for a refused registration.
func (s *Speaker) refusal(m tree) tree {
	e := tree{"code": m["code"], "data": m}
	for _, name := range []string{"error_code", "error_name"} {
		e[name] = m[name]
	}
	e["message"] = s.title(e, m)
	return e
}
