package dialect

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"agentleague/protocol"
)

// Arguments writes a message as the arguments of a tool. A tool that declares its arguments gets only those; a tool
// without a declaration gets all. The names may have any spelling, and may lie in one object.
func (tool Tool) Arguments(m protocol.Message) (json.RawMessage, error) {
	raw, err := protocol.Encode(m)
	if err != nil {
		return nil, err
	}
	root := parseSchema(tool.Schema)
	if root.open() {
		return raw, nil
	}
	f, err := membersOf(raw, m.Head().MessageType)
	if err != nil {
		return nil, err
	}
	w := &writer{root: root, raw: raw, known: f, left: maxMembers}
	return json.Marshal(w.object(root, 0))
}

// membersOf lists the members of a message under all names that tools have for them.
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

// otherArguments are the names that tools have for members of ours.
var otherArguments = map[string]string{
	"match_id":      "match matchid game_id gameid game_match_id id",
	"opponent_id":   "opponent opponent_name opponentid rival enemy",
	"player_id":     "player my_id me your_id playerid agent_id self_id",
	"round_id":      "round round_number round_no roundid round_num",
	"game_type":     "game game_name gametype",
	"role_in_match": "role your_role my_role seat",
	"deadline":      "deadline_utc due",
	"valid_options": "options choices valid_choices legal_moves valid_moves moves allowed available_moves legal_options",
	"context":       "state game_state view position",
	"board":         "grid",
}

// A writer writes the arguments of one call.
type writer struct {
	root  schema
	raw   json.RawMessage // the message
	known fields          // its members
	left  int             // how many members may still be written
}

// How deep objects lie in arguments, and how many members there are in all: a schema may contain itself.
const (
	maxArguments = 4
	maxMembers   = 500
)

// object writes an object as a schema declares it.
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

// member writes one member, or returns nil if it is left out.
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
		return fitted(v, s.wanted())
	case carriesMessage(name), required && alone && (s.wanted() == "string" || s.wanted() == "object" || s.wanted() == ""):
		return fitted(w.raw, s.wanted())
	case !required:
		return nil
	case known:
		return fitted(v, s.wanted())
	case s.Default != nil:
		return valid(s.Default)
	}
	return w.bySense(name, s.wanted())
}

// oneOf returns the member of a closed set that a value means, or the first of it if there has to be one.
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

// bySense is the value of an argument that a schema requires and no message has.
func (w *writer) bySense(name, want string) json.RawMessage {
	number := want == "integer" || want == "number"
	if words := spelledOut(name); number && slices.ContainsFunc(words, func(w string) bool { return timely[w] }) {
		return json.RawMessage("30")
	}
	return blank(want)
}

// timely are words in the names of arguments that hold a duration.
var timely = setOf("timeout deadline seconds limit time wait budget")

// carriesMessage reports whether an argument of that name is the whole message.
func carriesMessage(name string) bool {
	return slices.Contains([]string{
		"message", "msg", "envelope", "params", "request", "payload", "data", "body", "input", "prompt", "event", "req", "args",
		"arguments", "invitation", "call",
	}, plainName(name))
}
