package notation

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"agentleague/protocol"
)

// A Dialect is what is known about how to address a peer: the row of the known dialects that its own messages matched,
// and for each type of message the encoding that it accepts.
//
// Its text form is in START_MATCH, in reports and in the league's log:
//
//	C GAME_INVITATION=tool:receive_game_invitation GAME_OVER=tool:game_over+wide@/a2a
//	B from=type/data:LEAGUE_REGISTER_REQUEST nods GAME_INVITATION=type/data:GAME_INVITATION
//
// Package dialect detects dialects.
type Dialect struct {
	Row   string // one of [RowNames]; "": unknown
	From  Form   // the encoding of its registration, where that shows more than the row; zero: it does not
	Nods  bool   // it acknowledges every request alike, so that its answers reveal nothing about an encoding
	Forms map[protocol.Type]Form
}

// The words of which the text of a dialect consists. The tables of package
// dialect have an entry for each of them.
var (
	RowNames = strings.Fields("A A' B C D E F G N P M")
	Frames   = strings.Fields("call type tool message protocol data bare rest query mcp")
	Bodies   = strings.Fields("flat message data payload params request split beside")
	Shapes   = strings.Fields("wide assignment announcement rounds numbers spare named formal terse full camel")
)

// The keys in the text of a dialect other than message types: see [Parse].
const (
	fromWord = "from"
	nodsWord = "nods"
)

// unknownRow stands for an unknown row in a text that has encodings.
const unknownRow = "?"

// Parse reads the text of a dialect. The empty text is an unknown dialect.
func Parse(s string) (Dialect, error) {
	d := Dialect{Forms: map[protocol.Type]Form{}}
	for i, word := range strings.Fields(s) {
		name, _, known := strings.Cut(word, "=")
		if i == 0 && !known {
			if !slices.Contains(RowNames, name) && name != protocol.Canonical && name != unknownRow {
				return d, fmt.Errorf("dialect %q: use one of %s, %s", protocol.Clip(name, 40), strings.Join(RowNames, ", "), protocol.Canonical)
			}
			d.Row = name
			continue
		}
		if err := d.add(word); err != nil {
			return d, err
		}
	}
	if d.Row == unknownRow {
		d.Row = ""
	}
	return d, nil
}

// add reads a word that follows the row.
func (d *Dialect) add(word string) error {
	name, text, _ := strings.Cut(word, "=")
	form, ok := parseForm(text)
	_, there := protocol.Lookup(protocol.Type(name))
	switch {
	case word == nodsWord:
		d.Nods = true
	case ok && name == fromWord:
		d.From = form
	case ok && there:
		d.Forms[protocol.Type(name)] = form
	default:
		return fmt.Errorf("dialect: cannot read %q", protocol.Clip(word, 80))
	}
	return nil
}

// Spoken returns the text of an agent's dialect after its registration: its row, and the form of the registration if
// that can be encoded.
func Spoken(row string, from Form) string {
	if !from.writable() {
		from = Form{}
	}
	return Dialect{Row: row, From: from}.String()
}

// SpokenIn returns the part of a dialect that the agent's registration has shown, without encodings learned later.
func SpokenIn(text string) string {
	d, err := Parse(text)
	if err != nil {
		return Name(text)
	}
	return Spoken(d.Row, d.From)
}

// String encodes a dialect: its row, the encoding of its registration, then the accepted encodings.
func (d Dialect) String() string {
	if d.Row == "" && len(d.Forms) == 0 && d.From == (Form{}) && !d.Nods {
		return ""
	}
	out := d.Row
	if out == "" {
		out = unknownRow
	}
	if d.From != (Form{}) {
		out += " " + fromWord + "=" + d.From.String()
	}
	if d.Nods {
		out += " " + nodsWord
	}
	for _, t := range slices.Sorted(maps.Keys(d.Forms)) {
		out += " " + string(t) + "=" + d.Forms[t].String()
	}
	return out
}

// Merge combines two dialects. If the rows differ, or both have an encoding for a message, the newer one wins.
func Merge(older, newer string) string {
	a, err := Parse(older)
	b, wrong := Parse(newer)
	switch {
	case wrong != nil:
		return older
	case err != nil || b.Row != "" && (a.Row != b.Row || a.From != b.From):
		return newer
	}
	maps.Copy(a.Forms, b.Forms)
	a.Nods = a.Nods || b.Nods
	return a.String()
}

// WithPolling adds to a dialect that the referee polls for its matches. Such a referee gets no orders, unless it
// has been found to accept them too.
func WithPolling(text string) string {
	d, err := Parse(text)
	if _, known := d.Forms[protocol.TypeStartMatch]; err != nil || known || text == protocol.Canonical {
		return text
	}
	d.Forms[protocol.TypeStartMatch] = Polled
	return d.String()
}

// FetchesMatches reports whether a referee polls for its matches.
func FetchesMatches(text string) bool {
	d, err := Parse(text)
	return err == nil && d.Forms[protocol.TypeStartMatch] == Polled
}

// Name returns the short name of a dialect, for showing.
func Name(text string) string {
	name, _, _ := strings.Cut(text, " ")
	if name == unknownRow {
		return ""
	}
	return name
}
