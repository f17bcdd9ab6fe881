package dialect

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"agentleague/protocol"
)

// An Opening is a request as somebody put it to us. Its answer goes out in the same way.
type Opening struct {
	Row     string          // the name of the row that it is most like
	Frame   string          // how it was framed
	Name    string          // the method, tool or path that it was sent to
	Message json.RawMessage // the message in it

	members fields // of the message
}

// Text returns the member of the message that has exactly that name, if it is a string.
func (o Opening) Text(name string) string {
	if o.members == nil {
		o.members, _ = protocol.ParseFields(o.Message)
	}
	text, _ := o.members.Text(name)
	return text
}

// OpenCall finds the message in a JSON-RPC request.
func OpenCall(method string, params json.RawMessage) Opening {
	f, _ := protocol.ParseFields(params) // an array has no members; Read refuses it
	switch {
	case method == "tools/call" && f != nil:
		tool, _ := f.Text("name")
		return opened("C", "tool", tool, object(within(f["arguments"])), nil)
	case carried(method, f) && method == wrapped:
		return opened("P", "protocol", method, f["message"], nil)
	case carried(method, f):
		return opened("D", "message", method, f["message"], nil)
	case isRequest(protocol.Type(method)) || wordsOfType[method]:
		return opened("B", "type", method, params, f)
	}
	return opened("A", "call", method, params, f)
}

// isRequest reports whether t is a message that is sent with a method of its own.
func isRequest(t protocol.Type) bool {
	s, _ := protocol.Lookup(t)
	return s.Method != ""
}

// OpenPlain returns the opening of a request that was read as one of ours.
func OpenPlain(r protocol.Request) Opening {
	return Opening{Row: "A", Frame: "call", Name: r.Method, Message: r.Params}
}

func opened(row, frame, name string, message json.RawMessage, f fields) Opening {
	if f == nil {
		f, _ = protocol.ParseFields(message)
	}
	return Opening{Row: row, Frame: frame, Name: name, Message: lifted(message, f), members: f}
}

// OpenBare finds the message in a body without JSON-RPC around it. Path is the
// last part of the path that it was posted to: some agents say there what they want.
func OpenBare(path string, body json.RawMessage, members map[string]json.RawMessage) (Opening, bool) {
	f := fields(members)
	if _, typed := f.Text("message_type"); typed {
		frame, row := "bare", "F"
		if wraps(f["data"]) || wraps(f["payload"]) {
			frame, row = "data", "E"
		}
		return opened(row, frame, path, body, f), true
	}
	if len(TypesNamed(path)) > 0 {
		return opened("G", "rest", path, body, f), true
	}
	return Opening{}, false
}

// wraps reports whether raw is an object.
func wraps(raw json.RawMessage) bool {
	_, ok := protocol.ParseFields(raw)
	return ok
}

// carried reports whether a method takes any message and has one in params.message.
func carried(method string, f fields) bool {
	var inner fields
	if f["message"] == nil || f.Has("message_type") || json.Unmarshal(f["message"], &inner) != nil {
		return false
	}
	return inner != nil && (IsCarrier(method) || inner.Has("message_type"))
}

// within returns the message in the arguments of a tool. Some agents have it there in a member of its own.
func within(arguments json.RawMessage) json.RawMessage {
	var f fields
	if json.Unmarshal(arguments, &f) != nil || f.Has("message_type") {
		return arguments
	}
	for _, name := range []string{"message", "params", "request", "payload"} {
		if wraps(f[name]) {
			return f[name]
		}
	}
	return arguments
}

// object returns raw, or an empty object if raw is nothing.
func object(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || string(raw) == "null" {
		return json.RawMessage("{}")
	}
	return raw
}

// Types lists what a request can be: by the message in it first, by the name
// that it was sent to second. An agent that registers under a name that both
// players and referees use is a player, unless it says that it is a referee.
func (o Opening) Types() []protocol.Type {
	types := slices.Concat(TypesNamed(o.Text("message_type")), TypesNamed(o.Name))
	if slices.Contains(types, protocol.TypeLeagueRegisterRequest) {
		meant := protocol.TypeLeagueRegisterRequest
		if asReferee(o.members) {
			meant = protocol.TypeRefereeRegisterRequest
		}
		for i, t := range types {
			if t.Registers() {
				types[i] = meant
			}
		}
	}
	return types
}

// asReferee reports whether somebody who registers, under whatever name, is a referee.
func asReferee(f fields) bool {
	sender, _ := f.Text("sender")
	role, _ := protocol.ParseSender(sender)
	if f.Has("referee_meta") || role == protocol.RoleReferee && !f.Has("player_meta") {
		return true
	}
	for _, member := range []string{"role", "agent_type", "type"} {
		if said, _ := f.Text(member); strings.EqualFold(said, "referee") {
			return true
		}
	}
	return false
}

// Answer frames an answer as the request was framed, in the words of its row.
func (o Opening) Answer(id, message json.RawMessage) []byte {
	message = o.inItsWords(message)
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

// replyTwice is an answer to somebody who shows no token. It may be a referee
// that takes everything but a request for a bare message: what a player answers
// in a match stands both in the result and beside it.
func replyTwice(id, message json.RawMessage) []byte {
	f, _ := protocol.ParseFields(message)
	switch said, _ := f.Text("message_type"); protocol.Type(said) {
	case protocol.TypeGameJoinAck, protocol.TypeChooseParityResponse, protocol.TypeGameMoveResponse:
		f["jsonrpc"], f["id"], f["result"] = quoted("2.0"), id, message
		return marshalOr(f, reply(id, message))
	}
	return reply(id, message)
}

// toolResult is a message as the result of a tool. Its members stand beside the
// content as well: some agents look for them there.
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

// aboutAGame adds to an answer what agents look for in it that call a match a game.
func (o Opening) aboutAGame(answer fields) fields {
	answer["game_id"], answer["type"] = o.members["game_id"], answer["message_type"]
	if v, ok := answer["accept"]; ok {
		answer["accepted"] = v
	}
	answer.Put("ok", true)
	return answer
}

// declaresVersion reports whether a registration gives the protocol's name for
// its version. Agents that do have the words of their row; others of the same
// framing have ours.
func (o Opening) declaresVersion() bool {
	for _, meta := range append(objects(o.members, metas), o.members) {
		if release, _ := meta.Text("protocol_version"); release == protocol.Version {
			return true
		}
	}
	return false
}

// answerUnderData has everything both beside the envelope and under data: an
// agent that writes its requests so may look for the answer in either.
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
