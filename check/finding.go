package check

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"agentleague/protocol"
)

// A level is how bad a finding is.
type level int

const (
	passes  level = iota
	skipped       // it could not be tested
	odd           // allowed, and not a good idea: a warning
	differs       // not as specified, and can be lived with: fails in a strict check
	broken        // no agent can play with that
)

// A finding is the result of a step.
type finding struct {
	level  level
	detail string
	at     *exchange // where it shows; nil: in the step's last exchange

	no *protocol.Refusal // the agent's refusal, if that is the finding
}

// pass is the finding that everything was as it should be.
var pass = finding{}

func skip(format string, args ...any) finding   { return found(skipped, format, args...) }
func advise(format string, args ...any) finding { return found(odd, format, args...) }
func differ(format string, args ...any) finding { return found(differs, format, args...) }
func fail(format string, args ...any) finding   { return found(broken, format, args...) }

// found makes a finding; its detail is a sentence without a full stop, as all of them are.
func found(l level, format string, args ...any) finding {
	return finding{level: l, detail: fmt.Sprintf(format, args...)}
}

// in attaches the exchange that shows a finding.
func (f finding) in(x *exchange) finding {
	f.at = x
	return f
}

// status is the word for a level.
func (l level) status(strict bool) string {
	switch {
	case l == passes:
		return protocol.Pass
	case l == skipped:
		return protocol.Skip
	case l == broken, l == differs && strict:
		return protocol.Fail
	}
	return protocol.Warn
}

// first returns the first finding that is not a pass.
func first(findings ...finding) finding {
	for _, f := range findings {
		if f.level != passes {
			return f
		}
	}
	return pass
}

// count is a number with its noun.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// complete judges whether a message has all members that the specification demands of its type.
func complete(t protocol.Type, raw json.RawMessage) finding {
	spec, _ := protocol.Lookup(t)
	var missing []string
	for _, path := range spec.Required {
		if !hasMember(raw, path) {
			missing = append(missing, path)
		}
	}
	if len(missing) > 0 {
		return differ("%s has no %s", t, strings.Join(missing, ", "))
	}
	return pass
}

// hasMember reports whether a message has a member, by its dotted path. A null counts: some members may be null.
func hasMember(raw json.RawMessage, path string) bool {
	name, rest, nested := strings.Cut(path, ".")
	v, ok := parseAnswer(raw)[name]
	if !ok || string(v) == `""` {
		return false
	}
	return !nested || hasMember(v, rest)
}

// isObject reports whether a body is one JSON object.
func isObject(body []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(body), []byte("{")) }

// answered judges whether a call was answered at all, and not refused.
func answered(r reply) finding {
	var no *protocol.Refusal
	switch {
	case errors.As(r.err, &no):
		f := fail("it refuses: %s", textOf(no))
		if no.Name == "" && no.HTTPStatus != 0 {
			f = fail("%s", printable(no.Error()))
		}
		f.no = no
		return f.in(r.x)
	case unreadable(r.err) != "":
		return fail("%s", unreadable(r.err)).in(r.x)
	case r.err != nil:
		return fail("it gave no answer: %v", r.err).in(r.x)
	}
	return pass
}

// unreadable describes the error in an answer that cannot be read; "" if none came.
func unreadable(err error) string {
	var wrong *protocol.Error
	if !errors.As(err, &wrong) || wrong.Kind == protocol.Timeout || wrong.Kind == protocol.Connection ||
		wrong.Kind == protocol.EndpointNotAllowed {
		return ""
	}
	return printable(strings.Replace(wrong.Sentence(), protocol.YourAgent, "the agent", 1))
}

// textOf is the text of an error.
func textOf(no *protocol.Refusal) string {
	if no.Name != "" {
		return no.Name
	}
	return printable(no.Message)
}

// nameOf is an id for a sentence; the winner of a draw is "nobody".
func nameOf(s *string) string {
	if s == nil || *s == "" {
		return "nobody"
	}
	return *s
}
