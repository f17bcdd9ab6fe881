package dialect

import (
	"bytes"
	"encoding/json"

	"agentleague/dialect/notation"
	"agentleague/protocol"
)

// Write encodes a message as the answer to the request with that id, as [Request.Answer] does.
func (o Request) Write(id json.RawMessage, m protocol.Message) ([]byte, error) {
	return o.WriteIn(nil, id, m)
}

// WriteIn is like [Request.Write] but may overwrite room and return a slice of it.
func (o Request) WriteIn(room []byte, id json.RawMessage, m protocol.Message) ([]byte, error) {
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

// Answer frames an encoded message as the answer to the request with that id, in the framing and the words of the
// request.
func (o Request) Answer(id, message json.RawMessage) []byte {
	message = o.inItsWords(message)
	if o.shows != (notation.Form{}) {
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

// inItsForm writes an answer in the spelling of the request, and also at the position at which the request had its
// message. In the frame "message" the default position is not copied: answers there are flat.
func (o Request) inItsForm(message json.RawMessage) json.RawMessage {
	if o.camelled {
		message = inBoth(message)
	}
	return copyTo(o.Body, message)
}

// replyTwice returns an answer to a caller without a token. The caller may be a referee that reads a player's answer
// as a bare message, so the members of such an answer also stand beside the JSON-RPC result.
func replyTwice(id, message json.RawMessage) []byte {
	f, _ := protocol.ParseFields(message)
	switch said, _ := f.Text("message_type"); protocol.Type(said) {
	case protocol.TypeGameJoinAck, protocol.TypeChooseParityResponse, protocol.TypeGameMoveResponse:
		f["jsonrpc"], f["id"], f["result"] = quoted("2.0"), id, message
		return marshalOr(f, reply(id, message))
	}
	return reply(id, message)
}

// toolResult returns a message as the result of an MCP tool. The members of the message also stand beside the content,
// where some agents read them.
func toolResult(message json.RawMessage) json.RawMessage {
	result := fields{}
	_ = json.Unmarshal(message, &result)
	result.Put("content", []map[string]string{{"type": "text", "text": string(message)}})
	result["structuredContent"] = message
	result.Put("isError", false)
	return marshalOr(result, message)
}

// inItsWords writes an answer in the words of the request's row.
func (o Request) inItsWords(message json.RawMessage) json.RawMessage {
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

// aboutAGame adds the member names of agents that call a match a game.
func (o Request) aboutAGame(answer fields) fields {
	answer["game_id"], answer["type"] = o.members["game_id"], answer["message_type"]
	if v, ok := answer["accept"]; ok {
		answer["accepted"] = v
	}
	answer.Put("ok", true)
	return answer
}

// declaresVersion reports whether a registration has a protocol_version equal to ours. Such agents use the words of
// their row; other agents with the same framing use ours.
func (o Request) declaresVersion() bool {
	for _, meta := range append(objects(o.members, metas), o.members) {
		if release, _ := meta.Text("protocol_version"); release == protocol.Version {
			return true
		}
	}
	return false
}

// answerUnderData repeats all members of an answer under data. Agents that put the members of their requests under
// data may read the answer in either place.
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
