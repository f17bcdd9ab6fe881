package conform

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"agentleague/protocol"
)

// A Question is a request to an agent, with which its answer is compared.
type Question struct {
	Type         protocol.Type
	Conversation string
	MatchID      string
	PlayerID     string                  // "": the question names no player
	Sender       string                  // of the answer, such as player:P01; "": unknown
	Shows        func(token string) bool // whether a token is the agent's; nil: any is
}

// Answer compares the body of an answer with the rules. Acknowledgements are never refused.
func Answer(body []byte, q Question) []Violation {
	spec, _ := protocol.Lookup(q.Type)
	t := spec.Reply
	if _, defined := sections[t]; !defined {
		return nil
	}
	c := checker{answers: true}
	outer, ok := protocol.ParseFields(body)
	version, _ := outer.Text("jsonrpc")
	switch {
	case !ok:
		c.add(jsonRPC.broken(protocol.InvalidMessage, "", "the answer is not a JSON object"))
	case version != "2.0":
		c.add(jsonRPC.broken(protocol.InvalidMessage, "jsonrpc", `jsonrpc is not "2.0"`))
	case !outer.Has("id"):
		c.add(jsonRPC.broken(protocol.InvalidMessage, "id", "the answer has no id"))
	case outer.Object("result") == nil:
		c.add(jsonRPC.broken(protocol.InvalidMessage, "result", "result is not an object"))
	}
	c.fields = outer.Object("result")
	if len(c.found) == 0 && protocol.IsAck(t) {
		c.acknowledgement(t)
	} else if len(c.found) == 0 {
		if named, _ := c.fields.Text("message_type"); protocol.Type(named) == sibling[t] {
			t = sibling[t]
		}
		c.envelope(t, q.Sender)
		c.token(q.Shows)
		c.members(t)
		c.belongs(q)
	}
	if protocol.IsAck(t) {
		for i := range c.found {
			c.found[i].Kind = nil
		}
	}
	return c.found
}

// Request compares a request of an agent with the rules. keyed means that it came to an address with a join key, which
// counts as the token.
func Request(text json.RawMessage, t protocol.Type, keyed bool) []Violation {
	if _, defined := sections[t]; !defined {
		return nil
	}
	f, ok := protocol.ParseFields(text)
	if !ok {
		return nil // it is refused in any mode
	}
	c := checker{fields: f}
	c.envelope(t, "")
	if !keyed && !t.Registers() {
		c.token(nil)
	}
	c.members(t)
	return c.found
}

// OtherMethod returns the violation of a request with another method than the documented one.
func OtherMethod(spec protocol.Spec) []Violation {
	if _, defined := sections[spec.Type]; !defined {
		return nil
	}
	return []Violation{documentedMethod.broken(nil, "method", "the method is not %s", spec.Method)}
}

// sibling is the other type of message that can carry a move.
var sibling = map[protocol.Type]protocol.Type{
	protocol.TypeChooseParityResponse: protocol.TypeGameMoveResponse,
	protocol.TypeGameMoveResponse:     protocol.TypeChooseParityResponse,
}

// A checker collects the violations of one message.
type checker struct {
	fields  protocol.Fields
	answers bool
	found   []Violation
}

func (c *checker) add(v Violation) { c.found = append(c.found, v) }

// missing adds a violation if a member is absent, and reports whether it is there.
func (c *checker) missing(r rule, name string) (there bool) {
	if there = c.fields.Has(name); !there {
		c.add(r.broken(protocol.MissingField, name, "%s is missing", name))
	}
	return there
}

// envelope checks the members that every message has.
func (c *checker) envelope(t protocol.Type, sender string) {
	if c.missing(protocolName, "protocol") {
		if v, _ := c.fields.Text("protocol"); v != protocol.Version {
			c.add(protocolName.broken(protocol.VersionMismatch, "protocol", "protocol is not %q", protocol.Version))
		}
	}
	if c.missing(messageType, "message_type") {
		if v, _ := c.fields.Text("message_type"); v != string(t) {
			c.add(messageType.broken(protocol.InvalidMessage, "message_type", "message_type is not %q", t))
		}
	}
	if c.missing(senderForm, "sender") {
		v, _ := c.fields.Text("sender")
		role, id := protocol.ParseSender(v)
		switch {
		case role != protocol.RoleManager && id == "":
			c.add(senderForm.broken(protocol.InvalidMessage, "sender", "sender is not the role and the id of an agent"))
		case sender != "" && v != sender:
			c.add(senderForm.broken(protocol.InvalidMessage, "sender", "sender is not %q", sender))
		}
	}
	if c.missing(timestamp, "timestamp") {
		c.time("timestamp")
	}
	c.missing(conversation, "conversation_id")
}

