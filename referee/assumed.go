package referee

import (
	"fmt"

	"agentleague/protocol"
)

// shownID returns the first player's id among some names of an agent, such as player:P01 and P01; "": there is none.
func shownID(names ...string) string {
	for _, name := range names {
		role, id := protocol.ParseSender(name)
		if role == protocol.RolePlayer && id != "" {
			return id
		}
		if protocol.ValidID(protocol.RolePlayer, name) {
			return name
		}
	}
	return ""
}

// An elsewhereError ends a match with a player that was assumed at a port and is not the one there.
type elsewhereError struct{ endpoint, id, shown string }

func (e *elsewhereError) Error() string {
	return fmt.Sprintf("the agent at %s was taken for %s and says that it is %q", e.endpoint, e.id, protocol.Plain(e.shown))
}

// checkAssumed stops a match if the player at an assumed port does not show its id: it would be another player's
// match.
func (m *match) checkAssumed(s *seat, ack *protocol.GameJoinAck) *protocol.Error {
	shown := shownID(ack.PlayerID, ack.Sender)
	if !s.Assumed || shown == s.ID {
		return nil
	}
	err := &elsewhereError{s.Endpoint, s.ID, shown}
	m.stop(err)
	return protocol.Errorf(protocol.PlayerNotRegistered, "%v", err)
}
