package check

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"agentleague/protocol"
)

// A reply is the outcome of one call.
type reply struct {
	protocol.Message // nil: there was none
	err              error
	x                *exchange
	sent             protocol.Type
	wrong            string // the mutation of the message that was sent
}

// about describes the request.
func (r reply) about() string { return strings.TrimSpace(string(r.sent) + " " + r.wrong) }

// complete expects a message to have all members that the specification requires of type t.
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

// hasMember reports whether a message has a member, by its dotted path. Null counts as present; an empty string does
// not.
func hasMember(raw json.RawMessage, path string) bool {
	name, rest, nested := strings.Cut(path, ".")
	v, ok := parseAnswer(raw)[name]
	if !ok || string(v) == `""` {
		return false
	}
	return !nested || hasMember(v, rest)
}

// answered returns a pass if a call was answered and not refused.
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

// unreadable describes why an answer cannot be parsed; "" if err has another reason, such as a timeout.
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

// wantError expects the answer to be an error of one of the kinds.
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

// rejected expects a refusal by policy. It must be a result with status REJECTED and not an error, which third-party
// agents treat as a transport failure.
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

// errNotFramed is the reason for skipping a step that sends a malformed message to an agent called through the MCP SDK,
// which cannot write one.
var errNotFramed = errors.New("the agent is called as an MCP server, so no faulty message can be sent to it")
