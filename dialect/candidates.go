package dialect

import (
	"slices"
	"strings"

	"agentleague/protocol"
)

// MaxCandidates is how many forms of a message a peer is offered in all.
const MaxCandidates = 12

// frameOrder is the order in which framings are tried: the most common among
// the agents that were met comes first.
var frameOrder = []string{"call", "type", "bare", "tool", "message", "data"}

// Candidates lists the forms in which a peer with dialect d may understand a message, the likeliest first. A form
// that is known is the only one.
//
// There are more forms than a peer is offered ([MaxCandidates]), so the order matters: forms of many agents come
// before those of one or two, without duplicates.
func Candidates(d protocol.Dialect, t protocol.Type) []protocol.Form {
	if f, ok := d.Forms[t]; ok {
		return []protocol.Form{f}
	}
	peer := known{d, habitOf(d)}
	forms := append(peer.ranked(t), peer.listed(t)...)
	if t.Registers() {
		forms = slices.Insert(forms, 1, protocol.Form{Frame: "rest", Path: "/register"})
	}
	return peer.placed(distinct(forms))
}

// listed lists the forms in the order of how many agents have them, those of the peer's row first.
func (k known) listed(t protocol.Type) []protocol.Form {
	row, sure := k.likely()
	own := k.names(row, t)
	forms := own.all()
	if !sure {
		forms = slices.Clone(own.common)
	}
	if row.Frame == "tool" && !sure { // an agent that registers by a tool may have none for the other messages
		forms = append(forms, k.names(rowOf("protocol"), t).common...)
	}
	if t == protocol.TypeStartMatch {
		forms = append(forms, startForms(k.habit)...)
	}
	forms = append(forms, k.others(t, 0, 1, frameOrder...)...)
	forms = append(forms, k.others(t, 1, 5, "call", "tool")...)
	forms = append(forms, own.rare...)
	for _, frame := range frameOrder {
		forms = append(forms, k.names(rowOf(frame), t).all()...)
	}
	forms = append(forms, k.others(t, 0, 1, "mcp")...) // last: a server that needs it names it in its error
	return forms
}

// likely returns the row that the peer most likely speaks. It is sure if a
// message was understood in it; otherwise it is the row of the peer's own messages.
func (k known) likely() (r Row, sure bool) {
	own := rowNamed(k.Row)
	for _, t := range learnedFrom {
		f, ok := k.Forms[t]
		switch {
		case !ok || framers[f.Frame] == nil && f.Frame != "mcp" || f.Apart(): // it has no information about other messages
		case f.Frame == own.Frame:
			return own, true
		default:
			return rowOf(f.Frame), true
		}
	}
	return own, false
}

// habitOf returns how the names of a peer's methods begin, if they have a
// beginning of their own: an agent with a method receive_game_invitation most
// likely has a receive_game_over too.
func habitOf(d protocol.Dialect) string {
	for _, t := range learnedFrom {
		spec, _ := protocol.Lookup(t)
		if f, ok := d.Forms[t]; ok && byName(f) && f.Name != spec.Method {
			prefix, _, _ := strings.Cut(f.Name, "_")
			return prefix + "_"
		}
	}
	return ""
}

// others lists the common names from the first to before the last in some frames: every frame's first before any
// frame's second.
func (k known) others(t protocol.Type, first, last int, frames ...string) (forms []protocol.Form) {
	for i := first; i < last; i++ {
		for _, frame := range frames {
			if names := k.names(rowOf(frame), t).common; i < len(names) {
				forms = append(forms, names[i])
			}
		}
	}
	return forms
}

// placed gives forms the path at which the peer has understood a message, if there is one.
func (k known) placed(forms []protocol.Form) []protocol.Form {
	path := ""
	for _, t := range learnedFrom {
		if f, ok := k.Forms[t]; ok && f.Path != "" && !f.Apart() {
			path = f.Path
		}
	}
	for i := range forms {
		if forms[i].Path == "" {
			forms[i].Path = path
		}
	}
	return forms
}

func (k known) names(r Row, t protocol.Type) naming { return namesIn(r, t, k.habit) }

// startForms are the ways of starting a match that are tried before any other.
// There are more of them among the agents that were met than of doing anything else.
func startForms(habit string) []protocol.Form {
	calls := namesIn(rowOf("call"), protocol.TypeStartMatch, habit).all()
	types := namesIn(rowOf("type"), protocol.TypeStartMatch, habit).all()
	query := protocol.Form{Frame: "query", Shape: "wide", Path: "/admin/run_match"}
	return append(slices.Concat(calls[:5], types[:3]), query)
}

// A naming lists the names of a message in one frame: those of many agents, and those of one or two.
type naming struct{ common, rare []protocol.Form }

func (n naming) all() []protocol.Form { return slices.Concat(n.common, n.rare) }

// namesIn lists the forms of a message in a row. Names that begin with the
// peer's habit come first.
func namesIn(r Row, t protocol.Type, habit string) naming {
	w := wordingOf(t)
	names, common := w.types, 1+w.otherTypes
	switch r.Frame {
	case "call", "tool":
		names, common = w.calls, w.commonly()
		if r.Frame == "tool" && slices.Contains(names, "notify") { // a method of many agents, a tool of hardly any
			names = append(without(names, "notify"), "notify")
			common = min(common, 4)
		}
		if habit != "" {
			names = slices.Clone(names)
			slices.SortStableFunc(names, func(a, b string) int { return lead(b, habit) - lead(a, habit) })
		}
	case "mcp":
		names = []string{""}
	}
	if own, ok := r.Names[t]; ok {
		if at := slices.Index(names, own); at < 0 || at >= common {
			common++
		}
		names = append([]string{own}, without(names, own)...)
	}
	var forms []protocol.Form
	for _, name := range names {
		name, shape, _ := strings.Cut(name, "+")
		forms = append(forms, protocol.Form{Frame: r.Frame, Name: name, Shape: shape})
	}
	common = min(common, len(forms))
	return naming{common: forms[:common], rare: forms[common:]}
}

// isCommon reports whether many agents take a message in a form: under a name
// that is common in its frame. Of the frames that go by message types only the
// first name counts, unless the frame's own row has another.
func isCommon(f protocol.Form, t protocol.Type) bool {
	f = undressed(f)
	row := rowOf(f.Frame)
	common := namesIn(row, t, "").common
	if !byName(f) && row.Names[t] == "" {
		common = common[:min(1, len(common))]
	}
	return slices.Contains(common, f)
}

// isFirst reports whether a message goes by no name in a form's frame before this one.
func isFirst(f protocol.Form, t protocol.Type) bool {
	common := namesIn(rowOf(f.Frame), t, "").common
	return len(common) > 0 && undressed(f) == common[0]
}

// without returns names but for one of them.
func without(names []string, one string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == one })
}

// lead is 1 for a name that begins with prefix, and 0 for any other.
func lead(name, prefix string) int {
	if strings.HasPrefix(name, prefix) {
		return 1
	}
	return 0
}

// distinct removes duplicates from a list and keeps the order, in which the likeliest form comes first.
func distinct(forms []protocol.Form) (out []protocol.Form) {
	for _, f := range forms {
		if !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return out
}
