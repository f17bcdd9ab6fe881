package player

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"agentleague/game"
)

// Choices returns the legal moves of a turn in the form that a person writes: even, or 4.
func (t Turn) Choices() (out []string) {
	for _, o := range t.View.Options {
		out = append(out, Written(o))
	}
	return out
}

// Read parses a move, given as JSON or as plain text in any case, and returns an error if it is not an option. If the
// turn has no options, any JSON is accepted; a string that contains a JSON number, list or object is read as that.
func (t Turn) Read(given json.RawMessage) (game.Move, error) {
	var compact bytes.Buffer
	if err := json.Compact(&compact, given); err != nil {
		return nil, fmt.Errorf("a move is JSON, such as \"even\" or 4: %w", err)
	}
	if len(t.View.Options) == 0 {
		return meant(compact.Bytes()), nil
	}
	said := strings.TrimSpace(Written(compact.Bytes()))
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold, sameJSON} {
		for _, o := range t.View.Options {
			if same(said, Written(o)) {
				return o, nil
			}
		}
	}
	return nil, fmt.Errorf("%.40q cannot be played now; play one of: %s", said, strings.Join(t.Choices(), ", "))
}

// Written returns a move in the form that a person writes: a JSON string without its quotes, any other JSON unchanged.
func Written(m game.Move) string {
	var text string
	if json.Unmarshal(m, &text) == nil {
		return text
	}
	var compact bytes.Buffer
	if json.Compact(&compact, m) != nil {
		return string(m)
	}
	return compact.String()
}

// sameJSON reports whether two texts are the same JSON value, however they are formatted.
func sameJSON(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && reflect.DeepEqual(x, y)
}

// meant returns the JSON value inside of a move that is a string with JSON in it, or else the move unchanged. Chat
// hosts send every move as a string, even in games without options.
func meant(given game.Move) game.Move {
	inner := []byte(strings.TrimSpace(Written(given)))
	var compact bytes.Buffer
	if len(inner) > 0 && strings.IndexByte("-0123456789[{", inner[0]) >= 0 && json.Compact(&compact, inner) == nil {
		return compact.Bytes()
	}
	return given
}
