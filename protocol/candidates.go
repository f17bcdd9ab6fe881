package protocol

import (
	"slices"
	"strings"
)

// MaxCandidates is how many forms of a message a peer is offered in all.
const MaxCandidates = 12

// frameOrder is the order in which framers are tried, by their share among the
// agents that exist.
var frameOrder = []string{"call", "type", "bare", "tool", "message", "data"}

// Candidates lists the forms in which a message may be understood by a peer of
// which d is known, the likeliest first. If the form is known it is the only one.
//
// There are more forms than a peer is offered. What many agents have comes
// before what one or two have, and none of it twice.
func (d Dialect) Candidates(t Type) []Form {
	if f, ok := d.Forms[t]; ok {
		return []Form{f}
	}
	row, sure := d.likely()
	own := d.names(row, t)
	forms := own.all()
	if !sure {
		forms = slices.Clone(own.common)
	}
	if row.Frame == "tool" && !sure { // who registers with a tool may have none for the rest
		forms = append(forms, d.names(rowOf("protocol"), t).common...)
	}
	if t == TypeStartMatch {
		forms = append(forms, startForms(d.habit())...)
	}
	forms = append(forms, d.others(t, 0, 1, frameOrder...)...)
	forms = append(forms, d.others(t, 1, 5, "call", "tool")...)
	forms = append(forms, own.rare...)
	for _, frame := range frameOrder {
		forms = append(forms, d.names(rowOf(frame), t).all()...)
	}
	forms = append(forms, d.others(t, 0, 1, "mcp")...) // which a server that needs it asks for
	if registers(t) {
		forms = slices.Insert(forms, 1, Form{Frame: "rest", Path: "/register"})
	}
	return d.placed(distinct(forms))
}

// others lists the common names from first to last in some frames, every
// frame's first before any frame's second.
func (d Dialect) others(t Type, first, last int, frames ...string) (forms []Form) {
	for i := first; i < last; i++ {
		for _, frame := range frames {
			if names := d.names(rowOf(frame), t).common; i < len(names) {
				forms = append(forms, names[i])
			}
		}
	}
	return forms
}

// startForms are the ways of starting a match that are tried before any other:
// there are more of them than of doing anything else.
func startForms(habit string) []Form {
	calls, types := namesIn(rowOf("call"), TypeStartMatch, habit).all(), namesIn(rowOf("type"), TypeStartMatch, habit).all()
	return append(slices.Concat(calls[:5], types[:3]), Form{Frame: "query", Shape: "wide", Path: "/admin/run_match"})
}

// likely returns the row that the peer most likely speaks: surely that of a
// message which was understood, or else that of its own.
func (d Dialect) likely() (r Row, sure bool) {
	own := rowNamed(d.Row)
	for _, t := range learnedFrom {
		f, ok := d.Forms[t]
		switch {
		case !ok || framers[f.Frame] == nil && f.Frame != "mcp" || f.Apart(): // deaf, or fetched
		case f.Frame == own.Frame:
			return own, true
		default:
			return rowOf(f.Frame), true
		}
	}
	return own, false
}

// learnedFrom are the messages whose forms tell most about the others.
var learnedFrom = []Type{
	TypeGameInvitation, TypeChooseParityCall, TypeGameMoveCall, TypeGameOver, TypeRoundAnnouncement, TypeStartMatch,
	TypeLeagueRegisterRequest, TypeRefereeRegisterRequest, TypeMatchResultReport,
}

// habit returns how the peer's methods begin, if it has one of its own: who is
// told of an invitation by receive_game_invitation has a receive_game_over too.
func (d Dialect) habit() string {
	for _, t := range learnedFrom {
		if f, ok := d.Forms[t]; ok && f.byName() && f.Name != specs[t].Method {
			prefix, _, _ := strings.Cut(f.Name, "_")
			return prefix + "_"
		}
	}
	return ""
}

