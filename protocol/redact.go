package protocol

import (
	"bytes"
	"encoding/json"
	"io"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// The visibility of data, on every surface (pages, API, exports, MCP resources):
//
//	tokens and members whose names suggest secrets   hidden from every role
//	addresses of agents                              hidden from every role but the admin
//	an agent's answer in place of a message          hidden from every role but the admin, and the owner on the pages
//
// A referee learns the addresses of its matches from its orders and queries.

// anAddress matches the address of an agent: a URL, an IP address, a name with a port, or a failed lookup.
var anAddress = regexp.MustCompile(
	`(?i)\bhttps?://[^\s"'<>()]*[^\s"'<>():;,]|\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b|\[[0-9a-f:.%]{2,}\](?::\d+)?|` +
		`\blocalhost:\d+\b|\b(?:[a-z0-9-]+\.)+[a-z]{2,}:\d+\b|\blookup [^\s:]+`)

// aDial matches the operation that prefixes network errors of Go.
var aDial = regexp.MustCompile(`(?:(?:Post|Get) "[^"]*": )?\b(?:dial|read|write) (?:tcp|udp)[46]? \S+: (?:connect: )?`)

// RedactText replaces tokens and addresses in a text, and removes quoted answers of agents. Errors of calls to an agent
// contain both.
func RedactText(text string) string {
	text = aDial.ReplaceAllString(withoutAnswers(text), "")
	return anAddress.ReplaceAllString(RedactIn(text), "its endpoint")
}

// RedactRecord returns the record of a match as a role may read it; "" is the role of an anonymous client. A record
// with nothing to hide is returned unchanged, so that its SHA-256 is the one in the log.
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

// redactJSON returns a JSON value without tokens. It also removes network addresses unless addresses is set.
func redactJSON(text []byte, addresses bool) json.RawMessage {
	redact := RedactText
	if addresses {
		redact = RedactIn
	}
	var out bytes.Buffer
	if !jsontext.Value(text).IsValid(lenient) || copyRedacted(&out, text, redact) != nil {
		return json.RawMessage("null")
	}
	return PlainJSON(bytes.TrimSuffix(out.Bytes(), []byte("\n")))
}

// secretNames are parts of the names of members with secret values.
var secretNames = []string{"token", "secret", "password", "authorization"}

// copyRedacted copies a JSON value, indented. All strings in the value of a secret member are hidden.
func copyRedacted(out *bytes.Buffer, text []byte, redact func(string) string) error {
	in := decoderOf(text, lenient)
	defer decoders.Put(in)
	to := jsontext.NewEncoder(out, lenient, jsontext.WithIndent("  "))
	for secret := 0; ; { // depth of the object with the secret member; 0: none
		t, err := in.ReadToken()
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		depth := in.StackDepth()
		within, n := in.StackIndex(depth)
		switch named := within == '{' && n%2 == 1; {
		case named && t.Kind() == '"':
			if secret == 0 && SecretName(t.String()) {
				secret = depth
			}
		case t.Kind() == '"' && secret > 0:
			t = jsontext.String(redact(Redact(t.String())))
		case t.Kind() == '"':
			t = jsontext.String(redact(t.String()))
		}
		if secret == depth && n%2 == 0 { // its value is complete
			secret = 0
		}
		if err := to.WriteToken(t); err != nil {
			return err
		}
	}
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
