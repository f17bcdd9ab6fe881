package rpc

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
)

// ReadArguments reads the arguments of a tool into a struct. What is wrong with
// them is told to a model or a person, who know JSON and nothing of this program.
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
	return fmt.Errorf("%s: use %s, not %s", wrong.Field, jsonKind(wrong.Type), jsonValue(wrong.Value))
}

// jsonKind says what JSON is wanted for a type.
func jsonKind(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Float64:
		return "a number"
	case reflect.Int, reflect.Uint64:
		return "a whole number"
	case reflect.Slice:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "an object"
	}
	return "a text"
}

// jsonValue says what JSON came, of which the decoder tells the kind and of a number the digits.
func jsonValue(kind string) string {
	switch kind {
	case "string":
		return "a text"
	case "bool":
		return "true or false"
	case "array":
		return "a list"
	case "object":
		return "an object"
	case "number":
		return "a number"
	}
	return "the " + kind
}
