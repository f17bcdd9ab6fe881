package dialect

import (
	"encoding/json"
	"slices"
	"strings"

	"agentleague/protocol"
)

// A Tool is a tool of a real MCP server as the server describes it.
type Tool struct {
	Name   string
	Schema json.RawMessage // of its arguments
}

// PickTool finds the tool that takes a type of message: by a name that such
// tools go by, or else by a word that is in the tool's name.
func PickTool(t protocol.Type, tools []Tool) (Tool, bool) {
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
	return Tool{}, false
}

// toolWords are parts of names by which a tool is known that has none of the usual names.
var toolWords = map[protocol.Type][]string{
	protocol.TypeGameInvitation:        {"invit", "join"},
	protocol.TypeChooseParityCall:      {"parity", "choose", "choice"},
	protocol.TypeGameMoveCall:          {"move"},
	protocol.TypeGameOver:              {"game_over", "gameover", "match_result", "result"},
	protocol.TypeRoundAnnouncement:     {"round_announce", "announce", "notify_round"},
	protocol.TypeLeagueStandingsUpdate: {"standing"},
	protocol.TypeGameError:             {"error"},
}

// Arguments writes a message as the arguments of a tool. A tool that declares
// its arguments gets those and no others; one that declares none gets all.
func (tool Tool) Arguments(m protocol.Message) (json.RawMessage, error) {
	raw, err := protocol.Encode(m)
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
	known := flattened(f)
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

// flattened lists the members of f, and those of the objects in it whose names are not taken.
func flattened(f fields) fields {
	out := fields{}
	for name, v := range f {
		out[name] = v
	}
	for name := range f {
		for inner, v := range f.Object(name) {
			if _, taken := out[inner]; !taken {
				out[inner] = v
			}
		}
	}
	return out
}

// fitted writes a value as the type that a schema wants, where it can be.
func fitted(v json.RawMessage, want string) json.RawMessage {
	isText := len(v) > 0 && v[0] == '"'
	switch {
	case want == "string" && !isText:
		return marshalOr(string(v), v)
	case (want == "integer" || want == "number") && isText:
		var round protocol.Round
		if json.Unmarshal(v, &round) == nil {
			return marshalOr(round, v)
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
