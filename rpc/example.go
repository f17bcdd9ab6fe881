package rpc

import (
	"errors"
	"slices"

	"agentleague/dialect/notation"
	"agentleague/protocol"
)

// Many agents are derived from the example player in the documents. It has methods for the invitation, the choice and
// the result, and answers every other call with the bare object {"error": "Unknown method"}. It has no method for
// broadcasts, so only two encodings of broadcasts are tried with such a peer.

// ErrNewsWithheld means that no further encoding of broadcasts was tried, because the peer has refused two like the
// documents' example player and has not understood any other message yet. The call may be repeated after it has.
var ErrNewsWithheld = errors.New("the message is withheld until the agent's dialect is known")

// exampleForms is how many encodings of broadcasts are tried with a peer that resembles the example player.
const exampleForms = 2

// exampleSays is the JSON error with which the example player answers an unknown method.
const exampleSays = `"Unknown method"`

// exampleTypes are the messages that the example player has a method for, named after the message type.
var exampleTypes = []protocol.Type{protocol.TypeGameInvitation, protocol.TypeChooseParityCall, protocol.TypeGameOver}

// likeExample reports whether a peer refused broadcasts, sent in their documented encoding, with that player's error
// text.
func likeExample(spec protocol.Spec, form notation.Form, r *protocol.Refusal) bool {
	return r.Said == exampleSays && form == ownForm(spec) && protocol.IsAck(spec.Reply) && spec.Type != protocol.TypeGameOver
}

// ownForm returns the form of a message in the documents.
func ownForm(spec protocol.Spec) notation.Form {
	return notation.Form{Frame: "call", Name: spec.Method}
}

// resembles returns the refusal of broadcasts by which the peer resembles the example player, and how many of that
// player's messages it has understood. The refusal is nil if the peer does not resemble that player, or if too few
// encodings were tried to tell.
func (p *peerDialect) resembles(typ protocol.Type) (refusal *protocol.Refusal, understood int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f := p.failed[typ]
	if f.example == nil || len(f.forms) < exampleForms {
		return nil, 0
	}
	for t, form := range p.known.Forms {
		spec, _ := protocol.Lookup(t)
		switch isOwn := form == ownForm(spec); {
		case isOwn && slices.Contains(exampleTypes, t):
			understood++
		case form != notation.Ignored:
			return nil, 0
		}
	}
	return f.example, understood
}
