package protocol

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// An Opening is a request as somebody put it to us. Its answer goes out in kind.
type Opening struct {
	Row     string          // the dialect that it was put in, as far as it shows
	Frame   string          // how it was framed
	Name    string          // the method, tool or path that it was sent to
	Message json.RawMessage // the message in it

	members fields // of the message
}

// Text returns the member of the message that has exactly that name, if it is a string.
func (o Opening) Text(name string) string {
	if o.members == nil {
		_ = json.Unmarshal(o.Message, &o.members)
	}
	text, _ := o.members.text(name)
	return text
}

// OpenCall finds the message in a JSON-RPC request.
func OpenCall(method string, params json.RawMessage) Opening {
	var f fields
	_ = json.Unmarshal(params, &f) // an array has no members; who decodes it says so
	switch {
	case method == "tools/call" && f != nil:
		tool, _ := f.text("name")
		return opened("C", "tool", tool, object(within(f["arguments"])), nil)
	case carried(method, f) && method == wrapped:
		return opened("P", "protocol", method, f["message"], nil)
	case carried(method, f):
		return opened("D", "message", method, f["message"], nil)
	case specs[Type(method)].Method != "" || wordsOfType[method]:
		return opened("B", "type", method, params, f)
	}
	return opened("A", "call", method, params, f)
}

// OpenPlain returns the opening of a request that was read as one of ours.
func OpenPlain(r Request) Opening {
	return Opening{Row: "A", Frame: "call", Name: r.Method, Message: r.Params}
}

func opened(row, frame, name string, message json.RawMessage, f fields) Opening {
	if f == nil {
		_ = json.Unmarshal(message, &f)
	}
	return Opening{Row: row, Frame: frame, Name: name, Message: lifted(message, f), members: f}
}

// OpenBare finds the message in a body without JSON-RPC around it. Path is the
// last part of the path that it was posted to: some say there what they want.
func OpenBare(path string, body json.RawMessage, members map[string]json.RawMessage) (Opening, bool) {
	f := fields(members)
	if _, typed := f.text("message_type"); typed {
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
	var f fields
	return json.Unmarshal(raw, &f) == nil && f != nil
}

// carried reports whether a method takes any message and has one in params.message.
func carried(method string, f fields) bool {
	var inner fields
	if f["message"] == nil || f.has("message_type") || json.Unmarshal(f["message"], &inner) != nil {
		return false
	}
	return inner != nil && (IsCarrier(method) || inner.has("message_type"))
}

// within returns the message in the arguments of a tool, which some put into a member of their own.
func within(arguments json.RawMessage) json.RawMessage {
	var f fields
	if json.Unmarshal(arguments, &f) != nil || f.has("message_type") {
		return arguments
	}
	for _, name := range []string{"message", "params", "request", "payload"} {
		if wraps(f[name]) {
			return f[name]
		}
	}
	return arguments
}

func object(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || string(raw) == "null" {
		return json.RawMessage("{}")
	}
	return raw
}

// Types lists what a request can be: by the message in it first, by the name
// that it was sent to second. Who registers under a name that both players and
// referees use is a player, unless it says that it is a referee.
func (o Opening) Types() []Type {
	types := slices.Concat(TypesNamed(o.Text("message_type")), TypesNamed(o.Name))
	if slices.Contains(types, TypeLeagueRegisterRequest) {
		meant := TypeLeagueRegisterRequest
		if asReferee(o.members) {
			meant = TypeRefereeRegisterRequest
		}
		for i, t := range types {
			if registers(t) {
				types[i] = meant
			}
		}
	}
	return types
}

// asReferee reports whether somebody who registers, under whatever name, is a referee.
func asReferee(f fields) bool {
	sender, _ := f.text("sender")
	if role, _ := ParseSender(sender); f.has("referee_meta") || role == RoleReferee && !f.has("player_meta") {
		return true
	}
	for _, member := range []string{"role", "agent_type", "type"} {
		if said, _ := f.text(member); strings.EqualFold(said, "referee") {
			return true
		}
	}
	return false
}

// Answer frames an answer as the request was framed, in its words.
func (o Opening) Answer(id, message json.RawMessage) []byte {
	message = o.inKind(message)
	switch o.Frame {
	case "bare", "rest":
		return message
	case "data":
		return answerUnderData(message)
	case "tool":
		return reply(id, toolResult(message))
	}
	if !bytes.Contains(o.Message, []byte(`"auth_token"`)) {
		return beside(id, message)
	}
	return reply(id, message)
}

// beside is an answer to somebody who has no token, which may be a referee that
// takes all that is not a request for a bare message: what a player says in a
// match is there twice.
func beside(id, message json.RawMessage) []byte {
	var f fields
	_ = json.Unmarshal(message, &f)
	switch said, _ := f.text("message_type"); Type(said) {
	case TypeGameJoinAck, TypeChooseParityResponse, TypeGameMoveResponse:
		f["jsonrpc"], f["id"], f["result"] = quoted("2.0"), id, message
		return mustMarshal(f, reply(id, message))
	}
	return reply(id, message)
}

// toolResult is a message as the result of a tool. Its members are beside the
// content as well: some look for them there.
func toolResult(message json.RawMessage) json.RawMessage {
	result := fields{}
	_ = json.Unmarshal(message, &result)
	result.put("content", []map[string]string{{"type": "text", "text": string(message)}})
	result["structuredContent"] = message
	result.put("isError", false)
	return mustMarshal(result, message)
}

// inKind says an answer in the words of the request's row.
func (o Opening) inKind(message json.RawMessage) json.RawMessage {
	row := rowNamed(o.Row)
	var f fields
	if o.members.has("game_id") && !o.members.has("match_id") && json.Unmarshal(message, &f) == nil {
		return mustMarshal(o.ofAGame(f), message)
	}
	if row.Words == nil || json.Unmarshal(message, &f) != nil {
		return message
	}
	if named, _ := f.text("message_type"); Type(named) != TypeLeagueRegisterResponse && Type(named) != TypeRefereeRegisterResponse {
		return message
	}
	if !o.declaresVersion() {
		return message
	}
	row.translate(f, "")
	return mustMarshal(f, message)
}

// ofAGame adds to an answer what they look for in it who call a match a game.
func (o Opening) ofAGame(answer fields) fields {
	answer["game_id"], answer["type"] = o.members["game_id"], answer["message_type"]
	if v, ok := answer["accept"]; ok {
		answer["accepted"] = v
	}
	answer.put("ok", true)
	return answer
}

// declaresVersion reports whether an application gives the protocol's own name
// for its version: such agents have words of their own, others of that framing do not.
func (o Opening) declaresVersion() bool {
	for _, meta := range append(o.members.objects(metas), o.members) {
		if release, _ := meta.text("protocol_version"); release == Version {
			return true
		}
	}
	return false
}

// answerUnderData has everything both beside the envelope and under data: who
// writes requests so has not said in which it looks for the answer.
func answerUnderData(message json.RawMessage) []byte {
	var f fields
	if json.Unmarshal(message, &f) != nil {
		return message
	}
	inner := fields{}
	for name, v := range f {
		inner[name] = v
	}
	f.put("data", inner)
	if _, ok := f.text("status"); ok {
		f.put("status", "success")
	}
	return mustMarshal(f, message)
}

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
