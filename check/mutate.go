package check

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"agentleague/dialect"
	"agentleague/protocol"
)

// A bend makes a message wrong. It is called with every object in the request,
// since the members of a message lie deeper in some dialects.
type mutation func(object map[string]any)

// without removes a member.
func without(name string) mutation { return func(o map[string]any) { delete(o, name) } }

// with changes a member where there is one.
func with(name string, value any) mutation {
	return func(o map[string]any) {
		if _, ok := o[name]; ok {
			o[name] = value
		}
	}
}

// beside adds a member next to another.
func beside(neighbour, name string, value any) mutation {
	return func(o map[string]any) {
		if _, ok := o[neighbour]; ok {
			o[name] = value
		}
	}
}

// errNotFramed is why a step is left out for an agent that the MCP SDK speaks to: the SDK writes no faulty
// messages.
var errNotFramed = errors.New("the agent is called as an MCP server, so no faulty message can be sent to it")

// say sends a mutated message, in the form that the agent understands.
func (s *session) say(ctx context.Context, sender string, m protocol.Message, mutations ...mutation) reply {
	spec, _ := protocol.Lookup(m.Head().MessageType)
	h := m.Head()
	h.Protocol, h.Sender, h.Timestamp = protocol.Version, sender, protocol.Stamp(time.Now())
	row, form := s.form(spec.Type)
	if form.Frame == "mcp" {
		return reply{err: errNotFramed}
	}
	body, err := dialect.Frame(row, form, m, s.nextID())
	if err != nil {
		return reply{err: err}
	}
	ctx, cancel := context.WithTimeout(ctx, s.limit(spec.Type)+s.Grace)
	defer cancel()
	t := &tape{}
	body, wrong := mutated(body, mutations)
	status, got, err := s.network.Post(context.WithValue(ctx, tapeKey{}, t), placed(s.peer.Endpoint, form.Path),
		string(spec.Type), body)
	r := reply{err: err, x: last(t.exchanges), wrong: wrong}
	if err == nil {
		reading := protocol.Reading{Now: time.Now(), Conversation: h.ConversationID}
		r.Message, _, r.err = dialect.Unframe(status, got, spec.Reply, reading)
	}
	return s.took(h, spec, r)
}

// nextID numbers the requests that are written here, apart from those of the node, which count from 1.
func (s *session) nextID() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.id++
	return 1000 + s.id
}

// mutated applies mutations to every object of a body, and describes the changes.
func mutated(body []byte, mutations []mutation) (out []byte, wrong string) {
	var v any
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if len(mutations) == 0 || d.Decode(&v) != nil {
		return body, ""
	}
	tell := func(o map[string]any) {
		before := maps.Clone(o)
		for _, b := range mutations {
			b(o)
		}
		if wrong == "" {
			wrong = difference(before, o)
		}
	}
	walk(v, []mutation{tell})
	out, err := json.Marshal(v)
	if err != nil {
		return body, ""
	}
	return out, wrong
}

// difference describes the changes to an object.
func difference(before, after map[string]any) string {
	for _, name := range slices.Sorted(maps.Keys(after)) {
		value, _ := json.Marshal(after[name])
		if was, _ := json.Marshal(before[name]); !bytes.Equal(was, value) {
			return fmt.Sprintf("with %q: %s", name, redacted(value))
		}
	}
	for name := range before {
		if _, ok := after[name]; !ok {
			return fmt.Sprintf("without %q", name)
		}
	}
	return ""
}

// walk applies every mutation to every object in v, at any depth. A mutation that replaces members also sees the new
// ones.
func walk(v any, mutations []mutation) {
	switch v := v.(type) {
	case map[string]any:
		for _, b := range mutations {
			b(v)
		}
		for _, inner := range v {
			walk(inner, mutations)
		}
	case []any:
		for _, inner := range v {
			walk(inner, mutations)
		}
	}
}

// wantError judges whether an answer is the error that the specification has for it.
func wantError(r reply, kinds ...*protocol.Kind) finding {
	names := ""
	for i, k := range kinds {
		if i > 0 {
			names += " or "
		}
		names += k.Code + " " + k.Name
	}
	var no *protocol.Refusal
	switch {
	case errors.Is(r.err, errNotFramed):
		return skip("%v", r.err)
	case errors.As(r.err, &no):
		for _, k := range kinds {
			if no.Name == k.Name {
				return pass
			}
		}
		return differ("%s: want the error %s, got %s", r.about(), names, said(no)).in(r.x)
	case r.err != nil:
		return differ("%s: want the error %s, but it gave no answer: %v", r.about(), names, r.err).in(r.x)
	}
	return differ("%s: want the error %s, but the message was accepted", r.about(), names).in(r.x)
}