// time checks that a member is a time in UTC.
func (c *checker) time(name string) {
	v, _ := c.fields.Text(name)
	if _, plain, err := protocol.ParseTime(v); err != nil || !plain {
		c.add(inUTC.broken(protocol.InvalidTimestamp, name, "%s is not a time in UTC such as 2025-01-15T10:30:00Z", name))
	}
}

// token checks that the message has the token of its agent.
func (c *checker) token(shows func(string) bool) {
	v, _ := c.fields.Text("auth_token")
	switch {
	case v == "":
		c.add(token.broken(protocol.AuthTokenMissing, "auth_token", "auth_token is missing"))
	case shows != nil && !shows(v):
		c.add(token.broken(protocol.AuthTokenInvalid, "auth_token", "auth_token is not that of the agent"))
	}
}

// nullable are required members that may be null.
var nullable = []string{"game_result.winner_player_id", "result.winner"}

// members checks the required members of a type of message and their types, and reports members that no document has.
func (c *checker) members(t protocol.Type) {
	spec, _ := protocol.Lookup(t)
	for _, path := range spec.Required {
		v := c.fields.Get(path)
		switch {
		case slices.Contains(nullable, path) && v != nil:
		case v == nil || string(v) == "null":
			c.add(required.broken(protocol.MissingField, path, "%s is missing", path).in(t))
		case path == "parity_choice":
			if string(v) != `"even"` && string(v) != `"odd"` {
				c.add(parityChoice.broken(protocol.InvalidChoice, path, `parity_choice is neither "even" nor "odd"`))
			}
		case types[path] != "" && !strings.ContainsRune(types[path], rune(v[0])):
			c.add(memberType.broken(protocol.InvalidMessage, path, "%s has the wrong type", path).in(t))
		case strings.HasSuffix(path, "_timestamp"):
			c.time(path)
		}
	}
	c.unknown(t, spec)
}

// types has the first characters of the values of members, by path.
var types = map[string]string{
	"match_id": text, "player_id": text, "accept": "tf", "arrival_timestamp": text, "league_id": text, "game_type": text,
	"round_id": number, "query_type": text, "result": object, "result.score": object, "result.details": object,
	"result.winner": text, "move_data": object, "move_data.move_type": text, "status": text,
	"player_meta": object, "player_meta.display_name": text, "player_meta.version": text, "player_meta.game_types": "[",
	"player_meta.contact_endpoint": text,
	"referee_meta":                 object, "referee_meta.display_name": text, "referee_meta.version": text,
	"referee_meta.game_types": "[", "referee_meta.contact_endpoint": text, "referee_meta.max_concurrent_matches": number,
}

// The first characters of values.
const (
	text   = `"`
	number = "-0123456789"
	object = "{"
)

// nested are the members whose own members are compared as well.
var nested = []string{"player_meta", "referee_meta", "move_data", "context"}

// unknown reports the members that neither a document nor this program has.
func (c *checker) unknown(t protocol.Type, spec protocol.Spec) {
	add := func(path string) {
		if !spec.Has(path) {
			path = protocol.Clip(protocol.Plain(path), 60)
			c.add(unknownMember.broken(nil, path, "%s is no member of %s", path, t).in(t))
		}
	}
	for name := range c.fields {
		add(name)
	}
	for _, outer := range nested {
		for name := range c.fields.Object(outer) {
			if spec.Has(outer) {
				add(outer + "." + name)
			}
		}
	}
	slices.SortStableFunc(c.found, func(a, b Violation) int {
		if a.Rule != unknownMember.id || b.Rule != unknownMember.id {
			return 0
		}
		return strings.Compare(a.Member, b.Member)
	})
}

// belongs checks that an answer is about its question.
func (c *checker) belongs(q Question) {
	differs := func(name, want string) bool {
		v, ok := c.fields.Text(name)
		return ok && want != "" && v != want
	}
	if differs("conversation_id", q.Conversation) {
		c.add(sameConversation.broken(nil, "conversation_id", "conversation_id is not that of the question"))
	}
	if differs("match_id", q.MatchID) {
		c.add(sameMatch.broken(protocol.MatchNotFound, "match_id", "match_id is not %s", q.MatchID))
	}
	if differs("player_id", q.PlayerID) {
		c.add(samePlayer.broken(protocol.PlayerNotRegistered, "player_id", "player_id is not %s", q.PlayerID))
	}
}

// acknowledgement checks an acknowledgement, which has fewer members than other answers.
func (c *checker) acknowledgement(t protocol.Type) {
	for _, name := range []string{"protocol", "message_type", "timestamp"} {
		if !c.fields.Has(name) {
			c.add(required.broken(nil, name, "%s is missing", name).in(t))
		}
	}
	if c.fields.Has("timestamp") {
		c.time("timestamp")
	}
	c.members(t)
}

// refusalIn returns the error with which a peer answered.
func refusalIn(err error) (r *protocol.Refusal, ok bool) {
	ok = errors.As(err, &r)
	return r, ok
}
