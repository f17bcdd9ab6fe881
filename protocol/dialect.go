package protocol

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Row is a dialect as it was met: which framer writes its messages, and what
// differs from the specification. The rows are points in a space of
// independent axes; agents that mix the parts of several are understood too.
type Row struct {
	Name  string
	Frame string            // of the framers
	Names map[Type]string   // what it calls a message by first, where that is not the specification's name
	Words map[string]string // values, where they are not ours: see [Row.word]
	Seen  string            // a sentence for the table of docs/interop.md
}

// Rows are the dialects that are known, the most common first. A new one is
// added here, with its conversation in testdata/dialects.
var Rows = []Row{
	{Name: "A", Frame: "call", Seen: "the specification's: a method for each message, the message in params"},
	{Name: "A'", Frame: "call", Names: map[Type]string{TypeChooseParityCall: "parity_choose"}, Seen: "as A, but a choice is asked for with parity_choose"},
	{Name: "B", Frame: "type", Words: map[string]string{"status ACCEPTED": "REGISTERED"}, Seen: "the method is the message type"},
	{Name: "C", Frame: "tool", Names: map[Type]string{
		TypeGameInvitation: "receive_game_invitation", TypeGameOver: "receive_game_over", TypeRoundAnnouncement: "receive_round_announcement",
	}, Seen: "tools/call with a tool for each message, answers as content blocks"},
	{Name: "D", Frame: "message", Names: map[Type]string{TypeStartMatch: "ROUND_ANNOUNCEMENT+announcement"}, Seen: "one method, handle_message, with the message in params.message"},
	{Name: "E", Frame: "data", Seen: "no JSON-RPC: the envelope with everything else under data"},
	{Name: "F", Frame: "bare", Names: map[Type]string{TypeStartMatch: "ROUND_ANNOUNCEMENT+announcement"}, Seen: "no JSON-RPC: the message alone"},
	{Name: "G", Frame: "call", Seen: "registers with POST /register, then JSON-RPC with members of its own"},
	{Name: "N", Frame: "call", Names: map[Type]string{
		TypeGameInvitation: "game_invitation", TypeGameOver: "notify_game_over", TypeRoundAnnouncement: "notify", TypeLeagueStandingsUpdate: "notify",
		TypeRoundCompleted: "notify", TypeLeagueCompleted: "notify",
	}, Seen: "as A with names of its own, and one name, notify, for all news"},
	{Name: "P", Frame: "protocol", Names: map[Type]string{TypeGameInvitation: "GAME_INVITE"}, Seen: "after the MCP handshake one method, protocol/message, with the message in params.message"},
	{Name: "M", Frame: "mcp", Seen: "a real MCP server with tools of its own"},
}

// rowNamed returns the row of that name; an unknown one is the specification's.
func rowNamed(name string) Row {
	for _, r := range Rows {
		if r.Name == name {
			return r
		}
	}
	return Rows[0]
}

// Like returns the known dialect that this one is most like.
func (d Dialect) Like() Row {
	best := rowNamed(d.Row)
	for _, t := range []Type{TypeGameInvitation, TypeLeagueRegisterRequest, TypeStartMatch, TypeChooseParityCall} {
		f, known := d.Forms[t]
		for _, row := range Rows {
			if known && row.Frame == f.Frame && (row.Names[t] == f.Name || best.Frame != f.Frame) {
				best = row
				break
			}
		}
	}
	return best
}

// rowOf returns the first row that a framer writes.
func rowOf(frame string) Row {
	i := slices.IndexFunc(Rows, func(r Row) bool { return r.Frame == frame })
	return Rows[max(i, 0)]
}

// A Form is one way of putting one type of message to a peer.
type Form struct {
	Frame string // which framer writes it
	Name  string // the method, tool or message type that it goes under
	Shape string // how its members are arranged, one way after another with "." between; "" is our own way
	Path  string // where it is posted, instead of the path that was registered
}

// Deaf is the form of a message that the peer has no use for.
var Deaf = Form{Frame: "-"}

// Polled is the form of a START_MATCH that the referee comes to fetch.
var Polled = Form{Frame: "poll"}

// Apart reports whether a form has a path that is for this one message alone.
func (f Form) Apart() bool { return f.Frame == "rest" || f.Frame == "query" }

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
	_, framed := framers[f.Frame]
	return f, (framed || f == Deaf || f == Polled || f.Frame == "mcp") && knownShape(f.Shape) && plainWord(f.Name) && plainWord(f.Path)
}

// plainWord reports whether s can stand in the text of a dialect.
func plainWord(s string) bool {
	return len(s) <= 80 && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`+@="\<>`, r) })
}

// A Dialect is what is known of how a peer wants to be spoken to: the row that
// its own messages were in, and for each type the form that it understood.
// Its text travels with the peer's address and stays in the log.
type Dialect struct {
	Row   string
	Forms map[Type]Form
}

// ParseDialect reads the text of a dialect. The empty text is a dialect of which nothing is known.
func ParseDialect(s string) (Dialect, error) {
	d := Dialect{Forms: map[Type]Form{}}
	for i, word := range strings.Fields(s) {
		name, text, known := strings.Cut(word, "=")
		if i == 0 && !known {
			if rowNamed(name).Name != name && name != Canonical && name != unknownRow {
				return d, fmt.Errorf("dialect %q: want one of %s", clip(name, 40), strings.Join(rowNames(), ", "))
			}
			d.Row = name
			continue
		}
		form, ok := parseForm(text)
		if _, there := Lookup(Type(name)); !ok || !there {
			return d, fmt.Errorf("dialect: cannot read %q", clip(word, 80))
		}
		d.Forms[Type(name)] = form
	}
	if d.Row == unknownRow {
		d.Row = ""
	}
	return d, nil
}

const unknownRow = "?"

func rowNames() (names []string) {
	for _, r := range Rows {
		names = append(names, r.Name)
	}
	return append(names, Canonical)
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
