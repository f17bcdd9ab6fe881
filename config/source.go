package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"agentleague/protocol"
)

// A source is the text of a document with the position of each value, so that an error can name the line.
type source struct {
	name   string // relative to the data directory
	text   []byte
	places map[string]place // by path, such as players[3].active
}

// A place is where a value begins and ends.
type place struct{ start, end int }

var byteOrderMark = []byte("\ufeff") // some editors put it first

// Decode parses the document of that name, relative to the data directory, into v. Omitted keys leave v unchanged. An
// error names the document, the line and the field.
func Decode(name string, text []byte, v any) error {
	_, err := decode(name, text, v)
	return err
}

// decode is [Decode] that also returns the positions of the values, for later errors.
func decode(name string, text []byte, v any) (*source, error) {
	s, err := parse(name, text)
	if err != nil {
		return nil, err
	}
	err = json.Unmarshal(s.text, v)
	var mistyped *json.UnmarshalTypeError
	switch {
	case errors.As(err, &mistyped):
		return nil, s.mistyped(mistyped)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

// parse returns the text with the position of each value.
func parse(name string, text []byte) (*source, error) {
	s := &source{name: name, text: bytes.TrimPrefix(text, byteOrderMark), places: map[string]place{}}
	return s, s.index()
}

// index finds the place of every value.
func (s *source) index() error {
	var whole json.RawMessage
	var broken *json.SyntaxError
	if err := json.Unmarshal(s.text, &whole); errors.As(err, &broken) {
		return fmt.Errorf("%s:%d: not JSON: %w", s.name, s.line(int(broken.Offset)-1), broken)
	}
	if start := s.skip(0); s.text[start] != '{' {
		return s.at(start, "", "want an object, got %s", s.got(place{start, len(s.text)}))
	}
	return s.walk(json.NewDecoder(bytes.NewReader(s.text)), "")
}

// walk records the positions of the next value and of all values in it. The text must be valid JSON.
func (s *source) walk(d *json.Decoder, path string) error {
	start := s.skip(int(d.InputOffset()))
	token, _ := d.Token()
	if _, twice := s.places[path]; twice {
		return s.at(start, path, "is given twice")
	}
	s.places[path] = place{start: start} // before the values in it
	if opening, ok := token.(json.Delim); ok {
		for i := 0; d.More(); i++ {
			inner := fmt.Sprintf("%s[%d]", path, i)
			if opening == '{' {
				name, _ := d.Token()
				inner = member(path, name.(string))
			}
			if err := s.walk(d, inner); err != nil {
				return err
			}
		}
		_, _ = d.Token() // the closing bracket
	}
	s.places[path] = place{start, int(d.InputOffset())}
	return nil
}

// plainName matches a key that needs no quotes in a path.
var plainName = regexp.MustCompile(`^[\w-]+$`)

// member returns the path of a member of an object.
func member(path, name string) string {
	switch {
	case !plainName.MatchString(name):
		return fmt.Sprintf("%s[%q]", path, name)
	case path == "":
		return name
	}
	return path + "." + name
}

// skip returns where the next token begins.
func (s *source) skip(at int) int {
	return len(s.text) - len(bytes.TrimLeft(s.text[at:], " \t\r\n:,"))
}

// has reports whether a file has a key, as opposed to its default.
func (s *source) has(path string) bool {
	_, ok := s.places[path]
	return ok
}

// mistyped returns the error for a value of the wrong type. The offset that encoding/json reports is after the first
// byte of an object or a list, and after the last byte of any other value.
func (s *source) mistyped(e *json.UnmarshalTypeError) error {
	if path, p := s.unread(e); path != "" { // a type with its own decoder has no offset
		return s.at(p.start, path, "want %s, got %s", want(path, e.Type), s.got(p))
	}
	for path, p := range s.places {
		if p.end == int(e.Offset) && !s.composite(p) || p.start+1 == int(e.Offset) && s.composite(p) {
			return s.at(p.start, path, "want %s, got %s", want(path, e.Type), s.got(p))
		}
	}
	return s.errorf(e.Field, "want %s, got %s", want(e.Field, e.Type), e.Value)
}

// unread returns the first plain value at the path of e that cannot be decoded into the type of e; "" if there is none.
func (s *source) unread(e *json.UnmarshalTypeError) (first string, at place) {
	for path, p := range s.places {
		if indices.ReplaceAllString(path, ".") == e.Field && !s.composite(p) && (first == "" || p.start < at.start) &&
			json.Unmarshal(s.text[p.start:p.end], reflect.New(e.Type).Interface()) != nil {
			first, at = path, p
		}
	}
	return first, at
}

// indices matches a list index that is followed by a further member.
var indices = regexp.MustCompile(`\[\d+\]\.`)

func (s *source) composite(p place) bool { return s.text[p.start] == '{' || s.text[p.start] == '[' }

// errorf describes an error at path, or at the nearest enclosing value that exists.
func (s *source) errorf(path, format string, args ...any) error {
	around := path
	for !s.has(around) {
		around = around[:max(0, strings.LastIndexAny(around, ".["))]
	}
	return s.at(s.places[around].start, path, format, args...)
}

// at returns an error with the file, the line of an offset, the key and a description.
func (s *source) at(offset int, path, format string, args ...any) error {
	if path != "" {
		path += ": "
	}
	if s.name == "" { // a Change, which has no lines
		return fmt.Errorf("%s%w", path, fmt.Errorf(format, args...))
	}
	return fmt.Errorf("%s:%d: %s%w", s.name, s.line(offset), path, fmt.Errorf(format, args...))
}

func (s *source) line(offset int) int {
	return 1 + bytes.Count(s.text[:max(0, offset)], []byte("\n"))
}

// got shows a value of the document.
func (s *source) got(p place) string {
	switch s.text[p.start] {
	case '{':
		return "an object"
	case '[':
		return "a list"
	}
	return protocol.Clip(string(bytes.TrimSpace(s.text[p.start:p.end])), 40)
}

// want returns the description of the expected value at path, by its name and type.
func want(path string, t reflect.Type) string {
	switch kind := t.Kind(); {
	case kind == reflect.Slice, kind == reflect.Array:
		return "a list"
	case kind == reflect.Struct, kind == reflect.Map:
		return "an object"
	case strings.HasSuffix(path, "_sec"):
		return "a number of seconds"
	case strings.HasSuffix(path, "_hours"):
		return "a whole number of hours"
	case strings.Contains(path, "_port"):
		return "a port"
	case kind == reflect.String:
		return "a text"
	case kind == reflect.Bool:
		return "true or false"
	case kind == reflect.Float64:
		return "a number"
	}
	return "a whole number"
}
