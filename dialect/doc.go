// Package dialect converts between league.v2 and the ways third-party agents write it: framing, method names, member
// names and their arrangement. Package protocol has the terms of league.v2 alone; this package translates into them and
// back, and searches for the dialect of a peer. It does no I/O.
//
//	our message ─▶ Candidates, Search: in which form? ─▶ Frame ─▶ peer ─▶ Unframe ─▶ its answer
//	                                                                        └▶ Sense, if it is in words
//
//	third-party request ─▶ ParseCall, ParseBare ─▶ Request ─▶ Read ─▶ the message
//	                                                 └────▶ Answer ─▶ in the dialect of the request
//
// For example, one team's player registers with
//
//	{"method": "tools/call", "params": {"name": "register_player", "arguments": {"name": "Fox", "url": …}}}
//
// [ParseCall] finds the message in the arguments and assigns the agent to row C of the table [Rows]. [Read] maps "name"
// and "url" to display_name and contact_endpoint. To invite that player, [Candidates] lists the tools by which agents
// of this row take an invitation; [Frame] writes the first of them; the player answers "Unknown tool", which [BlameOf]
// attributes to the name, so that a [Search] continues with the next. The encoding that is understood is stored as a
// notation.Form of the player's notation.Dialect.
//
// The axes are independent, and so are their tables: rows.go (observed dialects), names.go (methods and message types),
// frame.go (framings), bodies.go (position of the message in a request), casing.go (spellings), rest.go (paths),
// shapes.go (arrangements of the members), understand.go (members and words of incoming messages). evidence.go reads
// the axes from a registration, hints.go from a refusal, and ranked.go orders the next attempts. An answer that is no
// message at all, such as "I choose even", is read by its sense (sense.go). docs/guide/interop.md describes all of it
// for users.
package dialect

import (
	"encoding/json"

	"agentleague/protocol"
)

// fields is a JSON object by its members' names.
type fields = protocol.Fields

// textAt returns the string at a dotted path, or "".
func textAt(f fields, path string) string {
	s, _ := f.Text(path)
	return s
}

// marshalOr returns v as JSON, or otherwise if v cannot be marshaled.
func marshalOr(v any, otherwise json.RawMessage) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		return otherwise
	}
	return b
}

// quoted writes a string as JSON.
func quoted(s string) []byte { return marshalOr(s, []byte(`""`)) }
