package dialect

import (
	"encoding/json"
	"slices"
	"strings"

	"agentleague/dialect/notation"
	"agentleague/protocol"
)

// An Request is a parsed incoming request. The answer uses its framing.
type Request struct {
	Row     string          // the name of the row that it is most like
	Frame   string          // how it was framed
	Body    string          // where in it the message lies: one of notation.Bodies, or "" for the frame's own place
	Name    string          // the method, tool or path that it was sent to
	Message json.RawMessage // the message in it

	ours     bool          // it is written as our agents write theirs, and shows a token
	members  fields        // of the message
	camelled bool          // they came in another spelling
	shows    notation.Form // its evidence of the sender's dialect beyond the row: see [Request.Dialect]
}

// Text returns the string member of the message with exactly that name; "" if there is none.
func (o Request) Text(name string) string {
	if o.members == nil {
		o.members, _ = protocol.ParseFields(o.Message)
	}
	text, _ := o.members.Text(name)
	return text
}

// ParseCall finds the message in a JSON-RPC request.
func ParseCall(method string, params json.RawMessage) Request {
	f, _ := protocol.ParseFields(params) // an array has no members; Read refuses it
	if method == "tools/call" && f != nil {
		tool, _ := f.Text("name")
		args := object(f["arguments"])
		members, _ := protocol.ParseFields(args)
		body, message := bodyOf(args, members)
		return newRequest("C", "tool", body, "", tool, message)
	}
	body, message := bodyOf(params, f)
	return parseMethod(method, body, message)
}

// ParseBeside finds the message in a JSON-RPC request that has data instead of params.
func ParseBeside(method string, data json.RawMessage) Request {
	return parseMethod(method, "beside", data)
}

// parseMethod derives the framing of a request from its method.
func parseMethod(method, body string, message json.RawMessage) Request {
	switch {
	case method == mcpCarrier && body == "message":
		return newRequest("P", "protocol", "", "", method, message)
	case isOneForAll(method, body, message):
		return parseGeneric(method, body, message)
	case isRequest(protocol.Type(method)) || messageTypeNames[method]:
		return newRequest("B", "type", body, "", method, message)
	}
	return newRequest("A", "call", body, "", method, message)
}

// parseGeneric parses a request whose method takes any message. A message in the member "message" is row D, any other
// row A.
func parseGeneric(method, body string, message json.RawMessage) Request {
	row, one := "A", method
	if body == "message" {
		row = "D"
	}
	if method == carriers[0] {
		one = ""
	}
	return newRequest(row, "message", bodyInOne(body), one, method, message)
}

// isOneForAll reports whether a method takes messages of any type, so that the message must name its own. An unknown
// method counts if the message is typed, except that names such as "join_league" are methods for registrations only.
func isOneForAll(method, body string, message json.RawMessage) bool {
	switch {
	case IsCarrier(method):
		return body == "message" || isTyped(message)
	case len(TypesNamed(method)) > 0 || containsAny(strings.ToLower(method), "regist", "join", "enrol", "enlist", "sign"):
		return false
	}
	return isTyped(message)
}

// isRequest reports whether the specification defines a method for messages of type t.
func isRequest(t protocol.Type) bool {
	s, _ := protocol.Lookup(t)
	return s.Method != ""
}

// ParsePlain returns a request that was already decoded as league.v2.
func ParsePlain(r protocol.Request) Request {
	return Request{Row: "A", Frame: "call", Name: r.Method, Message: r.Params, ours: r.Message.Head().AuthToken != ""}
}

// newRequest returns a request with the members of its message in snake case.
func newRequest(row, frame, body, one, name string, message json.RawMessage) Request {
	f, _ := protocol.ParseFields(message)
	message, f, camelled := inSnake(message, f)
	return Request{
		Row: row, Frame: frame, Body: body, Name: name, Message: lifted(message, f), members: f, camelled: camelled,
		shows: shown(frame, body, one, name, camelled),
	}
}

// ParseBare finds the message in a body without JSON-RPC. path is the last element of the request path, which names the
// message for some agents. It returns false if neither the body nor the path names a message type.
func ParseBare(path string, body json.RawMessage, members map[string]json.RawMessage) (Request, bool) {
	f := fields(members)
	where, message := bodyOf(body, f)
	switch {
	case where == "split" || typeIn(f) != "" && wraps(f["payload"]):
		return newRequest("E", "data", "", "", path, body), true
	case typeIn(f) != "":
		return newRequest("F", "bare", "", "", path, body), true
	case isTyped(message):
		return newRequest("F", "bare", where, "", path, message), true
	case len(TypesNamed(path)) > 0:
		return newRequest("G", "rest", where, "", path, message), true
	}
	return Request{}, false
}

// wraps reports whether raw is an object.
func wraps(raw json.RawMessage) bool {
	_, ok := protocol.ParseFields(raw)
	return ok
}

// object returns raw, or an empty object if raw is absent or null.
func object(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || string(raw) == "null" {
		return json.RawMessage("{}")
	}
	return raw
}

// Types lists the possible types of a request: those that the message names, then those that the method names. A
// registration under a name common to players and referees is a player's unless the message names the role referee.
func (o Request) Types() []protocol.Type {
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

// asReferee reports whether the members of a registration describe a referee.
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
