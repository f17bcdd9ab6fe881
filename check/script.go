package check

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"agentleague/protocol"
)

// A mutation makes a message wrong. It is called with every object in the request, since the members of a message lie
// deeper in some dialects.
type mutation func(object map[string]any)

// mutated applies mutations to every object of a body, and describes the changes.
func mutated(body []byte, mutations []mutation) (out []byte, wrong string) {
	var v any
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if len(mutations) == 0 || d.Decode(&v) != nil {
		return body, ""
	}
	walk(v, func(o map[string]any) {
		before := maps.Clone(o)
		for _, m := range mutations {
			m(o)
		}
		if wrong == "" {
			wrong = difference(before, o)
		}
	})
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

// walk applies a mutation to every object in v, at any depth. A mutation that replaces members also sees the new ones.
func walk(v any, m mutation) {
	switch v := v.(type) {
	case map[string]any:
		m(v)
		for _, inner := range v {
			walk(inner, m)
		}
	case []any:
		for _, inner := range v {
			walk(inner, m)
		}
	}
}

// A script is the part of a step that steps.txt states: what has to have succeeded before, a message or some bodies to
// send, and the wanted answers.
type script struct {
	after        string // the name of a need
	expectations []expectation

	message   []string // its name and arguments; nil: the step is a function
	edits     [][2]string
	mutations []mutation
	want      []*protocol.Kind
	accept    bool // the message may be accepted
	reject    bool // the refusal is by policy, in a result
}

// now is the time in a script, without hyphens.
const now = `"NOW"`

// parse reads a line of a script.
func (s *script) parse(key, value string) error {
	name, rest, _ := strings.Cut(value, " ")
	switch key {
	case "after":
		s.after = value
	case "post", "id":
		e := expectation{body: value}
		if key == "id" {
			e = expectation{body: ping(value), id: value}
		} else if strings.HasPrefix(value, `"`) {
			if _, err := fmt.Sscanf(value, "%q", &e.body); err != nil {
				return err
			}
		}
		s.expectations = append(s.expectations, e)
	case "error", "status", "none":
		return s.expectations[len(s.expectations)-1].parse(key, value)
	case "send":
		s.message = strings.Fields(value)
	case "as", "token", "league":
		s.edits = append(s.edits, [2]string{key, value})
	case "without", "with", "beside", "capitalize":
		m, err := parseMutation(key, name, rest)
		s.mutations = append(s.mutations, m)
		return err
	case "want", "reject":
		s.reject = key == "reject"
		value, s.accept = strings.CutPrefix(value, "an answer")
		for _, name := range strings.Fields(value) {
			kind, known := protocol.KindNamed(name)
			if !known {
				return fmt.Errorf("no error is named %s", name)
			}
			s.want = append(s.want, kind)
		}
	default:
		return fmt.Errorf("no line of a script begins with %q", key)
	}
	return nil
}

// parseMutation reads a mutation of the member with a name.
func parseMutation(key, name, rest string) (mutation, error) {
	target := name
	if key == "beside" { // NEIGHBOUR NAME VALUE
		target, rest, _ = strings.Cut(rest, " ")
	}
	var value any
	if rest == now {
		value = time.Now().UTC().Format("20060102T15:04:05Z")
	} else if rest != "" {
		if err := json.Unmarshal([]byte(rest), &value); err != nil {
			return nil, err
		}
	}
	return func(o map[string]any) {
		v, ok := o[name]
		switch {
		case !ok:
		case key == "without":
			delete(o, name)
		case key == "capitalize":
			delete(o, name)
			o[strings.ToUpper(name[:1])+name[1:]] = v
		default:
			o[target] = value
		}
	}, nil
}

// run plays the script.
func (s *script) run(ctx context.Context, c *session) finding {
	for _, e := range s.expectations {
		if f := e.judge(ctx, c.wire); f.level != passes || len(s.expectations) == 1 {
			return f
		}
	}
	if s.message == nil {
		return pass
	}
	sender, m := messages[s.message[0]](ctx, c, s.message[1:])
	for _, edit := range s.edits {
		switch h, value := m.Head(), edit[1]; {
		case edit[0] == "as":
			sender = value
		case edit[0] == "league":
			h.LeagueID = value
		case value == "wrong":
			h.AuthToken = wrongToken
		case value == "none":
			h.AuthToken = ""
		default:
			h.AuthToken = managerCheck{c}.bob(ctx).grant().Token
		}
	}
	r := c.send(ctx, sender, m, s.mutations...)
	if s.reject {
		return rejected(r, s.want[0])
	}
	if taken := r.err == nil && r.Message != nil; taken && m.Head().MessageType == protocol.TypePauseLeague {
		c.send(ctx, sender, managerCheck{c}.order(protocol.TypeResumeLeague, m.Head().AuthToken)) // undone
	} else if taken && s.accept {
		return pass
	}
	if len(s.want) > 0 {
		return wantError(r, s.want...)
	}
	if no, ok := r.err.(*protocol.Refusal); ok {
		return differ("%s: it refuses: %s", r.about(), textOf(no)).in(r.x)
	}
	return differ("%s: want an answer, as to any other message", r.about()).in(r.x)
}

// about describes the request.
func (r reply) about() string { return strings.TrimSpace(string(r.sent) + " " + r.wrong) }

// wantError judges whether an answer is the error that the specification has for it.
func wantError(r reply, kinds ...*protocol.Kind) finding {
	var names []string
	for _, k := range kinds {
		names = append(names, k.Code+" "+k.Name)
	}
	want := strings.Join(names, " or ")
	var no *protocol.Refusal
	switch {
	case errors.Is(r.err, errNotFramed):
		return skip("%v", r.err)
	case errors.As(r.err, &no):
		if slices.ContainsFunc(kinds, func(k *protocol.Kind) bool { return k.Name == no.Name }) {
			return pass
		}
		return differ("%s: want the error %s, got %s", r.about(), want, textOf(no)).in(r.x)
	case r.err != nil:
		return differ("%s: want the error %s, but it gave no answer: %v", r.about(), want, r.err).in(r.x)
	}
	return differ("%s: want the error %s, but the message was accepted", r.about(), want).in(r.x)
}

// rejected judges a refusal by policy, which is a result and not an error: third-party agents take that for a
// transport error.
func rejected(r reply, kind *protocol.Kind) finding {
	m, ok := r.Message.(*protocol.LeagueRegisterResponse)
	no, refused := r.err.(*protocol.Refusal)
	switch {
	case r.err == errNotFramed:
		return skip("%v", r.err)
	case !ok && refused:
		return differ("want a result with status REJECTED and %s, got the error %s", kind.Name, textOf(no)).in(r.x)
	case !ok:
		return first(answered(r), differ("want a LEAGUE_REGISTER_RESPONSE with status REJECTED").in(r.x))
	case m.Status != protocol.Rejected:
		return differ("want status REJECTED, got %q", m.Status).in(r.x)
	case m.ErrorName != kind.Name || m.ErrorCode != kind.Code:
		return differ("want error_code %s and error_name %s, got %q and %q", kind.Code, kind.Name, m.ErrorCode,
			m.ErrorName).in(r.x)
	case m.PlayerID != nil || m.AuthToken != nil || nameOf(m.Reason) == "nobody":
		return differ("want player_id and auth_token null and a reason in words").in(r.x)
	}
	return pass
}
