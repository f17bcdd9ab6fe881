package rpc

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"agentleague/protocol"
)

// Many agents begin as the example player of the documents. It has methods for the invitation, the choice and the
// result, and answers every other call with the bare object {"error": "Unknown method"}. It has no method for news in
// any form, so news are offered to such a peer in two forms only.

// ErrNewsWithheld is in the error of a call with news to a peer that resembles the documents' example player, before
// any other message was understood. The call may be repeated when one was.
var ErrNewsWithheld = errors.New("the message is withheld until the agent's dialect is known")

// exampleForms is how many forms of news are offered to a peer that resembles the example player.
const exampleForms = 2

// exampleSays is the error in the example player's answer to an unknown method.
const exampleSays = `"Unknown method"`

// exampleTypes are the messages that the example player has a method for, under their own names.
var exampleTypes = []protocol.Type{protocol.TypeGameInvitation, protocol.TypeChooseParityCall, protocol.TypeGameOver}

// comparedToExample notes a refusal of news under their own name in the words of the example player.
func (p *peerDialect) comparedToExample(spec protocol.Spec, form protocol.Form, r *protocol.Refusal) {
	if r.Said != exampleSays || form != ownForm(spec) || !protocol.IsAck(spec.Reply) || spec.Type == protocol.TypeGameOver {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	f := p.failed[spec.Type]
	f.example = r
	p.failed[spec.Type] = f
}

// ownForm returns the form of a message in the documents.
func ownForm(spec protocol.Spec) protocol.Form {
	return protocol.Form{Frame: "call", Name: spec.Method}
}

// withheld returns why the peer is not offered further forms of news; nil: it is. A peer that understands its matches
// as the example player does, and no news, is not sent them again.
func (c *call) withheld(p *peerDialect) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	f := p.failed[c.spec.Type]
	if f.example == nil || len(f.forms) < exampleForms {
		return nil
	}
	understood := 0 // messages of matches
	for t, form := range p.known.Forms {
		spec, _ := protocol.Lookup(t)
		switch isOwn := form == ownForm(spec); {
		case isOwn && slices.Contains(exampleTypes, t):
			understood++
		case form != protocol.Ignored:
			return nil
		}
	}
	switch understood {
	case 0:
		return fmt.Errorf("%w (%w)", f.example, ErrNewsWithheld)
	case 1: // many agents have a method of that name, and own names for the others
		return nil
	}
	p.known.Forms[c.spec.Type] = protocol.Ignored
	c.logIgnored(f.example)
	return c.ignored()
}

// logIgnored logs that the peer is not sent messages of this type any more.
func (c *call) logIgnored(err error) {
	c.node.Logger.Info(fmt.Sprintf("the agent has no method for %s and is not sent it again; it plays without", c.spec.Type),
		slog.String("endpoint", c.to.Endpoint), slog.String("error", redact(err.Error())))
}
