package player

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"agentleague/game"
)

// Choices lists what may be played in a turn, as a person writes it: even, or 4.
func (t Turn) Choices() (out []string) {
	for _, o := range t.View.Options {
		out = append(out, Written(o))
	}
	return out
}

// Read finds the move that is meant by what somebody gave: the JSON of it, or
// its text, in capitals or not. Where a referee does not tell what may be played,
// any JSON is taken.
func (t Turn) Read(given json.RawMessage) (game.Move, error) {
	var compact bytes.Buffer
	if err := json.Compact(&compact, given); err != nil {
		return nil, fmt.Errorf("a move is JSON, such as \"even\" or 4: %w", err)
	}
	if len(t.View.Options) == 0 {
		return compact.Bytes(), nil
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
