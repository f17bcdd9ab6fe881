package dialect

import (
	"strings"

	"agentleague/protocol"
)

// A peer shows each axis of its dialect separately: a registration with the method registerPlayer and the message in
// params.data shows that methods have names, that bodies lie under data, and how names are spelled. It does not show
// which names exist.

// Dialect returns the dialect of a peer from this request alone.
func (o Opening) Dialect() string {
	if o.shows == (protocol.Form{}) {
		return o.Row
	}
	return protocol.Spoken(o.Row, o.shows)
}

// shown returns the evidence in a request beyond the row of its frame.
func shown(frame, body, one, name string, camelled bool) protocol.Form {
	f := protocol.Form{Frame: frame, Body: body, One: one}
	if byName(protocol.Form{Frame: frame}) && (unusual(name) || isTypeInLower(name)) {
		f.Name = name
	}
	if camelled {
		f.Shape = string(camel)
	}
	if f == (protocol.Form{Frame: frame}) {
		return protocol.Form{}
	}
	return f
}

// unusual reports whether a name is in another spelling than ours.
func unusual(name string) bool {
	s := spellingOf(name)
	return s != "" && s != snake
}

// isTypeInLower reports whether a method is named as its message type, in small letters.
func isTypeInLower(name string) bool {
	_, known := protocol.Lookup(protocol.Type(strings.ToUpper(snakeOf(name))))
	return known && strings.Contains(snakeOf(name), "_")
}

// known is the known dialect of a peer, with the guesses that follow from it.
type known struct {
	protocol.Dialect
	habit string // see habitOf
}

// learnedFrom are the messages whose forms predict those of other messages best.
var learnedFrom = []protocol.Type{
	protocol.TypeGameInvitation, protocol.TypeChooseParityCall, protocol.TypeGameMoveCall, protocol.TypeGameOver,
	protocol.TypeRoundAnnouncement, protocol.TypeStartMatch,
	protocol.TypeLeagueRegisterRequest, protocol.TypeRefereeRegisterRequest, protocol.TypeMatchResultReport,
}

// axes are the known values of a peer's axes.
type axes struct {
	frame    string
	body     string
	one      string
	spelling spelling // of methods and tools
	lower    bool     // methods are named as the message types
	camel    bool     // members are in the other spelling
	sure     bool     // a message was understood so
}

// axes combines the evidence from a peer: the messages that it has understood, then its registration.
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

// axesOf takes a form apart. How names are spelled is known only of a form that calls methods by name.
func axesOf(f protocol.Form) axes {
	a := axes{frame: f.Frame, body: f.Body, one: f.One, camel: hasShape(f.Shape, string(camel))}
	if byName(f) {
		a.spelling, a.lower = spellingOf(f.Name), isTypeInLower(f.Name)
	}
	return a
}

// isPlain reports whether a peer has shown nothing but a frame.
func (a axes) isPlain() bool {
	return a.body == "" && a.one == "" && !a.camel && !a.lower && (a.spelling == "" || a.spelling == snake)
}

// hasShape reports whether a shape is one of those that a form has.
func hasShape(shapes, shape string) bool {
	for name := range strings.SplitSeq(shapes, ".") {
		if name == shape {
			return true
		}
	}
	return false
}
