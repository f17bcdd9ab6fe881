package check

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// A mutation makes a request invalid. It is called with every JSON object in the request, at any depth, because some
// dialects nest the message.
type mutation func(object map[string]any)

// mutated returns a body with the mutations applied to each of its objects, and a description of the changes.
func mutated(body []byte, mutations []mutation) (out []byte, wrong string) {
	var v any
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if len(mutations) == 0 || d.Decode(&v) != nil {
		return body, ""
	}
	walk(v, func(o map[string]any) {
		before := maps.Clone(o)
		for _, m := range mutations {
			m(o)
		}
		if wrong == "" {
			wrong = difference(before, o)
		}
	})
	out, err := json.Marshal(v)
	if err != nil {
		return body, ""
	}
	return out, wrong
}

// difference describes the changes to an object.
func difference(before, after map[string]any) string {
	for _, name := range slices.Sorted(maps.Keys(after)) {
		value, _ := json.Marshal(after[name])
		if was, _ := json.Marshal(before[name]); !bytes.Equal(was, value) {
			return fmt.Sprintf("with %q: %s", name, redacted(value))
		}
	}
	for name := range before {
		if _, ok := after[name]; !ok {
			return fmt.Sprintf("without %q", name)
		}
	}
	return ""
}

// walk applies a mutation to every object in v, at any depth. A mutation that replaces members also sees the new ones.
func walk(v any, m mutation) {
	switch v := v.(type) {
	case map[string]any:
		m(v)
		for _, inner := range v {
			walk(inner, m)
		}
	case []any:
		for _, inner := range v {
			walk(inner, m)
		}
	}
}

// textIn returns the first string member with the given name in a body, at any depth; "" if there is none.
func textIn(body []byte, name string) (text string) {
	var v any
	_ = json.Unmarshal(body, &v)
	walk(v, func(o map[string]any) {
		if value, ok := o[name].(string); ok && text == "" {
			text = value
		}
	})
	return text
}
