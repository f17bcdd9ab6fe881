package dialect

import (
	"slices"
	"strings"

	"agentleague/protocol"
)

// ranked lists the forms that follow from a peer's own messages, the likeliest first: everything as it was shown,
// then one axis after another with other common values. It is empty for a peer that has shown no more than a frame:
// [Candidates] has a list of those.
func (k known) ranked(t protocol.Type) (forms []protocol.Form) {
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

// dressAll fills the known axes into forms of which only frame and name are known.
func (a axes) dressAll(forms []protocol.Form) []protocol.Form {
	forms = slices.Clone(forms)
	if a.lower {
		slices.SortStableFunc(forms, func(x, y protocol.Form) int { return lowerLast(x) - lowerLast(y) })
	}
	for i, f := range forms {
		forms[i] = a.dress(f)
	}
	return forms
}

// lowerLast is 0 for a form named by a message type in small letters, and 1 for any other.
func lowerLast(f protocol.Form) int {
	if byName(f) && isTypeInLower(f.Name) {
		return 0
	}
	return 1
}

// dress fills the known axes into one form.
func (a axes) dress(f protocol.Form) protocol.Form {
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

// undressed returns a form with its frame, its name in our own spelling and its base shape alone.
func undressed(f protocol.Form) protocol.Form {
	shape := strings.TrimSuffix(strings.TrimSuffix(f.Shape, string(camel)), ".")
	name := f.Name
	if byName(f) {
		name = snakeOf(name)
	}
	return protocol.Form{Frame: f.Frame, Name: name, Shape: shape}
}
