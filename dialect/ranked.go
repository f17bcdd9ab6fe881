package dialect

import (
	"slices"
	"strings"

	"agentleague/dialect/notation"
	"agentleague/protocol"
)

// ranked lists the encodings that follow from the evidence about a peer, the likeliest first: all axes as shown, then
// variations of one axis with other common values. Apart from learned paths it is empty for a peer that has shown only
// a framing, which [Candidates] handles.
func (k known) ranked(t protocol.Type) (forms []notation.Form) {
	a := k.axes()
	forms = k.restLearned(t)
	if a.isPlain() {
		return forms
	}
	own, sure := k.likely()
	if a.frame == "" || a.frame == "rest" {
		a.frame = own.Frame
	}
	if own.Frame != a.frame {
		own = rowOf(a.frame)
	}
	names := k.names(own, t)
	forms = append(forms, a.dressAll(names.common)...)
	if sure {
		forms = append(forms, a.dressAll(names.rare)...)
	}
	forms = append(forms, a.dressAll(k.others(t, 0, 1, "call", "type", "tool", "message"))...)
	if k.axes().lower || a.spelling != "" && a.spelling != snake { // the spelling may be that of its registration alone
		plain := a
		plain.spelling = snake
		forms = append(forms, plain.dressAll(names.common[:min(2, len(names.common))])...)
	}
	return append(forms, a.dressAll(names.rare)...)
}

// dressAll sets the known axes in forms of which only framing, name and shape are set.
func (a axes) dressAll(forms []notation.Form) []notation.Form {
	forms = slices.Clone(forms)
	if a.lower {
		slices.SortStableFunc(forms, func(x, y notation.Form) int { return lowerLast(x) - lowerLast(y) })
	}
	for i, f := range forms {
		forms[i] = a.dress(f)
	}
	return forms
}

// lowerLast returns 0 for an encoding whose name is a message type in lower case, and 1 for any other.
func lowerLast(f notation.Form) int {
	if byName(f) && isTypeInLower(f.Name) {
		return 0
	}
	return 1
}

// dress fills the known axes into one encoding.
func (a axes) dress(f notation.Form) notation.Form {
	if a.camel && f.Frame != "mcp" {
		f.Shape = strings.TrimPrefix(f.Shape+"."+string(camel), ".")
	}
	switch f.Frame {
	case "call", "tool":
		f.Name = a.spelling.write(f.Name)
		f.Body = a.bodyIn(f.Frame)
	case "type":
		f.Body = a.bodyIn(f.Frame)
	case "message":
		f.Body, f.One = a.bodyIn(f.Frame), a.one
	case "bare", "rest":
		f.Body = a.bodyIn(f.Frame)
	}
	return f
}

// baseForm reduces an encoding to its framing, its name in snake case and its shape without the camel suffix.
func baseForm(f notation.Form) notation.Form {
	shape := strings.TrimSuffix(strings.TrimSuffix(f.Shape, string(camel)), ".")
	name := f.Name
	if byName(f) {
		name = snakeOf(name)
	}
	return notation.Form{Frame: f.Frame, Name: name, Shape: shape}
}
