package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// A Change is a JSON merge patch (RFC 7396) for the settings of a league: new values of members, and nil for members to
// remove.
type Change map[string]any

// Set sets the value at a dotted path, such as schedule.cycles.
func (c Change) Set(path string, value any) {
	at := map[string]any(c)
	name, rest, nested := strings.Cut(path, ".")
	for ; nested; name, rest, nested = strings.Cut(rest, ".") {
		inner, ok := at[name].(map[string]any)
		if !ok {
			inner = map[string]any{}
			at[name] = inner
		}
		at = inner
	}
	at[name] = value
}

// With returns the settings after a change. If the result is invalid, the error names the key.
func (v League) With(change Change) (League, error) {
	text, err := Document(v)
	if err != nil {
		return League{}, err
	}
	text, err = change.merge(text)
	if err != nil {
		return League{}, err
	}
	s, err := parse("", text)
	if err != nil {
		return League{}, err
	}
	if unknown := s.unknown(reflect.TypeFor[League]()); len(unknown) > 0 {
		return League{}, errors.New(unknown[0])
	}
	return readLeague("", text, v.LeagueID)
}

// Merge applies the change to the text of a league's settings file and returns the new text. All other members,
// including unknown ones, keep their values and their order.
func (c Change) Merge(file, id string, text []byte) ([]byte, error) {
	text, err := c.merge(bytes.TrimPrefix(text, byteOrderMark))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	_, err = readLeague(file, text, id)
	return text, err
}

// merge returns a document with the change.
func (c Change) merge(text []byte) ([]byte, error) {
	if len(c) == 0 {
		return text, nil
	}
	change, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	var line bytes.Buffer
	if err := json.Compact(&line, merged(text, change)); err != nil {
		return nil, err
	}
	return append(appendIndented(nil, line.Bytes()), '\n'), nil
}

// A field is a member of a JSON object.
type field struct {
	name  string
	value json.RawMessage
}

// merged applies a JSON merge patch and keeps the order of the members.
func merged(text, change json.RawMessage) json.RawMessage {
	changes, ok := fields(change)
	if !ok {
		return change
	}
	all, _ := fields(text)
	for _, c := range changes {
		at := slices.IndexFunc(all, func(f field) bool { return f.name == c.name })
		switch {
		case string(c.value) == "null" && at >= 0:
			all = slices.Delete(all, at, at+1)
		case string(c.value) == "null":
		case at >= 0:
			all[at].value = merged(all[at].value, c.value)
		default:
			all = append(all, field{c.name, merged(nil, c.value)})
		}
	}
	out := []byte("{")
	for i, f := range all {
		if i > 0 {
			out = append(out, ',')
		}
		name, _ := json.Marshal(f.name) // a text
		out = append(append(append(out, name...), ':'), f.value...)
	}
	return append(out, '}')
}

// fields returns the members of a JSON object in order; false if the text is not an object.
func fields(text []byte) (all []field, ok bool) {
	d := json.NewDecoder(bytes.NewReader(text))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, false
	}
	for d.More() {
		name, err := d.Token()
		f := field{}
		if err != nil || d.Decode(&f.value) != nil {
			return nil, false
		}
		f.name, _ = name.(string)
		all = append(all, f)
	}
	return all, true
}
