package dialect

import (
	"encoding/json"
	"maps"
	"slices"

	"agentleague/protocol"
)

// valid returns a value from a schema, or null if it is not valid JSON.
func valid(raw json.RawMessage) json.RawMessage {
	if !json.Valid(raw) {
		return json.RawMessage("null")
	}
	return raw
}

// fits reports whether a value can be converted to the type that a schema requires.
func fits(v json.RawMessage, want string) bool {
	switch want {
	case "object":
		return len(v) > 0 && v[0] == '{'
	case "array":
		return len(v) > 0 && v[0] == '['
	case "boolean":
		return string(v) == "true" || string(v) == "false"
	case "integer", "number":
		return json.Unmarshal(v, new(float64)) == nil || json.Unmarshal(v, new(protocol.Round)) == nil
	}
	return true
}

// flattened returns the members of f and those of the objects in f, at any depth up to maxArguments. Outer members take
// precedence, and of those at one depth the one in the object that is first by name.
func flattened(f fields) fields {
	out, level := fields{}, []fields{f}
	for range maxArguments {
		var next []fields
		for _, object := range level {
			for _, name := range slices.Sorted(maps.Keys(object)) {
				if _, taken := out[name]; !taken {
					out[name] = object[name]
				}
				if inner := object.Object(name); len(inner) > 0 {
					next = append(next, inner)
				}
			}
		}
		level = next
	}
	return out
}

// fitted converts a value to the type that a schema requires; values that cannot be converted stay unchanged.
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

// blank returns the zero value of a JSON type.
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
