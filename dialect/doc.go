// Package dialect is how agents speak that are not ours: how they frame a
// message, what they call it, how they arrange its members, and how all that
// is found out. Package protocol has the words of league.v2 alone; this one
// brings what others say into those words, and back. It does no I/O.
//
//	our message ─▶ Candidates, Search: in which form? ─▶ Frame ─▶ peer ─▶ Unframe ─▶ its answer
//	                                                                        └▶ Sense, if it is in words
//
//	a stranger's request ─▶ OpenCall, OpenBare ─▶ Opening ─▶ Read ─▶ the message
//	                                                 └────▶ Answer ─▶ in the stranger's own way
//
// An example. One team's player registers with
//
//	{"method": "tools/call", "params": {"name": "register_player", "arguments": {"name": "Fox", "url": …}}}
//
// [OpenCall] finds the message in the arguments, and that such agents are those
// of row C of the table [Rows]. [Read] knows "name" and "url" for a display_name
// and a contact_endpoint. To invite that player, [Candidates] suggests the tools
// by which others of its kind take an invitation; [Frame] writes the first of
// them; the player answers "Unknown tool", which [BlameOf] takes for the name's
// fault, so that a [Search] goes on with the next. The one that is understood
// is written down as a [protocol.Form] of the player's [protocol.Dialect].
//
// What may differ is independent of each other, and so are the tables: rows.go
// (dialects as they were met), names.go (methods and message types), frame.go
// (framings), shapes.go (arrangements of the members), understand.go (members
// and words of what comes in). An answer that is no message at all, such as
// "I choose even", is read by its sense (sense.go). docs/guide/interop.md shows them to users.
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

// marshalOr writes v, which was made of valid JSON, and falls back to what there was.
func marshalOr(v any, otherwise json.RawMessage) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		return otherwise
	}
	return b
}

// quoted writes a string as JSON.
func quoted(s string) []byte { return marshalOr(s, []byte(`""`)) }
