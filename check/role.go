package check

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"agentleague/dialect"
	"agentleague/protocol"
)

// findRole finds out what the agent is: it says so itself, or it is known by
// what it understands.
func (s *session) findRole(ctx context.Context) error {
	s.agent = s.introduces(ctx)
	for end := time.Now().Add(settling); s.manager.registered() && !s.knowsItsID() && time.Now().Before(end); {
		if err := s.node.Sleep(ctx, "registration", settling/20); err != nil {
			return err
		}
		s.agent = s.introduces(ctx)
	}
	if s.role == "" {
		s.role = s.Role
	}
	if s.role == "" {
		s.role, _ = protocol.ParseSender(s.agent)
	}
	if !isChecked(s.role) {
		s.role = s.knownSomewhere(ctx)
	}
	if !isChecked(s.role) {
		return errors.New(hinted(s.peer.Endpoint+" does not say whether it is a player, a referee or a manager",
			s.Hints.Role))
	}
	return nil
}

// settling is how long an agent has to read the answer to its registration before it is asked for its id.
const settling = time.Second

// knowsItsID reports whether the agent has an id for a name.
func (s *session) knowsItsID() bool {
	role, id := protocol.ParseSender(s.agent)
	return protocol.ValidID(role, id)
}

// introduces returns what the agent calls itself, at /health or in a PONG.
func (s *session) introduces(ctx context.Context) string {
	pages := []*exchange{s.get(ctx, s.page("/health")),
		s.post(ctx, []byte(`{"jsonrpc":"2.0","method":"ping","params":{},"id":1}`))}
	for _, x := range pages {
		for _, name := range []string{"agent", "sender"} {
			if said := textIn(x.got, name); said != "" {
				return printable(said)
			}
		}
	}
	return ""
}

// textIn returns the first text member of that name in a body, at any depth.
func textIn(body []byte, name string) (text string) {
	var v any
	_ = json.Unmarshal(body, &v)
	walk(v, []bend{func(o map[string]any) {
		if said, ok := o[name].(string); ok && text == "" {
			text = said
		}
	}})
	return text
}

// marks are methods by which a role is known. They do no harm when they come
// with nothing in them.
var marks = []struct {
	role  protocol.Role
	names []string
}{
	{protocol.RolePlayer,
		[]string{"get_player_state", "choose_parity", "parity_choose", "CHOOSE_PARITY_CALL", "receive_parity_call"}},
	{protocol.RoleReferee, []string{"get_match_state", "start_match", "assign_match", "START_MATCH", "MATCH_ASSIGNMENT", "run_match",
		"start_match_command"}},
	{protocol.RoleManager,
		[]string{"get_league_status", "get_standings", "league_query", "LEAGUE_QUERY", "register_player"}},
}

// knownBy tells a role by the tools that the agent lists, or by the methods that it knows.
func (s *session) knownBy(ctx context.Context) protocol.Role {
	listed := s.post(ctx, []byte(`{"jsonrpc":"2.0","method":"tools/list","params":{},"id":1}`))
	for _, m := range marks {
		if slices.ContainsFunc(m.names,
			func(name string) bool { return strings.Contains(string(listed.got), `"`+name+`"`) }) {
			return m.role
		}
	}
	if s.understands(ctx, "no_such_method") {
		return s.knownInFrames(ctx) // it takes anything that is called so
	}
	for _, m := range marks {
		for _, name := range m.names {
			if s.understands(ctx, name) {
				return m.role
			}
		}
	}
	return s.knownInFrames(ctx)
}

// understands reports whether the agent has a method. One that stumbles over a
// message with nothing in it has: it does not say that there is no such method.
func (s *session) understands(ctx context.Context, method string) bool {
	x := s.post(ctx, fmt.Appendf(nil, `{"jsonrpc":"2.0","method":%q,"params":{},"id":1}`, method))
	if x.err != nil {
		return ctx.Err() == nil
	}
	_, _, err := dialect.Unframe(x.status, x.got, protocol.TypePong, protocol.Reading{})
	no, ok := err.(*protocol.Refusal)
	if !ok {
		return true
	}
	blame := dialect.BlameOf(no)
	return blame != dialect.BlameForm && blame != dialect.BlamePlace && no.Code != protocol.MethodNotFound
}
