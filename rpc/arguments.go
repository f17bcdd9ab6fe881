package rpc

import (
	"encoding/json"
	"errors"
	"fmt"

	"agentleague/protocol"
)

// ReadArguments reads the arguments of a tool into a struct. Errors are for a model or a person, and so use terms of
// JSON.
func ReadArguments(raw json.RawMessage, into any) error {
	err := json.Unmarshal(arguments(raw), into)
	if err == nil {
		return nil
	}
	wrong, ok := errors.AsType[*json.UnmarshalTypeError](err)
	switch {
	case !ok:
		return errors.New("the arguments are not JSON")
	case wrong.Field == "":
		return fmt.Errorf("the arguments are %s; use an object", jsonValue(wrong.Value))
	}
	return fmt.Errorf("%s: use %s, not %s", wrong.Field, protocol.JSONKind(wrong.Type), jsonValue(wrong.Value))
}

// jsonValue describes a JSON value by the decoder's data: its kind, and for a number its digits.
func jsonValue(kind string) string {
	switch kind {
	case "string":
		return "a string"
	case "bool":
		return "true or false"
	case "array":
		return "an array"
	case "object":
		return "an object"
	case "number":
		return "a number"
	}
	return "the " + kind
}
