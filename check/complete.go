package check

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"agentleague/dialect"
	"agentleague/protocol"
)

// complete judges whether a message has all members that the specification demands of its type.
func complete(t protocol.Type, raw json.RawMessage) finding {
	spec, _ := protocol.Lookup(t)
	var missing []string
	for _, path := range spec.Required {
		if !there(raw, path) {
			missing = append(missing, path)
		}
	}
	if len(missing) > 0 {
		return differ("%s has no %s", t, strings.Join(missing, ", "))
	}
	return pass
}

// inItsOwnWords reports a choice that was understood but not written as specified.
func inItsOwnWords(r reply) finding {
	f, _ := protocol.ParseFields(r.Head().Source())
	said, words := f.Text("said") // see dialect.Sense
	a, ok := r.Message.(*protocol.ChooseParityResponse)
	switch written := f["parity_choice"]; {
	case words && !f.Has("message_type"):
		return differ("want a CHOOSE_PARITY_RESPONSE, got the words %s", said)
	case ok && written != nil && !bytes.Equal(written, a.ParityChoice):
		return differ("want %s as parity_choice, got %s", a.ParityChoice, redacted(written))
	}
	return pass
}

// there reports whether a message has a member, by its dotted path. A null counts: some members may be null.
func there(raw json.RawMessage, path string) bool {
	name, rest, nested := strings.Cut(path, ".")
	var f map[string]json.RawMessage
	if json.Unmarshal(raw, &f) != nil {
		return false
	}
	v, ok := f[name]
	if !ok || string(v) == `""` {
		return false
	}
	return !nested || there(v, rest)
}

// answered judges whether a call was answered at all, and not refused.
func answered(r reply) finding {
	var no *protocol.Refusal
	switch {
	case errors.As(r.err, &no):
		f := fail("it refuses: %s", said(no))
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

// acknowledged judges an answer that only acknowledges receipt. Any answer is enough to play; the specification has a
// message for it.
func acknowledged(s *session, t protocol.Type, r reply) finding {
	spec, _ := protocol.Lookup(t)
	var no *protocol.Refusal
	switch {
	case errors.As(r.err, &no) && (dialect.BlameOf(no) == dialect.BlameForm || no.Code == protocol.MethodNotFound):
		return differ("it does not accept %s", t).in(r.x)
	case errors.As(r.err, &no) && t != protocol.TypeGameOver: // a match goes on without it
		return differ("%s", answered(r).detail).in(r.x)
	case r.err != nil:
		return answered(r)
	case r.Message == nil:
		return differ("want a %s as the answer", spec.Reply).in(r.x)
	}
	f := first(s.late(t, r.x), complete(spec.Reply, r.Head().Source()))
	if ack, ok := r.Message.(*protocol.Ack); ok && f.level == passes && ack.Status != protocol.Acknowledged {
		f = differ("want status %s, got %q", protocol.Acknowledged, ack.Status)
	}
	return f.in(r.x)
}

// said is the text of an error.
func said(no *protocol.Refusal) string {
	if no.Name != "" {
		return no.Name
	}
	return printable(no.Message)
}
