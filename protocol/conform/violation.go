package conform

import (
	"fmt"

	"agentleague/protocol"
)

// A Violation is a rule that a message breaks.
type Violation struct {
	Rule     string // the id of the rule
	Document string
	Section  string
	Member   string         // the member of the message, as a dotted path; "": the whole
	Detail   string         // a sentence without values of the message, which may be secret
	Kind     *protocol.Kind // the error with which the message is refused; nil: it is only counted
}

// broken returns the violation of a rule.
func (r rule) broken(kind *protocol.Kind, member, format string, args ...any) Violation {
	return Violation{r.id, r.document, r.section, member, fmt.Sprintf(format, args...), kind}
}

// in returns the violation with the section that defines the members of a type of message.
func (v Violation) in(t protocol.Type) Violation {
	if s, ok := sections[t]; ok {
		v.Document, v.Section = s.document, s.number
	}
	return v
}

// Refusal returns the error with which a message is refused, or nil if no violation has one. It names the rule.
func Refusal(all []Violation) *protocol.Error {
	for _, v := range all {
		if v.Kind == nil {
			continue
		}
		e := protocol.Errorf(v.Kind, "%s (%s, section %s)", v.Detail, v.Document, v.Section).With("rule", v.Rule)
		if v.Member != "" {
			e = e.With("field", v.Member)
		}
		return e
	}
	return nil
}

// Failure returns the violation of an agent whose answer to a message of type t did not come, or nil if the error is not
// the agent's fault.
func Failure(t protocol.Type, err error) []Violation {
	spec, _ := protocol.Lookup(t)
	_, defined := sections[spec.Reply]
	if !defined || err == nil {
		return nil
	}
	var v Violation
	refusal, refused := refusalIn(err)
	switch {
	case protocol.Is(err, protocol.Timeout):
		v = responseTime.broken(nil, "", "no %s within the response time", spec.Reply)
	case protocol.Is(err, protocol.Connection):
		v = stability.broken(nil, "", "the agent did not answer %s", t)
	case refused && refusal.HTTPStatus >= 500:
		v = stability.broken(nil, "", "the agent answered %s with HTTP status %d", t, refusal.HTTPStatus)
	case refused && protocol.IsAck(spec.Reply):
		v = tools.broken(nil, "", "the agent answered %s with an error", t).in(spec.Reply)
	case refused:
		v = tools.broken(nil, "", "the agent answered %s with an error", t)
	default:
		return nil
	}
	return []Violation{v}
}
