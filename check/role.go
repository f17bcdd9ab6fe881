package check

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"agentleague/protocol"
)

// findRole determines the agent's role: from its own statement, or from the messages that it understands.
func (s *session) findRole(ctx context.Context) error {
	if met, err := s.meet(ctx); met || err != nil {
		return err
	}
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
		s.role = s.says
	}
	if !isChecked(s.role) {
		s.role = s.knownBy(ctx)
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

// introduces returns the agent's name, from /health or a PONG, and records the role that it states.
func (s *session) introduces(ctx context.Context) string {
	pages := []*exchange{s.get(ctx, s.page("/health")),
		s.post(ctx, []byte(`{"jsonrpc":"2.0","method":"ping","params":{},"id":1}`))}
	for _, x := range pages {
		s.says = cmp.Or(s.says, saidRole(x.got))
	}
	for _, x := range pages {
		for _, name := range []string{"agent", "sender"} {
			if said := textIn(x.got, name); said != "" {
				return printable(said)
			}
		}
	}
	return ""
}

// saidRole is the role that a third-party agent states, in a word or by the id that it gives.
func saidRole(body []byte) protocol.Role {
	for _, name := range []string{"role", "agent_type", "type", "service"} {
		switch role := protocol.Role(strings.ToLower(textIn(body, name))); {
		case role == "manager":
			return protocol.RoleManager
		case isChecked(role):
			return role
		}
	}
	for _, role := range []protocol.Role{protocol.RolePlayer, protocol.RoleReferee} {
		for _, name := range []string{string(role) + "_id", "agent_id", "id"} {
			if protocol.ValidID(role, textIn(body, name)) {
				return role
			}
		}
	}
	return ""
}

// textIn returns the first text member of that name in a body, at any depth.
func textIn(body []byte, name string) (text string) {
	var v any
	_ = json.Unmarshal(body, &v)
	walk(v, []mutation{func(o map[string]any) {
		if said, ok := o[name].(string); ok && text == "" {
			text = said
		}
	}})
	return text
}
