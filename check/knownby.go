package check

import (
	"bytes"
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"

	"agentleague/dialect"
	"agentleague/protocol"
	"agentleague/rpc"
)

// The role of an agent that does not name it follows from the messages that it understands. The checker sends it a
// query that only one role knows and that changes nothing, and the same under an unknown name: if the answers differ,
// it has that role.

// A question is a query that agents of one role understand. None announces a match to play.
type question struct {
	role protocol.Role
	from string // its sender
	ask  func(s *session) protocol.Message
}

// questions determine the role of an agent: only an agent of the given role understands each. None of them changes
// anything.
var questions = []question{
	{protocol.RolePlayer, asReferee, func(s *session) protocol.Message { // it is invited to no such match
		return playerCheck{s}.parityCall(s.match(9, 9))
	}},
	{protocol.RoleManager, asReferee, func(s *session) protocol.Message {
		return &protocol.LeagueQuery{Envelope: protocol.Envelope{
			MessageType: protocol.TypeLeagueQuery, ConversationID: s.conversation("role"), LeagueID: league,
		}, QueryType: protocol.QueryStandings}
	}},
	{protocol.RoleReferee, asManager, func(s *session) protocol.Message { // without players
		return &protocol.StartMatch{Envelope: protocol.Envelope{
			MessageType: protocol.TypeStartMatch, ConversationID: s.conversation("role"), LeagueID: league,
		}}
	}},
}

// lastQuestion is for managers that answer no queries: a registration without name and address.
var lastQuestion = question{protocol.RoleManager, "", func(s *session) protocol.Message {
	return &protocol.LeagueRegisterRequest{Envelope: protocol.Envelope{
		MessageType: protocol.TypeLeagueRegisterRequest, ConversationID: s.conversation("role"),
	}}
}}

// rareRow is the dialect whose form of a message comes so late that an agent without other evidence is not offered
// it.
const rareRow = "P"

// listed are tools that identify a role.
var listed = []struct {
	role  protocol.Role
	names []string
}{
	{protocol.RolePlayer,
		[]string{"get_player_state", "choose_parity", "parity_choose", "CHOOSE_PARITY_CALL", "receive_parity_call"}},
	{protocol.RoleReferee, []string{"get_match_state", "start_match", "assign_match", "START_MATCH", "MATCH_ASSIGNMENT"}},
	{protocol.RoleManager,
		[]string{"get_league_status", "get_standings", "league_query", "LEAGUE_QUERY", "register_player"}},
}

// knownBy determines a role by the tools that the agent lists, by the messages that it understands, and otherwise by
// whether it joins a match or accepts registrations.
func (s *session) knownBy(ctx context.Context) protocol.Role {
	tools := s.post(ctx, []byte(`{"jsonrpc":"2.0","method":"tools/list","params":{},"id":1}`))
	for _, m := range listed {
		if slices.ContainsFunc(m.names,
			func(name string) bool { return strings.Contains(string(tools.got), `"`+name+`"`) }) {
			return m.role
		}
	}
	for _, row := range []string{s.peer.Dialect, rareRow} {
		for _, q := range questions {
			if s.understands(ctx, q, row) {
				s.peer.Dialect = row
				return q.role
			}
		}
		if s.Strict {
			break
		}
	}
	if ack, ok := (playerCheck{s}).joined(ctx).Message.(*protocol.GameJoinAck); ok && ack.Accepts() {
		return protocol.RolePlayer // the check goes on with that match
	}
	if s.understands(ctx, lastQuestion, s.peer.Dialect) {
		return lastQuestion.role
	}
	return ""
}

// understands reports whether the agent answers a question, in any form, differently from one with an unknown name.
// The forms are tried by a separate node: its conclusions from such answers are not for the check.
func (s *session) understands(ctx context.Context, q question, row string) bool {
	ctx, cancel := context.WithTimeout(ctx, s.Patience)
	defer cancel()
	t := &tape{}
	node := rpc.NewNode(q.from, rpc.Options{Network: s.network})
	to := rpc.Peer{Endpoint: s.peer.Endpoint, Dialect: row}
	_, _ = node.Call(context.WithValue(ctx, tapeKey{}, t), to, q.ask(s))
	return slices.ContainsFunc(t.exchanges, func(x *exchange) bool { return s.distinguishes(ctx, x) })
}

// distinguishes reports whether the agent answers differently to a request with unknown names.
func (s *session) distinguishes(ctx context.Context, x *exchange) bool {
	if x.err != nil || refusesForm(x) {
		return false
	}
	twin, names := renamed(x.sent)
	url := x.url
	if len(names) == 0 { // its path names the message
		url = placed(url, "/no_such_page")
	}
	status, got, err := s.network.Post(ctx, url, "nothing", twin)
	return err == nil && (status != x.status || invariantPart(got, names) != invariantPart(x.got, names))
}

// refusesForm reports whether an answer reports an unknown method or path.
func refusesForm(x *exchange) bool {
	_, _, err := dialect.Unframe(x.status, x.got, protocol.TypePong, protocol.Reading{})
	var no *protocol.Refusal
	if !errors.As(err, &no) {
		return false
	}
	blame := dialect.BlameOf(no)
	return blame == dialect.BlameForm || blame == dialect.BlamePlace
}

// nobodyKnows are names that stand for those of a message.
var nobodyKnows = map[string]string{"method": "no_such_method", "name": "no_such_tool", "message_type": "NO_SUCH_MESSAGE"}

// renamed returns a request with unknown names instead of those of its message, and all these names.
func renamed(body []byte) (twin []byte, names []string) {
	rename := func(o map[string]any) {
		for member, name := range nobodyKnows {
			said, ok := o[member].(string)
			_, calls := o["arguments"]
			if !ok || member == "name" && !calls || said == "tools/call" || dialect.IsCarrier(said) {
				continue
			}
			o[member], names = name, append(names, said, name)
		}
	}
	twin, _ = mutated(body, []mutation{rename})
	return twin, names
}

// varying is the text that differs from one answer to the next: numbers, times and ids.
var varying = regexp.MustCompile(`[\w:.+-]*\d[\w:.+-]*`)

// invariantPart is an answer without varying text, and without the requested names.
func invariantPart(answer []byte, names []string) string {
	text := strings.ToLower(string(bytes.TrimSpace(answer)))
	for _, name := range names {
		text = strings.ReplaceAll(text, strings.ToLower(name), "?")
	}
	return varying.ReplaceAllString(text, "#")
}
