package check

import (
	"encoding/json"
	"strings"
	"time"

	"agentleague/protocol"
)

// An answer is a message that the agent answered with.
type answer struct {
	*exchange
	asked *protocol.Envelope
	want  protocol.Type
	raw   json.RawMessage // the message
}

// A refused is an error that the agent answered with.
type refused struct {
	*exchange
	asked protocol.Type
	*protocol.Refusal
}

// A message is one that the agent sent on its own initiative.
type message struct {
	*exchange
	protocol.Message
	at    time.Time
	spoke string // the dialect that it came in
}

// A reply is the outcome of one call.
type reply struct {
	protocol.Message // nil: there was none
	err              error
	x                *exchange
	sent             protocol.Type
	wrong            string // the mutation of the message that was sent
}

// about describes the request.
func (r reply) about() string { return strings.TrimSpace(string(r.sent) + " " + r.wrong) }

// last is the newest, or nil.
func last(xs []*exchange) *exchange {
	if len(xs) == 0 {
		return nil
	}
	return xs[len(xs)-1]
}

// saneSender reports whether s can be the sender of an agent of that role.
func saneSender(s string, role protocol.Role) bool {
	said, id := protocol.ParseSender(s)
	return said == role && (id != "" || role == protocol.RoleManager)
}

// exampleSender is a possible sender name of an agent of a role.
func exampleSender(role protocol.Role) string {
	switch role {
	case protocol.RoleManager:
		return protocol.Manager
	case protocol.RoleReferee:
		return "referee:REF01"
	}
	return "player:P01"
}

// wrongToken belongs to no agent.
const wrongToken = "tok_player_P00_this-is-nobodys-token"

// league is the league that the checker plays.
const league = "league_check"

// refereeID is the checker's sender id as a referee.
const refereeID = "REF01"

// Senders of the checker's messages: agents check them.
var (
	asReferee = protocol.Sender(protocol.RoleReferee, refereeID)
	asManager = protocol.Manager
)

// textOf is an id for a sentence; the winner of a draw is "nobody".
func textOf(s *string) string {
	if s == nil || *s == "" {
		return "nobody"
	}
	return *s
}
