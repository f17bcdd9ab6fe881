package protocol

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Canonical names the dialect that our own agents speak: JSON-RPC 2.0, the
// method of the message table, the whole message in params.
const Canonical = "league.v2"

// A Dialect is what is known of how a peer wants to be spoken to: the row of
// the known dialects that its own messages were in, and for each type of
// message the form that it understood.
//
// It travels as a text, in START_MATCH, in reports and in the league's log:
//
//	C GAME_INVITATION=tool:receive_game_invitation GAME_OVER=tool:game_over+wide@/a2a
//
// Here is only how such a text is written; what its words mean, and how they
// are found out, is the business of package dialect.
type Dialect struct {
	Row   string // one of [RowNames]; "": not known
	Forms map[Type]Form
}

// A Form is one way of putting one type of message to a peer.
type Form struct {
	Frame string // how the message is put into a request: one of [Frames]
	Name  string // the method, tool or message type that it goes under
	Shape string // how its members are arranged: some of [Shapes], one after another with "." between; "" is our own way
	Path  string // where it is posted, instead of the path that was registered
}

// The words that the text of a dialect is made of. The tables of package
// dialect have an entry for each of them.
var (
	RowNames = strings.Fields("A A' B C D E F G N P M")
	Frames   = strings.Fields("call type tool message protocol data bare rest query mcp")
	Shapes   = strings.Fields("wide assignment announcement rounds numbers spare named formal terse full")
)

// unknownRow stands for a row that is not known, in a text that has forms.
const unknownRow = "?"

// Ignored is the form of a message that the peer has no use for.
var Ignored = Form{Frame: "-"}

// Polled is the form of a START_MATCH that the referee comes to fetch.
var Polled = Form{Frame: "poll"}

// Apart reports whether a form has a path that is for this one message alone.
func (f Form) Apart() bool { return f.Frame == "rest" || f.Frame == "query" }

// Place returns the form without its name and shape: where a peer is spoken to, and how.
func (f Form) Place() Form { return Form{Frame: f.Frame, Path: f.Path} }

// String writes a form as frame:name+shape@path.
func (f Form) String() string {
	out := f.Frame
	for _, part := range [][2]string{{":", f.Name}, {"+", f.Shape}, {"@", f.Path}} {
		if part[1] != "" {
			out += part[0] + part[1]
		}
	}
	return out
}

// parseForm reads what String wrote.
func parseForm(s string) (f Form, ok bool) {
	s, f.Path, _ = strings.Cut(s, "@")
	s, f.Shape, _ = strings.Cut(s, "+")
	f.Frame, f.Name, _ = strings.Cut(s, ":")
	known := slices.Contains(Frames, f.Frame) || f == Ignored || f == Polled
	return f, known && knownShape(f.Shape) && plainWord(f.Name) && plainWord(f.Path)
}

// knownShape reports whether every part of a shape is one of [Shapes].
func knownShape(shape string) bool {
	for name := range strings.SplitSeq(shape, ".") {
		if name != "" && !slices.Contains(Shapes, name) {
			return false
		}
	}
	return true
}

// plainWord reports whether s can stand in the text of a dialect.
func plainWord(s string) bool {
	odd := func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`+@="\<>`, r) }
	return len(s) <= 80 && !strings.ContainsFunc(s, odd)
}

// ParseDialect reads the text of a dialect. The empty text is a dialect of which nothing is known.
func ParseDialect(s string) (Dialect, error) {
	d := Dialect{Forms: map[Type]Form{}}
	for i, word := range strings.Fields(s) {
		name, text, known := strings.Cut(word, "=")
		if i == 0 && !known {
			if !slices.Contains(RowNames, name) && name != Canonical && name != unknownRow {
				return d, fmt.Errorf("dialect %q: use one of %s, %s", Clip(name, 40), strings.Join(RowNames, ", "), Canonical)
			}
			d.Row = name
			continue
		}
		form, ok := parseForm(text)
		if _, there := Lookup(Type(name)); !ok || !there {
			return d, fmt.Errorf("dialect: cannot read %q", Clip(word, 80))
		}
		d.Forms[Type(name)] = form
	}
	if d.Row == unknownRow {
		d.Row = ""
	}
	return d, nil
}

// String writes a dialect: its row, then what was understood.
func (d Dialect) String() string {
	if d.Row == "" && len(d.Forms) == 0 {
		return ""
	}
	out := d.Row
	if out == "" {
		out = unknownRow
	}
	for _, t := range slices.Sorted(maps.Keys(d.Forms)) {
		out += " " + string(t) + "=" + d.Forms[t].String()
	}
	return out
}

// MergeDialects returns what both texts know. Where they differ, or come from
// different rows, the newer one is right.
func MergeDialects(older, newer string) string {
	a, err := ParseDialect(older)
	b, wrong := ParseDialect(newer)
	switch {
	case wrong != nil:
		return older
	case err != nil || a.Row != b.Row && b.Row != "":
		return newer
	}
	maps.Copy(a.Forms, b.Forms)
	return a.String()
}

// ComesForMatches returns a dialect with what is known of a referee that asks
// for its matches: it is not sent any, unless it was found to take them too.
func ComesForMatches(text string) string {
	d, err := ParseDialect(text)
	if _, known := d.Forms[TypeStartMatch]; err != nil || known || text == Canonical {
		return text
	}
	d.Forms[TypeStartMatch] = Polled
	return d.String()
}

// FetchesMatches reports whether a referee is known to come for its matches.
func FetchesMatches(text string) bool {
	d, err := ParseDialect(text)
	return err == nil && d.Forms[TypeStartMatch] == Polled
}

// DialectName returns the short name of a dialect, for showing.
func DialectName(text string) string {
	name, _, _ := strings.Cut(text, " ")
	if name == unknownRow {
		return ""
	}
	return name
}
