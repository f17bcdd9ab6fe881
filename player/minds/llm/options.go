package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"agentleague/game"
	"agentleague/player/minds/llm/chat"
	"agentleague/protocol"
)

// options are the names of the legal moves in the prompt.
type options struct {
	moves    []game.Move
	names    []json.RawMessage // the model's answer for each move
	kind     string            // of the names: string or integer
	numbered bool              // the names are numbers of ours, from 1
}

// optionsOf names the legal moves for the model. If all are words, or all are whole numbers, they name themselves;
// otherwise their names are their positions in the list, from 1.
func optionsOf(moves []game.Move) options {
	for _, kind := range []string{"string", "integer"} {
		o := options{moves: moves, kind: kind}
		for _, m := range moves {
			if name, ok := named(m, kind); ok {
				o.names = append(o.names, name)
			}
		}
		if len(o.names) == len(moves) {
			return o
		}
	}
	o := options{moves: moves, kind: "integer", numbered: true}
	for i := range moves {
		o.names = append(o.names, json.RawMessage(strconv.Itoa(i+1)))
	}
	return o
}

// named returns a move as JSON of a kind, and false if it is not of that kind.
func named(m game.Move, kind string) (json.RawMessage, bool) {
	var v any
	d := json.NewDecoder(bytes.NewReader(m))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return nil, false
	}
	switch v := v.(type) {
	case string:
		name, err := json.Marshal(v)
		return name, err == nil && kind == "string"
	case json.Number:
		n, err := strconv.Atoi(v.String())
		return json.RawMessage(strconv.Itoa(n)), err == nil && kind == "integer"
	}
	return nil, false
}

// schema returns a JSON Schema that permits only the legal moves.
func (o options) schema() json.RawMessage {
	text, _ := json.Marshal(map[string]any{ // names are JSON
		"type": "object", "additionalProperties": false, "required": []string{"move"},
		"properties": map[string]any{"move": map[string]any{"type": o.kind, "enum": o.names}},
	})
	return text
}

// list lists the legal moves.
func (o options) list() string {
	var b strings.Builder
	for i, name := range o.names {
		switch {
		case o.numbered:
			fmt.Fprintf(&b, "%s means %s\n", name, safe(o.moves[i]))
		case i > 0:
			b.WriteString(", ")
			fallthrough
		default:
			b.WriteString(string(safe(name)))
		}
	}
	return strings.TrimSpace(b.String())
}

// safe is JSON without our own marks.
func safe(raw json.RawMessage) json.RawMessage {
	text, err := json.Marshal(raw)
	if err != nil {
		return json.RawMessage("null")
	}
	return text
}

// Feedback on an unreadable answer, for the model's next try.
var (
	errCut    = errors.New("the answer was cut off before it ended; answer with the JSON object alone")
	errNoMove = errors.New(`the answer holds no JSON object with a member "move"`)
)

// read returns the legal move in an answer, or an error that is sent to the model.
func (o options) read(a chat.Answer) (game.Move, error) {
	said, found := moveIn(a.Text)
	switch {
	case !found && a.Cut:
		return nil, errCut
	case !found:
		return nil, errNoMove
	}
	for i, name := range o.names {
		if same(said, name) {
			return o.moves[i], nil
		}
	}
	return nil, fmt.Errorf("%s is not a legal move", protocol.Plain(protocol.Clip(string(said), 80)))
}

// moveIn returns the field "move" of the last JSON object in a text that has one. The text may have other words around
// the object.
func moveIn(text string) (move json.RawMessage, found bool) {
	for at := 0; at < len(text); {
		next := strings.IndexByte(text[at:], '{')
		if next < 0 {
			break
		}
		at += next
		var object struct {
			Move json.RawMessage `json:"move"`
		}
		d := json.NewDecoder(strings.NewReader(text[at:]))
		if err := d.Decode(&object); err != nil {
			if errors.Is(err, io.ErrUnexpectedEOF) && strings.Count(text[at:], "{") > 64 {
				break // it opens more than it closes
			}
			at++
			continue
		}
		if len(object.Move) > 0 && string(object.Move) != "null" {
			move, found = object.Move, true
		}
		at += int(d.InputOffset())
	}
	return move, found
}

// same reports whether a model's move is the name of an option. A number in quotes equals the number.
func same(said, name json.RawMessage) bool {
	var a, b any
	if json.Unmarshal(said, &a) != nil || json.Unmarshal(name, &b) != nil {
		return false
	}
	if a == b {
		return true
	}
	text, ok := a.(string)
	return ok && strings.TrimSpace(text) == strings.Trim(string(name), `"`)
}
