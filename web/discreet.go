package web

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"

	"agentleague/protocol"
)

// aToken is a token of ours, wherever somebody has put it.
var aToken = regexp.MustCompile(`tok_[0-9A-Za-z_-]+`)

// anAddress is where an agent may be: an address of a page, of a machine, or a name that was looked up.
var anAddress = regexp.MustCompile(
	`(?i)\bhttps?://[^\s"'<>()]+|\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b|\[[0-9a-f:.%]{2,}\](?::\d+)?|` +
		`\blocalhost:\d+\b|\blookup [^\s:]+`)

// homeless is a text without addresses. Where an agent is, is told to the admin and to referees alone, but errors that
// were made while calling it name it.
func homeless(text string) string { return anAddress.ReplaceAllString(text, "its endpoint") }

// secretNames are parts of the names of members whose values nobody is shown.
var secretNames = []string{"token", "secret", "password", "authorization"}

// discreet is a message without tokens and addresses, indented, its members in their order. Referees of ours leave
// tokens out of their records already; others may not.
func discreet(message json.RawMessage) json.RawMessage {
	d := json.NewDecoder(bytes.NewReader(message))
	d.UseNumber()
	var out, pretty bytes.Buffer
	if !json.Valid(message) || copyValue(d, &out, false) != nil ||
		json.Indent(&pretty, protocol.PlainJSON(out.Bytes()), "", "  ") != nil {
		return json.RawMessage("null")
	}
	return pretty.Bytes()
}

// copyValue copies one value. The texts of one that is secret are hidden.
func copyValue(d *json.Decoder, out *bytes.Buffer, secret bool) error {
	t, err := d.Token()
	if err != nil {
		return err
	}
	switch t := t.(type) {
	case json.Delim:
		return copyInside(d, out, t, secret)
	case string:
		if secret && t != "" {
			t = protocol.Redact("tok_")
		}
		writeText(out, homeless(aToken.ReplaceAllString(t, protocol.Redact("tok_"))))
	case json.Number:
		out.WriteString(t.String())
	case bool:
		out.WriteString(map[bool]string{true: "true", false: "false"}[t])
	default:
		out.WriteString("null")
	}
	return nil
}

// copyInside copies the members of an object, or the items of a list.
func copyInside(d *json.Decoder, out *bytes.Buffer, opens json.Delim, secret bool) error {
	out.WriteRune(rune(opens))
	for first := true; d.More(); first = false {
		if !first {
			out.WriteByte(',')
		}
		hide := secret
		if opens == '{' {
			name, err := d.Token()
			if err != nil {
				return err
			}
			text, _ := name.(string)
			writeText(out, text)
			out.WriteByte(':')
			hide = hide || isSecret(text)
		}
		if err := copyValue(d, out, hide); err != nil {
			return err
		}
	}
	closes, err := d.Token()
	if err == nil {
		out.WriteRune(rune(closes.(json.Delim)))
	}
	return err
}

// isSecret reports whether the name of a member suggests that its value is for nobody else's eyes. It rather hides
// too much.
func isSecret(name string) bool {
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
