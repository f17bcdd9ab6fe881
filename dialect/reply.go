package dialect

import (
	"bytes"
	"encoding/json"

	"agentleague/protocol"
)

// Write writes a message as the answer to a request, as [Opening.Answer] frames it.
func (o Opening) Write(id json.RawMessage, m protocol.Message) ([]byte, error) {
	return o.WriteIn(nil, id, m)
}

// WriteIn is Write into the memory of room, as far as it fits. The content of room is overwritten.
func (o Opening) WriteIn(room []byte, id json.RawMessage, m protocol.Message) ([]byte, error) {
	if o.ours {
		return protocol.WriteResult(room, m, id)
	}
	message, err := protocol.Encode(m)
	if err != nil {
		return nil, err
	}
	if ack, ok := m.(*protocol.StartMatchAck); ok && ack.Result != nil {
		message = o.withResult(message, ack.Result)
	}
	return o.Answer(id, message), nil
}

// Answer frames an answer as the request was framed, in the words of its row.
func (o Opening) Answer(id, message json.RawMessage) []byte {
	message = o.inItsWords(message)
	if o.shows != (protocol.Form{}) {
		message = o.inItsForm(message)
	}
	switch o.Frame {
	case "bare", "rest":
		return message
	case "data":
		return answerUnderData(message)
	case "tool":
		return reply(id, toolResult(message))
	}
	if !bytes.Contains(o.Message, []byte(`"auth_token"`)) {
		return replyTwice(id, message)
	}
	return reply(id, message)
}

// inItsForm writes an answer in the spelling of the request, and also where the
// request had its message. One method for all messages takes them in a member
// of that name; its answers lie flat.
func (o Opening) inItsForm(message json.RawMessage) json.RawMessage {
	if o.camelled {
		message = inBoth(message)
	}
	return copyTo(o.Body, message)
}

// replyTwice is an answer to a caller without a token. It may be a referee that takes everything but a request for a
// bare message: a player's answer in a match stands both in the result and beside it.
func replyTwice(id, message json.RawMessage) []byte {
	f, _ := protocol.ParseFields(message)
	switch said, _ := f.Text("message_type"); protocol.Type(said) {
	case protocol.TypeGameJoinAck, protocol.TypeChooseParityResponse, protocol.TypeGameMoveResponse:
		f["jsonrpc"], f["id"], f["result"] = quoted("2.0"), id, message
		return marshalOr(f, reply(id, message))
	}
	return reply(id, message)
}

// toolResult is a message as the result of a tool. Its members also stand beside the content, where some agents read
// them.
func toolResult(message json.RawMessage) json.RawMessage {
	result := fields{}
	_ = json.Unmarshal(message, &result)
	result.Put("content", []map[string]string{{"type": "text", "text": string(message)}})
	result["structuredContent"] = message
	result.Put("isError", false)
	return marshalOr(result, message)
}

// inItsWords writes an answer in the words of the request's row.
func (o Opening) inItsWords(message json.RawMessage) json.RawMessage {
	row := rowNamed(o.Row)
	var f fields
	if o.members.Has("game_id") && !o.members.Has("match_id") && json.Unmarshal(message, &f) == nil {
		return marshalOr(o.aboutAGame(f), message)
	}
	if row.Words == nil || json.Unmarshal(message, &f) != nil {
		return message
	}
	if named, _ := f.Text("message_type"); !isAdmission(protocol.Type(named)) || !o.declaresVersion() {
		return message
	}
	row.translate(f, "")
	return marshalOr(f, message)
}

// isAdmission reports whether t answers a registration.
func isAdmission(t protocol.Type) bool {
	return t == protocol.TypeLeagueRegisterResponse || t == protocol.TypeRefereeRegisterResponse
}

// aboutAGame adds to an answer the members of agents that call a match a game.
func (o Opening) aboutAGame(answer fields) fields {
	answer["game_id"], answer["type"] = o.members["game_id"], answer["message_type"]
	if v, ok := answer["accept"]; ok {
		answer["accepted"] = v
	}
	answer.Put("ok", true)
	return answer
}

// declaresVersion reports whether a registration uses the protocol's name for its version. Such agents use the words
// of their row; others of the same framing use ours.
func (o Opening) declaresVersion() bool {
	for _, meta := range append(objects(o.members, metas), o.members) {
		if release, _ := meta.Text("protocol_version"); release == protocol.Version {
			return true
		}
	}
	return false
}

// answerUnderData repeats all members under data: an agent that writes its requests so may read the answer in either
// place.
func answerUnderData(message json.RawMessage) []byte {
	var f fields
	if json.Unmarshal(message, &f) != nil {
		return message
	}
	inner := fields{}
	for name, v := range f {
		inner[name] = v
	}
	f.Put("data", inner)
	if _, ok := f.Text("status"); ok {
		f.Put("status", "success")
	}
	return marshalOr(f, message)
}

// reply is a JSON-RPC answer.
func reply(id, result json.RawMessage) []byte {
	if id == nil {
		id = json.RawMessage("null")
	}
	b := make([]byte, 0, len(result)+len(id)+40)
	b = append(b, `{"id":`...)
	b = append(b, id...)
	b = append(b, `,"jsonrpc":"2.0","result":`...)
	b = append(b, result...)
	return append(b, '}')
}
