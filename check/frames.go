package check

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"agentleague/protocol"
)

// frames are ways to put a message that has nothing in it to an agent: %s is its type, or the name of a method or tool.
var frames = []string{
	`{"jsonrpc":"2.0","method":"%s","params":{"protocol":"league.v2","message_type":"%[1]s"},"id":1}`,
	`{"jsonrpc":"2.0","method":"%s","params":{},"id":1}`,
	`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"%s","arguments":{}},"id":1}`,
	`{"jsonrpc":"2.0","method":"handle_message","params":{"message":{"protocol":"league.v2","message_type":"%s"}},"id":1}`,
	`{"jsonrpc":"2.0","method":"protocol/message","params":{"message":{"protocol":"league.v2","message_type":"%s"}},"id":1}`,
	`{"protocol":"league.v2","message_type":"%s"}`,
	`{"protocol":"league.v2","message_type":"%s","data":{}}`,
}

// askedOf are what only an agent of a role is asked. An invitation is not among it: it may keep a player busy.
var askedOf = []struct {
	role  protocol.Role
	names []string
}{
	{protocol.RolePlayer, []string{"CHOOSE_PARITY_CALL", "choose_parity", "CHOOSE_PARITY", "parity_choose", "receive_parity_call",
		"CHOOSE_PARITY_REQUEST"}},
	{protocol.RoleReferee, []string{"START_MATCH", "start_match", "MATCH_ASSIGNMENT", "assign_match", "run_match", "start_match_command"}},
	{protocol.RoleManager, []string{"LEAGUE_QUERY", "league_query", "get_standings"}},
}

// knownSomewhere tells a role by what the agent knows, at the path that it was looked for or at one
// of those that others use.
func (s *session) knownSomewhere(ctx context.Context) protocol.Role {
	for _, s.path = range []string{"", "/", "/mcp", "/MCP"} {
		if s.path != "" && s.post(ctx, []byte(`{}`)).status == http.StatusNotFound {
			continue
		}
		if role := s.knownBy(ctx); isChecked(role) {
			return role
		}
	}
	s.path = ""
	return ""
}

// knownInFrames tells a role by what the agent answers, in any framing, to messages with nothing in them. What it knows has
// another answer than what nobody knows. Who answers so to what several roles are asked is not known by it.
func (s *session) knownInFrames(ctx context.Context) protocol.Role {
	ctx, cancel := context.WithTimeout(ctx, s.Grace)
	defer cancel()
	for _, frame := range frames {
		strange := s.answerIn(ctx, frame, "NO_SUCH_THING")
		if strange == "" || strange != s.answerIn(ctx, frame, "nor_this_one") {
			continue // it does not answer alike to what nobody knows
		}
		var roles []protocol.Role
		for _, m := range askedOf {
			if s.answersOther(ctx, frame, strange, m.names) {
				roles = append(roles, m.role)
			}
		}
		if len(roles) == 1 {
			return roles[0]
		}
		if len(roles) == 0 && s.answersOther(ctx, frame, strange, []string{"ROUND_ANNOUNCEMENT", "notify_round", "announce_round"}) {
			return protocol.RoleReferee // a player knows what it is asked in a match, too
		}
	}
	return ""
}

// answersOther reports whether the agent has another answer than the one to what nobody knows, for one of these names.
func (s *session) answersOther(ctx context.Context, frame, strange string, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		said := s.answerIn(ctx, frame, name)
		return said != "" && said != strange
	})
}

// varying are the parts of an answer that differ from one time to the next.
var varying = regexp.MustCompile(`[0-9][0-9a-fA-F:.TZ+-]*`)

// answerIn is what the agent answers to a name in a frame, without what differs each time; "": nothing.
func (s *session) answerIn(ctx context.Context, frame, name string) string {
	x := s.post(ctx, fmt.Appendf(nil, frame, name))
	if x.err != nil || len(x.got) == 0 {
		return ""
	}
	said := strings.ReplaceAll(string(x.got), name, "@")
	return fmt.Sprint(x.status, " ", varying.ReplaceAllString(said, "#"))
}
