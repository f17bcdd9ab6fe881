package protocol

import (
	"encoding/json"
	"slices"
	"strings"
)

// A ToolInfo is a tool of a real MCP server as the server describes it.
type ToolInfo struct {
	Name   string
	Schema json.RawMessage // of its arguments
}

// PickTool finds the tool that takes a type of message: by a name that such
// tools go by, or by all the words of one in another order.
func PickTool(t Type, tools []ToolInfo) (ToolInfo, bool) {
	w := wordingOf(t)
	for _, name := range slices.Concat(w.calls, w.types) {
		name, _, _ = strings.Cut(name, "+")
		for _, tool := range tools {
			if strings.EqualFold(tool.Name, name) {
				return tool, true
			}
		}
	}
	for _, key := range toolWords[t] {
		for _, tool := range tools {
			if strings.Contains(strings.ToLower(tool.Name), key) {
				return tool, true
			}
		}
	}
	return ToolInfo{}, false
}

// toolWords are parts of names by which a tool is known that has none of the usual ones.
var toolWords = map[Type][]string{
	TypeGameInvitation:        {"invit", "join"},
	TypeChooseParityCall:      {"parity", "choose", "choice"},
	TypeGameMoveCall:          {"move"},
	TypeGameOver:              {"game_over", "gameover", "match_result", "result"},
	TypeRoundAnnouncement:     {"round_announce", "announce", "notify_round"},
	TypeLeagueStandingsUpdate: {"standing"},
	TypeGameError:             {"error"},
}

// Arguments writes a message as the arguments of a tool. A tool that declares
// its arguments gets those and no others; one that declares none gets all.
func (tool ToolInfo) Arguments(m Message) (json.RawMessage, error) {
	raw, err := Encode(m)
	if err != nil {
		return nil, err
	}
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"` // some are schemas, some are true
		Required   []string                   `json:"required"`
	}
	if json.Unmarshal(tool.Schema, &schema) != nil || len(schema.Properties) == 0 {
		return raw, nil
	}
	var f fields
	if err := json.Unmarshal(raw, &f); err != nil {
		return nil, err
	}
	t := m.Head().MessageType
	widen(t, f)
	known := f.flat()
	args := fields{}
	for name, property := range schema.Properties {
		switch v, ok := known[name]; {
		case ok && string(v) != "null":
			args[name] = fitted(v, wanted(property))
		case carriesMessage(name):
			args[name] = fitted(raw, wanted(property))
		case slices.Contains(schema.Required, name):
			args[name] = blank(wanted(property))
		}
	}
	return json.Marshal(args)
}

// wanted returns the type of a property, if its schema names one.
func wanted(property json.RawMessage) string {
	var one struct{ Type string }
	var several struct{ Type []string }
	if json.Unmarshal(property, &one) == nil {
		return one.Type
	}
	_ = json.Unmarshal(property, &several)
	for _, t := range several.Type {
		if t != "null" {
			return t
		}
	}
	return ""
}

// carriesMessage reports whether an argument of that name is the whole message.
func carriesMessage(name string) bool {
	return slices.Contains([]string{"message", "msg", "envelope", "params", "request", "payload", "data"}, name)
}

// flat lists the members of f and, where they are free, those of the objects in it.
func (f fields) flat() fields {
	out := fields{}
	for name, v := range f {
		out[name] = v
	}
	for name := range f {
		for inner, v := range f.object(name) {
			if _, taken := out[inner]; !taken {
				out[inner] = v
			}
		}
	}
	return out
}

// fitted writes a value as the type that a schema wants, where that is plain.
func fitted(v json.RawMessage, want string) json.RawMessage {
	isText := len(v) > 0 && v[0] == '"'
	switch {
	case want == "string" && !isText:
		return mustMarshal(string(v), v)
	case (want == "integer" || want == "number") && isText:
		var round Round
		if json.Unmarshal(v, &round) == nil {
			return mustMarshal(round, v)
		}
	}
	return v
}

// blank is the value of an argument that a schema requires and no message has.
func blank(want string) json.RawMessage {
	switch want {
	case "integer", "number":
		return json.RawMessage("0")
	case "boolean":
		return json.RawMessage("false")
	case "array":
		return json.RawMessage("[]")
	case "object":
		return json.RawMessage("{}")
	}
	return json.RawMessage(`""`)
}
