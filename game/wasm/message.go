package wasm

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Operations that a module is asked for.
const (
	opInfo  = "info"
	opStart = "start"
	opApply = "apply"
)

// A request is a message to a module. Its members have a fixed order and no spaces, so that a module can read them
// without a JSON parser.
type request struct {
	Op    string            `json:"op"`
	Seats int               `json:"seats,omitempty"`
	Draws []int             `json:"draws,omitzero"` // the numbers that it has asked for so far in this step
	State json.RawMessage   `json:"state,omitempty"`
	Moves []json.RawMessage `json:"moves,omitempty"` // one for each seat, as its options have it; null of a seat that is not to move
}

// An answer to start or apply is a position, a request for random numbers, or an error.
type answer struct {
	State   json.RawMessage `json:"state"`
	ToMove  []int           `json:"to_move"`
	Views   []view          `json:"views"`
	Watch   json.RawMessage `json:"watch"` // the view of a spectator
	Outcome *outcome        `json:"outcome"`
	Draw    []int           `json:"draw"` // a number from 1 to each of these is wanted
	Error   string          `json:"error"`
}

// A view is the view and the legal moves of one seat.
type view struct {
	MoveType string            `json:"move_type"`
	Options  []json.RawMessage `json:"valid_options"`
	Context  json.RawMessage   `json:"context"`
}

// An outcome is how a match ended.
type outcome struct {
	Scores  []int                      `json:"scores"`
	Reason  string                     `json:"reason"`
	Details map[string]json.RawMessage `json:"details"`
}

// ask sends a request and reads the answer into v.
func (m *module) ask(r request, v any) error {
	sent, err := json.Marshal(r)
	if err != nil {
		return &moduleError{What: "its state is not JSON", Cause: err}
	}
	text, err := m.call(sent)
	if err != nil {
		return err
	}
	return decode(text, v)
}

// decode decodes an answer strictly. Unknown members are errors, because a typo would otherwise go unnoticed.
func decode(text []byte, v any) error {
	if !utf8.Valid(text) || !json.Valid(text) {
		return failed("its answer is not JSON")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return &moduleError{What: "its answer is not as the guide to games says", Cause: err}
	}
	if _, err := d.Token(); err != io.EOF {
		return failed("its answer is not JSON")
	}
	return nil
}

// compact returns JSON without spaces, or false if raw is not valid JSON.
func compact(raw json.RawMessage) (json.RawMessage, bool) {
	var out bytes.Buffer
	if len(raw) == 0 || json.Compact(&out, raw) != nil {
		return nil, false
	}
	return out.Bytes(), true
}

// isObject reports whether JSON is an object.
func isObject(raw json.RawMessage) bool { return len(raw) > 0 && raw[0] == '{' }

// canonical returns a normalized form of JSON, so that moves can be compared. It returns false for invalid JSON.
func canonical(raw json.RawMessage) (string, bool) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return "", false
	}
	if _, err := d.Token(); err != io.EOF {
		return "", false
	}
	out, err := json.Marshal(v)
	return string(out), err == nil
}

// plain converts a module's text to one printable line of at most 200 characters.
func plain(words string) string {
	words = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, words)
	if letters := []rune(words); len(letters) > 200 {
		words = string(letters[:200]) + "…"
	}
	return strings.TrimSpace(words)
}
