package check

import (
	"bytes"
	"fmt"

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

// found returns a finding. By convention its detail is a sentence without a full stop.
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

// first returns the first finding that is not a pass, or else a pass.
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

// isObject reports whether a body is one JSON object.
func isObject(body []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(body), []byte("{")) }

// nameOf returns an id for a sentence, or "nobody" for nil or an empty one.
func nameOf(s *string) string {
	if s == nil || *s == "" {
		return "nobody"
	}
	return *s
}
