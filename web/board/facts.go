package board

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"agentleague/league/view"
	"agentleague/protocol"
	"agentleague/protocol/grid"
)

// A Fact is an item of a game's context in a form for people.
type Fact struct {
	Name  string     `json:"name"`            // in words: your standings
	Value string     `json:"value,omitempty"` // one line
	Grid  [][]string `json:"grid,omitempty"`  // rows of cells, if the value is a grid
	Rows  []Fact     `json:"rows,omitempty"`  // of an object with many members, each
}

// The limits of the facts that a page shows.
const (
	factsMost   = 24
	factMost    = 200 // characters
	gridMost    = 30  // rows, and cells in each
	lineMost    = 6   // members of an object on one line
	entriesMost = 60  // members of an object that are listed
)

// shownElsewhere are the context members that the page shows in another form: as the choices, or with the opponent's
// name.
var shownElsewhere = []string{
	"opponent_id", "player_id", "match_id", "league_id", "game_type", "valid_options", "options",
}

// boardMembers are the members that a board contains, or that its page shows beside it.
var boardMembers = []string{"board", "board_rows", "board_columns", "line", "mark"}

// Besides returns the facts of a game's context that the page does not show elsewhere. If the context has a board, its
// nested lists are omitted too, since they repeat the board.
func Besides(context json.RawMessage) []Fact {
	_, drawn := grid.Read(context)
	return factsOf(context, func(m member) bool {
		return slices.Contains(shownElsewhere, m.name) ||
			drawn && (slices.Contains(boardMembers, m.name) || isNested(m.value))
	})
}

// sideFirst matches the sides at the beginnings of the members of a fact, such as "first 3, second 2".
var sideFirst = regexp.MustCompile(`(^|, )(first|second|you|opponent)\b`)

// Named replaces the sides in facts, such as "first" or "you", by the names of the players.
func Named(facts []Fact, names map[string]string) []Fact {
	out := slices.Clone(facts)
	for i, f := range out {
		if name := names[f.Value]; name != "" {
			out[i].Value = name
			continue
		}
		out[i].Value = sideFirst.ReplaceAllStringFunc(f.Value, func(found string) string {
			side := strings.TrimPrefix(found, ", ")
			if name := names[side]; name != "" {
				return strings.TrimSuffix(found, side) + name + ":"
			}
			return found
		})
		out[i].Value = nothing.Replace(out[i].Value + "\n")
	}
	return out
}

// nothing marks sides without a value.
var nothing = strings.NewReplacer(":,", ": –,", ":\n", ": –", "\n", "")

// isNested reports whether a value is a list of lists or objects, or contains such a list.
func isNested(raw json.RawMessage) bool {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil && len(list) > 0 {
		first := bytes.TrimSpace(list[0])
		return len(first) > 0 && (first[0] == '[' || first[0] == '{')
	}
	members, _ := membersOf(raw)
	return slices.ContainsFunc(members, func(m member) bool { return isNested(m.value) })
}

// factsOf converts a game's context to facts: the members of an object, in their order, without those to skip. A
// context that is no object is one fact.
func factsOf(context json.RawMessage, skip func(member) bool) (out []Fact) {
	members, ok := membersOf(protocol.RedactMessage(context))
	if !ok {
		if text := Plain(context); text != "" {
			out = append(out, Fact{Name: "position", Value: view.Clean(text, factMost)})
		}
		return out
	}
	for _, m := range members {
		if skip(m) || protocol.SecretName(m.name) || len(out) == factsMost {
			continue
		}
		f := Fact{Name: view.Clean(view.Words(strings.TrimSuffix(m.name, "_id")), 60)}
		if f.Grid, f.Rows = gridOf(m.value), rowsIn(m.value); f.Grid == nil && f.Rows == nil {
			f.Value = view.Clean(Plain(m.value), factMost)
		}
		if f.Grid != nil || f.Rows != nil || f.Value != "" {
			out = append(out, f)
		}
	}
	return out
}

// rowsIn lists the members of an object with many; nil for any other value.
func rowsIn(raw json.RawMessage) (out []Fact) {
	members, ok := membersOf(raw)
	if !ok || len(members) <= lineMost {
		return nil
	}
	for _, m := range members[:min(len(members), entriesMost)] {
		out = append(out, Fact{Name: view.Clean(view.Words(m.name), 60), Value: view.Clean(Plain(m.value), factMost)})
	}
	return out
}

// A member is a member of a JSON object.
type member struct {
	name  string
	value json.RawMessage
}

// membersOf lists the members of an object in their order.
func membersOf(raw json.RawMessage) (out []member, ok bool) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, false
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, false
		}
		m := member{}
		m.name, _ = name.(string)
		if d.Decode(&m.value) != nil {
			return nil, false
		}
		out = append(out, m)
	}
	return out, true
}

// gridOf parses rows of cells: a list of lists of texts and numbers; nil if it is none.
func gridOf(raw json.RawMessage) (rows [][]string) {
	var lists [][]json.RawMessage
	if json.Unmarshal(raw, &lists) != nil || len(lists) == 0 || len(lists) > gridMost {
		return nil
	}
	for _, list := range lists {
		if len(list) == 0 || len(list) > gridMost {
			return nil
		}
		row := make([]string, len(list))
		for i, cell := range list {
			row[i] = view.Clean(Plain(cell), 8)
		}
		rows = append(rows, row)
	}
	return rows
}

// Plain formats a value for people: texts without quotes, yes and no, lists with commas, and objects as "wins 2,
// losses 1".
func Plain(raw json.RawMessage) string {
	var list []json.RawMessage
	switch raw = bytes.TrimSpace(raw); {
	case len(raw) == 0 || string(raw) == "null":
		return ""
	case string(raw) == "true":
		return "yes"
	case string(raw) == "false":
		return "no"
	case json.Unmarshal(raw, &list) == nil:
		parts := make([]string, len(list))
		for i, v := range list {
			parts[i] = Plain(v)
		}
		return strings.Join(parts, ", ")
	}
	if members, ok := membersOf(raw); ok {
		var parts []string
		for _, m := range members {
			parts = append(parts, strings.TrimSpace(view.Words(m.name)+" "+Plain(m.value)))
		}
		return strings.Join(parts, ", ")
	}
	return view.MoveWords(raw)
}
