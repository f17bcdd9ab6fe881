package dialect

import (
	"strings"

	"agentleague/dialect/notation"
	"agentleague/protocol"
)

// A peer reveals each axis of its dialect separately. A registration with the method registerPlayer and the message in
// params.data shows that methods have names, that messages lie under data, and that names are in camel case. It does
// not show the names of the peer's other methods.

// Dialect returns the dialect that this request alone reveals, as text for [notation.Parse].
func (o Request) Dialect() string {
	if o.shows == (notation.Form{}) {
		return o.Row
	}
	return notation.Spoken(o.Row, o.shows)
}

// shown returns the properties of a request's encoding that its row of the table [Rows] does not already imply; the
// zero Form if there are none.
func shown(frame, body, one, name string, camelled bool) notation.Form {
	f := notation.Form{Frame: frame, Body: body, One: one}
	if byName(notation.Form{Frame: frame}) && (unusual(name) || isTypeInLower(name)) {
		f.Name = name
	}
	if camelled {
		f.Shape = string(camel)
	}
	if f == (notation.Form{Frame: frame}) {
		return notation.Form{}
	}
	return f
}

// unusual reports whether a name is spelled in another convention than snake case.
func unusual(name string) bool {
	s := spellingOf(name)
	return s != "" && s != snake
}

// isTypeInLower reports whether a method name is a message type in lower case, such as game_invitation.
func isTypeInLower(name string) bool {
	_, known := protocol.Lookup(protocol.Type(strings.ToUpper(snakeOf(name))))
	return known && strings.Contains(snakeOf(name), "_")
}

// known is the detected part of a peer's dialect, with methods that guess the rest.
type known struct {
	notation.Dialect
	methodPrefix string // see methodPrefixOf
}

// learnedFrom lists the messages whose encodings predict those of other messages, the best predictor first.
var learnedFrom = []protocol.Type{
	protocol.TypeGameInvitation, protocol.TypeChooseParityCall, protocol.TypeGameMoveCall, protocol.TypeGameOver,
	protocol.TypeRoundAnnouncement, protocol.TypeStartMatch,
	protocol.TypeLeagueRegisterRequest, protocol.TypeRefereeRegisterRequest, protocol.TypeMatchResultReport,
}

// axes are the known properties of a peer's dialect, such as the framing, each of which is learned separately.
type axes struct {
	frame    string
	body     string
	one      string
	spelling spelling // of methods and tools
	lower    bool     // methods are named as the message types
	camel    bool     // members are in the other spelling
	sure     bool     // a message was understood so
}

// axes returns the properties of a peer's dialect by the best evidence about the peer: the first understood message in
// the order of [learnedFrom], or else its registration.
func (k known) axes() axes {
	a := axesOf(k.From)
	for _, t := range learnedFrom {
		f, ok := k.Forms[t]
		if !ok || framers[f.Frame] == nil || f.Apart() {
			continue
		}
		learned := axesOf(f)
		learned.sure = true
		if learned.spelling == "" {
			learned.spelling, learned.lower = a.spelling, a.lower
		}
		return learned
	}
	return a
}

// axesOf returns the dialect properties that an encoding shows. The spelling is known only for encodings that name a
// method or a tool.
func axesOf(f notation.Form) axes {
	a := axes{frame: f.Frame, body: f.Body, one: f.One, camel: hasShape(f.Shape, string(camel))}
	if byName(f) {
		a.spelling, a.lower = spellingOf(f.Name), isTypeInLower(f.Name)
	}
	return a
}

// isPlain reports whether only the framing of a peer's dialect is known.
func (a axes) isPlain() bool {
	return a.body == "" && a.one == "" && !a.camel && !a.lower && (a.spelling == "" || a.spelling == snake)
}

// hasShape reports whether the dot-separated list shapes contains shape.
func hasShape(shapes, shape string) bool {
	for name := range strings.SplitSeq(shapes, ".") {
		if name == shape {
			return true
		}
	}
	return false
}
