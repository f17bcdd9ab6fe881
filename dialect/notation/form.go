package notation

import (
	"slices"
	"strings"
)

// A Form is one way to encode and address one type of message for a peer.
type Form struct {
	Frame string // how the message is put into a request: one of [Frames]
	Body  string // where in the request it lies: one of [Bodies]; "" is the frame's own place
	One   string // the one method for all messages, where that is not the framing's own
	Name  string // the method, tool or message type that it goes under
	Shape string // how its members are arranged: some of [Shapes], one after another with "." between; "" is our own way
	Path  string // where it is posted, instead of the path that was registered
}

// Ignored is the form of a message that is not sent, because the peer ignores it.
var Ignored = Form{Frame: "-"}

// Polled is the form of a START_MATCH for a referee that polls for its matches.
var Polled = Form{Frame: "poll"}

// Apart reports whether the path of an encoding is specific to this message.
func (f Form) Apart() bool { return f.Frame == "rest" || f.Frame == "query" }

// Place returns the encoding without its name and shape: the framing and the path.
func (f Form) Place() Form { return Form{Frame: f.Frame, Body: f.Body, One: f.One, Path: f.Path} }

// String encodes an encoding as framing/body.one:name+shape@path.
func (f Form) String() string {
	out := f.Frame
	for _, part := range [][2]string{{"/", f.Body}, {".", f.One}, {":", f.Name}, {"+", f.Shape}, {"@", f.Path}} {
		if part[1] != "" {
			out += part[0] + part[1]
		}
	}
	return out
}

// parseForm reads the encoding of String.
func parseForm(s string) (f Form, ok bool) {
	s, f.Path, _ = strings.Cut(s, "@")
	s, f.Shape, _ = strings.Cut(s, "+")
	s, f.Name, _ = strings.Cut(s, ":")
	s, f.One, _ = strings.Cut(s, ".")
	f.Frame, f.Body, _ = strings.Cut(s, "/")
	known := slices.Contains(Frames, f.Frame) || f == Ignored || f == Polled
	return f, known && f.writable()
}

// writable reports whether every part of an encoding can be encoded in the text of a dialect.
func (f Form) writable() bool {
	return (f.Body == "" || slices.Contains(Bodies, f.Body)) && knownShape(f.Shape) && plainWord(f.One) &&
		!strings.Contains(f.One, ":") && plainWord(f.Name) && plainWord(f.Path)
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

// plainWord reports whether s can be encoded in the text of a dialect.
func plainWord(s string) bool {
	odd := func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`+@="\<>`, r) }
	return len(s) <= 80 && !strings.ContainsFunc(s, odd)
}
