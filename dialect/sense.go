package dialect

import "agentleague/protocol"

// Some agents answer in plain words: "even", {"zug":"Even"}, "I choose even."
// This file finds the move or the join in such answers. An ambiguous answer yields an objection.
//
//	answer ─▶ leaves: its values ─▶ a move: options held by each ─▶ one, plainly ─▶ the message
//	                              └▶ a join: yes or no                       └▶ else an objection

// Senses reports whether [Sense] can read answers in plain words to a message of type t.
func Senses(t protocol.Type) bool {
	return t == protocol.TypeGameInvitation || t == protocol.TypeChooseParityCall || t == protocol.TypeGameMoveCall
}

// Sense reads a plain-language answer to the message asked. Call it if [Unframe] has found neither a message nor an
// error. If the answer is unclear, the message is nil and the objection describes the flaw. Both are nil if the
// answer only acknowledges the question, so that another answer may follow, if it is signed, or if the question
// offers no options.
func Sense(asked protocol.Message, answer []byte, r protocol.Reading) (m protocol.Message, warnings []string,
	objection *protocol.Error) {
	h := gather(answer, asked)
	if h.signed { // a signed move must not be changed
		return nil, nil, nil
	}
	spec, _ := protocol.Lookup(asked.Head().MessageType)
	r.Type, r.Reply = spec.Reply, true
	if spec.Reply == protocol.TypeGameJoinAck {
		m, warnings, objection = h.join(r)
	} else {
		m, warnings, objection = h.move(optionsOf(asked), r)
	}
	if broken := objectToJSON(answer, spec.Method); m == nil && broken != nil {
		objection = broken
	}
	return m, warnings, objection
}

// join reads whether a player joins.
func (h *harvest) join(r protocol.Reading) (protocol.Message, []string, *protocol.Error) {
	yes, plain := h.joins()
	if !plain {
		return nil, nil, h.objectToJoin()
	}
	return h.message(r, fields{"accept": marshalOr(yes, nil)})
}

// move reads which option a player chooses. Like [Sense] it returns a message, its warnings, or an objection.
func (h *harvest) move(options []option, r protocol.Reading) (protocol.Message, []string, *protocol.Error) {
	if len(options) == 0 {
		return nil, nil, nil
	}
	f, parity := h.choose(options), r.Type == protocol.TypeChooseParityResponse
	switch {
	case f.chosen < 0 && parity:
		return nil, nil, h.objectToMove(protocol.InvalidChoice, options, f)
	case f.chosen < 0:
		return nil, nil, h.objectToMove(protocol.InvalidMove, options, f)
	}
	move := options[f.chosen].move
	if parity {
		return h.message(r, fields{"parity_choice": move})
	}
	return h.message(r, fields{"move_data": marshalOr(fields{"choice": move}, nil)})
}

// message builds the answer message from the members f and keeps a quotation of the player's original answer.
func (h *harvest) message(r protocol.Reading, f fields) (protocol.Message, []string, *protocol.Error) {
	f["said"] = quoted(h.quote())
	m, _, err := Read(marshalOr(f, nil), r)
	if err != nil {
		return nil, nil, protocol.AsError(err)
	}
	return m, []string{"words, read as " + string(r.Type)}, nil
}

// Tidy normalizes the values of an answer in place and returns a warning for each change. A move such as "Even" or "I
// choose even" becomes the option as offered, and a join with "no" instead of false gets a boolean. A signed move, and
// a text that is no legal move, stay unchanged.
func Tidy(answer, asked protocol.Message) (warnings []string) {
	if ack, ok := answer.(*protocol.GameJoinAck); ok {
		return tidyJoin(ack)
	}
	move, signed := moveIn(answer)
	if move == nil || signed || len(*move) == 0 || offered(asked, *move) {
		return nil
	}
	h, options := &harvest{}, optionsOf(asked)
	h.walk("choice", *move, 0)
	f := h.choose(options)
	if f.chosen < 0 {
		return nil
	}
	*move = options[f.chosen].move
	return []string{"the move is not written as it was offered"}
}

// tidyJoin sets Accept of a join that has a word instead of a boolean.
func tidyJoin(ack *protocol.GameJoinAck) (warnings []string) {
	if ack.Accept != nil || ack.Source() == nil {
		return nil
	}
	h := &harvest{}
	h.walk("", ack.Source(), 0)
	yes, plain := h.joins()
	if !plain {
		return nil
	}
	ack.Accept = &yes
	return []string{"accept is neither true nor false"}
}
