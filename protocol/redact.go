package protocol

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
)

// What is hidden from whom, on every surface (pages, API, exports, MCP resources):
//
//	tokens and members whose names suggest secrets   from every role
//	addresses of agents                              from every role but the admin
//	what an agent answered instead of a message      from every role but the admin, and the owner on the pages
//
// A referee learns the addresses of its matches from its orders and queries.

// anAddress finds where an agent may be: a URL, an IP address, a name with a port, or a name that was looked up.
var anAddress = regexp.MustCompile(
	`(?i)\bhttps?://[^\s"'<>()]+|\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b|\[[0-9a-f:.%]{2,}\](?::\d+)?|` +
		`\blocalhost:\d+\b|\b(?:[a-z0-9-]+\.)+[a-z]{2,}:\d+\b|\blookup [^\s:]+`)

// aDial finds the operation that Go's errors are wrapped in.
var aDial = regexp.MustCompile(`(?:(?:Post|Get) "[^"]*": )?\b(?:dial|read|write) (?:tcp|udp)[46]? \S+: (?:connect: )?`)

// RedactText replaces tokens and addresses in a text, and removes quoted answers. Errors of calls to an agent have its
// address, and quote its answer.
func RedactText(text string) string {
	text = aDial.ReplaceAllString(WithoutAnswers(text), "")
	return anAddress.ReplaceAllString(RedactIn(text), "its endpoint")
}

// RedactRecord returns the record of a match as a role may read it; "" is the role of any client. A record with nothing
// to hide is returned byte for byte, so that its SHA-256 is the one in the log.
func RedactRecord(doc []byte, to Role) []byte {
	var had, has bytes.Buffer
	shown := redactJSON(doc, to == RoleAdmin)
	if json.Compact(&had, doc) != nil || json.Compact(&has, shown) != nil || !bytes.Equal(had.Bytes(), has.Bytes()) {
		return shown
	}
	return doc
}

// RedactMessage returns a message without tokens and addresses, indented, its members in their order. Native referees
// leave tokens out of their records; others may not.
func RedactMessage(message json.RawMessage) json.RawMessage { return redactJSON(message, false) }

// redactJSON returns a JSON value without tokens, and without addresses unless they are to stay.
func redactJSON(text []byte, addresses bool) json.RawMessage {
	r := redactor{in: json.NewDecoder(bytes.NewReader(text)), addresses: addresses}
	r.in.UseNumber()
	var pretty bytes.Buffer
	if !json.Valid(text) || r.value(false) != nil || json.Indent(&pretty, PlainJSON(r.out.Bytes()), "", "  ") != nil {
		return json.RawMessage("null")
	}
	return pretty.Bytes()
}

// A redactor copies one JSON value.
type redactor struct {
	in        *json.Decoder
	out       bytes.Buffer
	addresses bool // they stay
}

// secretNames are parts of the names of members whose values no role reads.
var secretNames = []string{"token", "secret", "password", "authorization"}

// value copies one value. The texts of a secret one are hidden.
func (r *redactor) value(secret bool) error {
	t, err := r.in.Token()
	if err != nil {
		return err
	}
	switch t := t.(type) {
	case json.Delim:
		return r.inside(t, secret)
	case string:
		if secret {
			t = Redact(t)
		}
		if r.addresses {
			writeText(&r.out, RedactIn(t))
		} else {
			writeText(&r.out, RedactText(t))
		}
	case json.Number:
		r.out.WriteString(t.String())
	case bool:
		r.out.WriteString(map[bool]string{true: "true", false: "false"}[t])
	default:
		r.out.WriteString("null")
	}
	return nil
}

// inside copies the members of an object, or the items of a list.
func (r *redactor) inside(opens json.Delim, secret bool) error {
	r.out.WriteRune(rune(opens))
	for first := true; r.in.More(); first = false {
		if !first {
			r.out.WriteByte(',')
		}
		hide := secret
		if opens == '{' {
			name, err := r.in.Token()
			if err != nil {
				return err
			}
			text, _ := name.(string)
			writeText(&r.out, text)
			r.out.WriteByte(':')
			hide = hide || SecretName(text)
		}
		if err := r.value(hide); err != nil {
			return err
		}
	}
	closes, err := r.in.Token()
	if err == nil {
		r.out.WriteRune(rune(closes.(json.Delim)))
	}
	return err
}

// SecretName reports whether the name of a member suggests a secret. It errs on the side of hiding.
func SecretName(name string) bool {
	name = strings.ToLower(name)
	for _, part := range secretNames {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}

// writeText writes a string as JSON, with no more escapes than it needs.
func writeText(out *bytes.Buffer, text string) {
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // a string always encodes
	out.Truncate(out.Len() - 1)
}
