package player

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"agentleague/game"
)

// Choices lists the legal moves of a turn, as a person writes them: even, or 4.
func (t Turn) Choices() (out []string) {
	for _, o := range t.View.Options {
		out = append(out, Written(o))
	}
	return out
}

// Read parses a move: JSON, or its text, in any case. If the referee lists no options, any JSON is accepted, and a
// text with the JSON of a number, a list or an object is read as that.
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

// Written is a move as a person writes it: a text without its quotes.
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

// sameJSON reports whether two texts are the same JSON: a move that is an object may be given as its text.
func sameJSON(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && reflect.DeepEqual(x, y)
}

// meant normalizes the JSON of a move without options: hosts write every move as a text.
func meant(given game.Move) game.Move {
	inner := []byte(strings.TrimSpace(Written(given)))
	var compact bytes.Buffer
	if len(inner) > 0 && strings.IndexByte("-0123456789[{", inner[0]) >= 0 && json.Compact(&compact, inner) == nil {
		return compact.Bytes()
	}
	return given
}
