package foreign

import (
	"context"
	"time"
)

// callBack answers a call with word only, and sends message as a callback to the referee that was announced for the
// match. The callback is sent before or after the answer, as the persona requires.
func (p *Player) callBack(c call, message, word object) *answer {
	endpoint := p.referees[c.message.text("match_id")]
	if endpoint == "" {
		return p.failed(c.id, 500, "no referee was announced for this match")
	}
	switch p.Callback.Proof {
	case ProofToken:
		delete(message, "conversation_id")
	case ProofNone:
		delete(message, "conversation_id")
		delete(message, "auth_token")
	case ProofOwnToken:
		message["conversation_id"], message["auth_token"] = "conv-of-its-own", p.token
	case ProofMatch:
		message["conversation_id"], message["auth_token"] = message["match_id"], ""
	}
	body := encode(p.dress(p.Framing.callback(message)))
	send := func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		reply, err := post(ctx, endpoint, body)
		p.noteCallback(message.text("message_type"), reply, err)
	}
	if p.Callback.Early {
		send()
	} else {
		p.calling.Go(func() {
			time.Sleep(5 * time.Millisecond) // the answer to the call goes first
			send()
		})
	}
	return p.shape(c, word)
}

// callback frames a message to a referee.
func (f Framing) callback(message object) object {
	name := message.text("message_type")
	rpc := object{"jsonrpc": "2.0", "method": name, "params": message, "id": 1}
	switch f {
	case FramingC:
		rpc["method"], rpc["params"] = "tools/call", object{"name": name, "arguments": message}
	case FramingD, FramingP:
		rpc["method"], rpc["params"] = f.carrier(), object{"message": message}
	case FramingE:
		return enveloped(message)
	case FramingF, FramingREST:
		return message
	}
	return rpc
}

// enveloped moves all members of a message except the envelope under data.
func enveloped(message object) object {
	out, data := object{}, object{}
	for name, v := range message {
		switch name {
		case "protocol", "message_type", "sender", "timestamp", "conversation_id", "auth_token":
			out[name] = v
		default:
			data[name] = v
		}
	}
	out["data"] = data
	return out
}
