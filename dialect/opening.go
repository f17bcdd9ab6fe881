package dialect

import (
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
