package check

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"agentleague/protocol"
)

// A script is the declarative part of a step in steps.txt: the condition for running it, what to send, and the expected
// answers.
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

// parseMutation parses a mutation of the member called name.
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

// An expectation is a body to post and the expected answer.
type expectation struct {
	body   string
	code   int    // of the error; 0: any answer
	id     string // "": any
	status int    // 0: any
	empty  bool   // a notification has no answer
}

// judge posts the body and compares the answer.
func (e expectation) judge(ctx context.Context, w *wire) finding {
	x, a, f := w.call(ctx, e.body)
	if f.level != passes {
		return f
	}
	var failure struct{ Code int }
	_ = json.Unmarshal(a["error"], &failure)
	switch {
	case e.empty && (x.status/100 != 2 || len(bytes.TrimSpace(x.got)) > 0):
		return differ("want status 202 and no body, got %d and %d bytes", x.status, len(x.got))
	case e.status != 0 && x.status != e.status:
		return differ("want status %d, got %d", e.status, x.status)
	case e.code != 0 && failure.Code != e.code:
		f = differ("want the error %d", e.code)
	}
	if e.id != "" {
		f = first(f, a.is(e.id))
	}
	return f.in(x)
}

// parse reads a line below the one that posts the body: the key and value of one expected property.
func (e *expectation) parse(key, value string) (err error) {
	switch key {
	case "error":
		code, id, _ := strings.Cut(value, " ")
		e.id = id
		e.code, err = strconv.Atoi(code)
	case "status":
		e.status, err = strconv.Atoi(value)
	case "none":
		e.empty = true
	}
	return err
}
