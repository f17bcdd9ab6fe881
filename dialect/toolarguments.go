package dialect

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"agentleague/protocol"
)

// Arguments encodes a message as the arguments of a tool. A tool that declares its arguments gets only those; a tool
// without a declaration gets the whole message. Declared names may have any spelling, and may lie in a nested object. No
// argument contains the token of the message: a tool cannot verify it, and may pass its arguments on.
func (tool Tool) Arguments(m protocol.Message) (json.RawMessage, error) {
	arguments, _, err := tool.written(m)
	return arguments, err
}

// Unfilled returns the names of the required arguments of a tool for which a message has no value, and the tool's schema
// has no default.
func (tool Tool) Unfilled(m protocol.Message) []string {
	_, w, err := tool.written(m)
	if err != nil || w == nil {
		return nil
	}
	return w.unfilled
}

// written encodes a message as the arguments of a tool. The writer is nil if the tool gets the whole message.
func (tool Tool) written(m protocol.Message) (json.RawMessage, *writer, error) {
	h := m.Head()
	token := h.AuthToken
	h.AuthToken = ""
	raw, err := protocol.Encode(m)
	h.AuthToken = token
	if err != nil {
		return nil, nil, err
	}
	root := parseSchema(tool.Schema)
	if root.open() {
		return raw, nil, nil
	}
	f, err := membersOf(raw, h.MessageType)
	if err != nil {
		return nil, nil, err
	}
	w := &writer{root: root, raw: raw, known: f, left: maxMembers}
	arguments, err := json.Marshal(w.object(root, 0))
	return arguments, w, err
}

// membersOf returns the members of a message under all names that tools use for them.
func membersOf(raw json.RawMessage, t protocol.Type) (fields, error) {
	var f fields
	if err := json.Unmarshal(raw, &f); err != nil {
		return nil, err
	}
	addAliases(t, f)
	known := flattened(f)
	if t == protocol.TypeChooseParityCall && !known.Has("valid_options") {
		known["valid_options"] = json.RawMessage(`["even","odd"]`)
	}
	for ours, theirs := range otherArguments {
		for _, name := range strings.Fields(theirs) {
			if v := known[ours]; v != nil && !known.Has(name) {
				known[name] = v
			}
		}
	}
	return known, nil
}

// otherArguments maps our member names to the names that tools use, separated by spaces.
var otherArguments = map[string]string{
	"match_id":      "match matchid game_id gameid game_match_id id",
	"opponent_id":   "opponent opponent_name opponentid rival enemy",
	"player_id":     "player my_id me your_id playerid agent_id self_id",
	"round_id":      "round round_number round_no roundid round_num",
	"game_type":     "game game_name gametype",
	"role_in_match": "role your_role my_role seat",
	"deadline":      "deadline_utc due",
	"valid_options": "options choices valid_choices legal_moves valid_moves moves allowed available_moves legal_options " +
		"legal_actions valid_actions available_actions actions legal_columns valid_columns legal_cells",
	"context": "state game_state view position",
	"board":   "grid",
}

// A writer writes the arguments of one call.
type writer struct {
	root  schema
	raw   json.RawMessage // the message
	known fields          // its members
	left  int             // how many members may still be written

	unfilled []string // the required arguments without a value
}

// Limits on the depth of objects in arguments and on the total number of members. A recursive schema would otherwise
// never end.
const (
	maxArguments = 4
	maxMembers   = 500
)

// object returns the members of an object as its schema declares them.
func (w *writer) object(s schema, depth int) fields {
	out := fields{}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if w.left--; w.left < 0 {
			break
		}
		property := resolved(s.Properties[name], w.root)
		alone := len(s.Properties) == 1
		if v := w.member(name, property, s.requires(name), alone, depth); v != nil {
			out[name] = v
		}
	}
	return out
}

// member returns the value of one argument, or nil to leave it out. alone reports that the schema declares no other.
func (w *writer) member(name string, s schema, required, alone bool, depth int) json.RawMessage {
	v, known := w.known[plainName(name)]
	known = known && string(v) != "null"
	shaped := len(s.Properties) > 0 && depth < maxArguments
	switch {
	case s.Const != nil:
		return valid(s.Const)
	case len(s.Enum) > 0:
		return w.oneOf(s, v, required)
	case shaped && (carriesMessage(name) || alone || required || known):
		return marshalOr(w.object(s, depth+1), nil)
	case known && fits(v, s.wanted()):
		return w.fit(v, s)
	case carriesMessage(name), required && alone && (s.wanted() == "string" || s.wanted() == "object" || s.wanted() == ""):
		return fitted(w.raw, s.wanted())
	case !required:
		return nil
	case known:
		return w.fit(v, s)
	case s.Default != nil:
		return valid(s.Default)
	}
	return w.placeholderFor(name, s.wanted())
}

// oneOf returns the value of an enum that equals v, ignoring case. Without one it returns nil or, if the argument is
// required, the schema's default or else the first value of the enum.
func (w *writer) oneOf(s schema, v json.RawMessage, required bool) json.RawMessage {
	for _, one := range s.Enum {
		if len(v) > 0 && strings.EqualFold(string(one), string(v)) {
			return valid(one)
		}
	}
	switch {
	case !required:
		return nil
	case s.Default != nil:
		return valid(s.Default)
	}
	return valid(s.Enum[0])
}

// placeholderFor returns a value of type want for a required argument that the message does not have.
func (w *writer) placeholderFor(name, want string) json.RawMessage {
	number := want == "integer" || want == "number"
	words := spelledOut(name)
	if number && slices.ContainsFunc(words, func(w string) bool { return durationWords[w] }) {
		return json.RawMessage("30")
	}
	if !slices.ContainsFunc(words, func(w string) bool { return w == "token" }) { // it stays empty
		w.unfilled = append(w.unfilled, name)
	}
	return blank(want)
}

// fit converts a value to the type that a schema requires, and the items of a list to the type of its items.
func (w *writer) fit(v json.RawMessage, s schema) json.RawMessage {
	var items []json.RawMessage
	if s.wanted() != "array" || len(s.Items) == 0 || json.Unmarshal(v, &items) != nil {
		return fitted(v, s.wanted())
	}
	want := resolved(s.Items, w.root).wanted()
	for i, item := range items {
		items[i] = fitted(item, want)
	}
	return marshalOr(items, v)
}

// durationWords are words in names of arguments that hold a duration in seconds.
var durationWords = setOf("timeout deadline seconds limit time wait budget")

// carriesMessage reports whether an argument with that name takes the whole message.
func carriesMessage(name string) bool {
	return slices.Contains([]string{
		"message", "msg", "envelope", "params", "request", "payload", "data", "body", "input", "prompt", "event", "req", "args",
		"arguments", "invitation", "call",
	}, plainName(name))
}
