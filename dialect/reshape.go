package dialect

import (
	"slices"
	"strings"

	"agentleague/dialect/notation"
)

// reshaped lists other arrangements of a message's members, for a peer that accepts the name of the message but refuses
// its members. The first told encodings follow from the peer's complaint; the rest are guesses.
func reshaped(f notation.Form, complaint string) (forms []notation.Form, told int) {
	if strings.Contains(f.Shape, ".") || f.Shape != "" && !bases[f.Shape] || f.Frame == "mcp" || f.Apart() {
		return nil, 0
	}
	order := []string{"full", "wide", "rounds", "numbers", "named", "formal", "spare"}
	said := strings.ToLower(complaint)
	for _, c := range complaints {
		if c.isIn(said, f.Frame) {
			order, told = slices.Insert(order, 0, c.shape), told+1
		}
	}
	for _, shape := range order {
		other := f
		if other.Shape = shape; f.Shape != "" {
			other.Shape = f.Shape + "." + shape
		}
		forms = append(forms, other)
	}
	return distinct(forms), told
}

// bases are the shapes that can be combined with a second one. The base depends on the name of the message, the second
// shape rearranges its members.
var bases = map[string]bool{"wide": true, "assignment": true, "announcement": true, string(camel): true}

// A complaint maps error texts about members to the shape that avoids the error.
type complaint struct {
	shape string
	frame string // in which it helps; "": in any
	words []string
}

// complaints lists the known complaints. Later entries are tried first.
var complaints = []complaint{
	{"wide", "", []string{"field required", "missing"}},
	{"full", "", []string{"null", "none is not", "input_value=none"}},
	{"rounds", "", []string{"round_id", "round id"}},
	{"spare", "", []string{"extra", "additional propert", "unexpected keyword"}},
	{"named", "", []string{"sender"}},
	{"formal", "", []string{"sender must"}},
	{"terse", "data", []string{"match pattern", "extra inputs", "extra_forbidden"}},
}

// isIn reports whether a peer's error text, in lower case, matches complaint c for a message in that framing.
func (c complaint) isIn(said, frame string) bool {
	if c.frame != "" && c.frame != frame || c.shape == "wide" && containsAny(said, framing...) {
		return false
	}
	return containsAny(said, c.words...)
}

// framing lists members of the framings as peers quote them. A peer
// that misses one of them objects to the framing, not to the members of the message.
var framing = []string{
	`"method"`, `"jsonrpc"`, `"params"]`, `"message_type"`, `"message"]`, `["body"]`, `"arguments"]`, `"data"]`,
}