// A naming is what a message goes by in one frame: under names that many agents
// have, and under names that one or two have.
type naming struct{ common, rare []Form }

func (n naming) all() []Form { return slices.Concat(n.common, n.rare) }

func (d Dialect) names(r Row, t Type) naming { return namesIn(r, t, d.habit()) }

// namesIn lists the forms of a message in a row.
func namesIn(r Row, t Type, habit string) naming {
	w := wordingOf(t)
	names, common := w.types, 1+w.otherTypes
	switch r.Frame {
	case "call", "tool":
		names, common = w.calls, w.commonly()
		if at := slices.Index(names, "notify"); r.Frame == "tool" && at >= 0 { // hardly a tool is called so
			names = append(slices.Delete(slices.Clone(names), at, at+1), "notify")
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
		names = append([]string{own}, slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == own })...)
	}
	var forms []Form
	for _, name := range names {
		name, shape, _ := strings.Cut(name, "+")
		forms = append(forms, Form{Frame: r.Frame, Name: name, Shape: shape})
	}
	common = min(common, len(forms))
	return naming{common: forms[:common], rare: forms[common:]}
}

// Common reports whether a form is one in which many agents take a message:
// under a name that is common in its frame, and in frames that go by message
// types under the first, or what the frame's own row has.
func (f Form) Common(t Type) bool {
	f.Path = ""
	row := rowOf(f.Frame)
	common := namesIn(row, t, "").common
	if !f.byName() && row.Names[t] == "" {
		common = common[:min(1, len(common))]
	}
	return slices.Contains(common, f)
}

func lead(name, prefix string) int {
	if strings.HasPrefix(name, prefix) {
		return 1
	}
	return 0
}

// placed puts forms where the peer takes them, if that is known.
func (d Dialect) placed(forms []Form) []Form {
	path := ""
	for _, t := range learnedFrom {
		if f, ok := d.Forms[t]; ok && f.Path != "" && !f.Apart() {
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

func distinct(forms []Form) (out []Form) {
	for _, f := range forms {
		if !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return out
}

// Reshaped lists other arrangements of a message's members, for a peer that
// takes the message by that name and refuses its members. The first told of
// them are what the peer's own words ask for.
func (f Form) Reshaped(complaint string) (forms []Form, told int) {
	if strings.Contains(f.Shape, ".") || f.Shape != "" && !bases[f.Shape] || f.Frame == "mcp" || f.Apart() {
		return nil, 0
	}
	order := []string{"full", "wide", "rounds", "numbers", "named", "formal", "spare"}
	for _, hint := range complaints {
		said := strings.ToLower(complaint)
		if (hint.frame == "" || hint.frame == f.Frame) && saysAny(said, hint.words...) && !(hint.shape == "wide" && saysAny(said, framing...)) {
			order, told = slices.Insert(order, 0, hint.shape), told+1
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

// framing are the members that the framing has: who misses one of them does not speak of the message's.
var framing = []string{`"method"`, `"jsonrpc"`, `"params"]`, `"message_type"`, `"message"]`, `["body"]`, `"arguments"]`, `"data"]`}

// bases are the shapes that another can be laid over: what the message is
// written as, and then how.
var bases = map[string]bool{"wide": true, "assignment": true, "announcement": true}

// complaints are what peers say of members that they refuse, and the shape that helps.
var complaints = []struct {
	shape string
	frame string // in which it helps; "": in any
	words []string
}{
	{"wide", "", []string{"field required", "missing"}},
	{"full", "", []string{"null", "none is not", "input_value=none"}},
	{"rounds", "", []string{"round_id", "round id"}},
	{"spare", "", []string{"extra", "additional propert", "unexpected keyword"}},
	{"named", "", []string{"sender"}},
	{"formal", "", []string{"sender must"}},
	{"terse", "data", []string{"match pattern", "extra inputs", "extra_forbidden"}},
}
