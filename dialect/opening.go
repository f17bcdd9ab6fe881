package dialect

import (
	"encoding/json"
	"slices"
	"strings"

	"agentleague/protocol"
)

// An Opening is a parsed incoming request. The answer uses its framing.
type Opening struct {
	Row     string          // the name of the row that it is most like
	Frame   string          // how it was framed
	Body    string          // where in it the message lies: one of protocol.Bodies, or "" for the frame's own place
	Name    string          // the method, tool or path that it was sent to
	Message json.RawMessage // the message in it

	ours     bool          // it is written as our agents write theirs, and shows a token
	members  fields        // of the message
	camelled bool          // they came in another spelling
	shows    protocol.Form // its evidence of the sender's dialect beyond the row: see [Opening.Dialect]
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
	if method == "tools/call" && f != nil {
		tool, _ := f.Text("name")
		args := object(f["arguments"])
		members, _ := protocol.ParseFields(args)
		body, message := bodyOf(args, members)
		return opened("C", "tool", body, "", tool, message)
	}
	body, message := bodyOf(params, f)
	return openMethod(method, body, message)
}

// OpenBeside finds the message in a JSON-RPC request that has data instead of params.
func OpenBeside(method string, data json.RawMessage) Opening {
	return openMethod(method, "beside", data)
}

// openMethod derives the framing of a request from its method.
func openMethod(method, body string, message json.RawMessage) Opening {
	switch {
	case method == wrapped && body == "message":
		return opened("P", "protocol", "", "", method, message)
	case isOneForAll(method, body, message):
		return openOne(method, body, message)
	case isRequest(protocol.Type(method)) || wordsOfType[method]:
		return opened("B", "type", body, "", method, message)
	}
	return opened("A", "call", body, "", method, message)
}

// openOne is a request whose method takes any message. A message in a separate member is row D.
func openOne(method, body string, message json.RawMessage) Opening {
	row, one := "A", method
	if body == "message" {
		row = "D"
	}
	if method == carriers[0] {
		one = ""
	}
	return opened(row, "message", bodyInOne(body), one, method, message)
}

// isOneForAll reports whether a method takes any message, so that the message names its type. An unknown method may
// be a third-party name for this message alone; for a registration the name shows it.
func isOneForAll(method, body string, message json.RawMessage) bool {
	switch {
	case IsCarrier(method):
		return body == "message" || isTyped(message)
	case len(TypesNamed(method)) > 0 || containsAny(strings.ToLower(method), "regist", "join", "enrol", "enlist", "sign"):
		return false
	}
	return isTyped(message)
}

// isRequest reports whether t is a message that is sent with a method of its own.
func isRequest(t protocol.Type) bool {
	s, _ := protocol.Lookup(t)
	return s.Method != ""
}

// OpenPlain returns the opening of a request that was read as one of ours.
func OpenPlain(r protocol.Request) Opening {
	return Opening{Row: "A", Frame: "call", Name: r.Method, Message: r.Params, ours: r.Message.Head().AuthToken != ""}
}

// opened is a parsed request without the evidence of its sender's dialect.
func opened(row, frame, body, one, name string, message json.RawMessage) Opening {
	f, _ := protocol.ParseFields(message)
	message, f, camelled := inSnake(message, f)
	return Opening{
		Row: row, Frame: frame, Body: body, Name: name, Message: lifted(message, f), members: f, camelled: camelled,
		shows: shown(frame, body, one, name, camelled),
	}
}

// OpenBare finds the message in a body without JSON-RPC around it. Path is the last part of the request path, which
// names the message for some agents.
func OpenBare(path string, body json.RawMessage, members map[string]json.RawMessage) (Opening, bool) {
	f := fields(members)
	where, message := bodyOf(body, f)
	switch {
	case where == "split" || typeIn(f) != "" && wraps(f["payload"]):
		return opened("E", "data", "", "", path, body), true
	case typeIn(f) != "":
		return opened("F", "bare", "", "", path, body), true
	case isTyped(message):
		return opened("F", "bare", where, "", path, message), true
	case len(TypesNamed(path)) > 0:
		return opened("G", "rest", where, "", path, message), true
	}
	return Opening{}, false
}

// wraps reports whether raw is an object.
func wraps(raw json.RawMessage) bool {
	_, ok := protocol.ParseFields(raw)
	return ok
}

// object returns raw, or an empty object if raw is nothing.
func object(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || string(raw) == "null" {
		return json.RawMessage("{}")
	}
	return raw
}

// Types lists the possible types of a request: by its message first, by the name of its method second. An agent that
// registers under a name common to players and referees is a player unless the message names the role referee.
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

// asReferee reports whether a registration, under any name, is a referee's.
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
