package dialect

import (
	"slices"
	"strings"

	"agentleague/dialect/notation"
	"agentleague/protocol"
)

// MaxCandidates limits the number of encodings of one message that a peer is offered.
const MaxCandidates = 12

// frameOrder lists the framings in the order of trial, the most common first.
var frameOrder = []string{"call", "type", "bare", "tool", "message", "data"}

// Candidates lists the encodings in which a peer with dialect d may understand a message, the likeliest first. If the
// peer has understood a message of type t before, that encoding is the only one.
//
// There are more encodings than a peer is offered ([MaxCandidates]), so the order matters: encodings that many agents
// use come before those of one or two. There are no duplicates.
func Candidates(d notation.Dialect, t protocol.Type) []notation.Form {
	if f, ok := d.Forms[t]; ok {
		return []notation.Form{f}
	}
	peer := known{d, methodPrefixOf(d)}
	forms := append(peer.ranked(t), peer.listed(t)...)
	if t.Registers() {
		forms = slices.Insert(forms, 1, notation.Form{Frame: "rest", Path: "/register"})
	}
	return peer.placed(distinct(forms))
}

// listed lists the encodings of a message, those that most agents use first; before these come the ones of the peer's
// likely row in the table [Rows].
func (k known) listed(t protocol.Type) []notation.Form {
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
		forms = append(forms, startForms(k.methodPrefix)...)
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

// likely returns the row of the table [Rows], a known kind of agent, to which the peer most likely belongs. It is sure
// if the peer has understood a message in that row's framing; otherwise the row is derived from the peer's own
// messages.
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

// methodPrefixOf returns the prefix of a peer's method names, or "" if it uses the specification's names. An agent
// with a method receive_game_invitation most likely has receive_game_over too.
func methodPrefixOf(d notation.Dialect) string {
	for _, t := range learnedFrom {
		spec, _ := protocol.Lookup(t)
		if f, ok := d.Forms[t]; ok && byName(f) && f.Name != spec.Method {
			prefix, _, _ := strings.Cut(f.Name, "_")
			return prefix + "_"
		}
	}
	return ""
}

// others lists, for each of the given framings, the encodings with the common names number first to last-1. The first
// names of all framings come before any second name.
func (k known) others(t protocol.Type, first, last int, frames ...string) (forms []notation.Form) {
	for i := first; i < last; i++ {
		for _, frame := range frames {
			if names := k.names(rowOf(frame), t).common; i < len(names) {
				forms = append(forms, names[i])
			}
		}
	}
	return forms
}

// placed sets the path at which the peer has understood a message, if any, in all encodings that have no path.
func (k known) placed(forms []notation.Form) []notation.Form {
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

func (k known) names(r Row, t protocol.Type) naming { return namesIn(r, t, k.methodPrefix) }

// startForms lists the encodings of START_MATCH that are tried early. Observed referees differ most in this message.
func startForms(methodPrefix string) []notation.Form {
	calls := namesIn(rowOf("call"), protocol.TypeStartMatch, methodPrefix).all()
	types := namesIn(rowOf("type"), protocol.TypeStartMatch, methodPrefix).all()
	query := notation.Form{Frame: "query", Shape: "wide", Path: "/admin/run_match"}
	return append(slices.Concat(calls[:5], types[:3]), query)
}

// A naming holds the encodings of one message type with which to try a peer, within one way of framing requests:
// common are those that many third-party agents understand, rare those of one or two agents.
type naming struct{ common, rare []notation.Form }

func (n naming) all() []notation.Form { return slices.Concat(n.common, n.rare) }

// namesIn returns the encodings of messages of type t that agents of row r of the table [Rows] use. Names that begin
// with methodPrefix come first.
func namesIn(r Row, t protocol.Type, methodPrefix string) naming {
	w := wordingOf(t)
	names, common := w.types, 1+w.otherTypes
	switch r.Frame {
	case "call", "tool":
		names, common = w.calls, w.commonly()
		if r.Frame == "tool" && slices.Contains(names, "notify") { // a method of many agents, a tool of hardly any
			names = append(without(names, "notify"), "notify")
			common = min(common, 4)
		}
		if methodPrefix != "" {
			names = slices.Clone(names)
			slices.SortStableFunc(names, func(a, b string) int { return lead(b, methodPrefix) - lead(a, methodPrefix) })
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
	var forms []notation.Form
	for _, name := range names {
		name, shape, _ := strings.Cut(name, "+")
		forms = append(forms, notation.Form{Frame: r.Frame, Name: name, Shape: shape})
	}
	common = min(common, len(forms))
	return naming{common: forms[:common], rare: forms[common:]}
}

// isCommon reports whether many agents accept messages of type t in encoding f. In framings without methods only the
// first name counts as common, unless the framing's row has its own name for the message.
func isCommon(f notation.Form, t protocol.Type) bool {
	f = baseForm(f)
	row := rowOf(f.Frame)
	common := namesIn(row, t, "").common
	if !byName(f) && row.Names[t] == "" {
		common = common[:min(1, len(common))]
	}
	return slices.Contains(common, f)
}

// isFirst reports whether f has the first name of a message in its framing.
func isFirst(f notation.Form, t protocol.Type) bool {
	common := namesIn(rowOf(f.Frame), t, "").common
	return len(common) > 0 && baseForm(f) == common[0]
}

// without returns names without one.
func without(names []string, one string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == one })
}

// lead returns 1 for a name that begins with prefix and 0 for any other.
func lead(name, prefix string) int {
	if strings.HasPrefix(name, prefix) {
		return 1
	}
	return 0
}

// distinct removes duplicates and keeps the order.
func distinct(forms []notation.Form) (out []notation.Form) {
	for _, f := range forms {
		if !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return out
}
