package foreign

import "time"

// shape frames a message as an answer in the persona's form.
func (p *Player) shape(c call, message object) *answer {
	message = p.inCamel(message)
	rpc := object{"jsonrpc": "2.0", "id": p.replyID(c)}
	switch p.Reply {
	case ReplyNullError:
		rpc["result"], rpc["error"] = message, nil
	case ReplyRequest:
		rpc["method"], rpc["params"] = orElse(message.text("message_type")+message.text("messageType"), "response"), message
	case ReplyStatusData:
		rpc = object{"status": "success", "data": message}
	case ReplyBare:
		rpc = message
	case ReplyTwice:
		rpc["result"] = object{"response": message}
	case ReplyContent:
		rpc["result"] = object{"content": []object{{"type": "text", "text": string(encode(message))}}}
	case ReplyStructured:
		rpc["result"] = object{"content": []object{{"type": "text", "text": "done"}}, "structuredContent": message}
	default:
		rpc["result"] = message
	}
	return &answer{200, encode(rpc)}
}

// replyID returns the JSON-RPC id of the answer to a call.
func (p *Player) replyID(c call) any {
	if p.IDs != IDCounter {
		return c.id
	}
	p.counter++
	return 1000 + p.counter
}

// joins returns the message with which the player accepts an invitation.
func (p *Player) joins(c call) object {
	m := p.message("GAME_JOIN_ACK", c)
	m["arrival_timestamp"] = p.now()
	switch p.Join {
	case JoinACCEPTED, JoinACK, JoinREADY:
		m["status"] = string(p.Join[len("status:"):])
	case JoinAccepted:
		m["accepted"] = true
	case JoinAcceptOnly:
		return object{"accept": true}
	default:
		m["accept"] = true
	}
	return m
}

// chooses returns the message with the player's choice.
func (p *Player) chooses(c call) object {
	m, choice := p.message("CHOOSE_PARITY_RESPONSE", c), p.choice(c.message.text("match_id"))
	switch p.Choice {
	case ChoicePlain:
		m["choice"] = choice
	case ChoiceAlone:
		return object{"choice": choice}
	case ChoiceTyped:
		m["message_type"], m["choice"] = "PARITY_CHOICE", choice
	case ChoiceMove:
		m["move_data"] = object{"choice": choice}
	default:
		m["parity_choice"] = choice
	}
	return m
}

// acknowledges returns the acknowledgement of a notification.
func (p Persona) acknowledges() object {
	if p.Ack == "" {
		return object{}
	}
	return object{"status": p.Ack}
}

// message returns the common members of an answer to a call.
func (p *Player) message(messageType string, c call) object {
	m := object{
		"protocol": "league.v2", "message_type": messageType, "sender": "player:" + p.calls(), "timestamp": p.now(),
		"match_id": c.message.text("match_id"), "player_id": p.calls(),
	}
	if said := c.message.text("conversation_id"); said != "" {
		m["conversation_id"] = said
	}
	if round, ok := c.message["round_id"]; ok {
		m["round_id"] = p.RoundID.write(round)
	}
	p.Token.show(m, p.token, c.message.text("auth_token"))
	return m
}

func (p Persona) now() string { return p.Time.write(time.Now()) }

// calls returns the id that the player uses for itself: its own, or else the granted one.
func (p *Player) calls() string { return orElse(p.OwnID, p.id) }
