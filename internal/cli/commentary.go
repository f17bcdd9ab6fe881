package cli

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"agentleague/duel"
	"agentleague/internal/term"
	"agentleague/protocol"
	"agentleague/rpc"
)

// A commentary shows a match on standard error while it is played, a line for
// each message between the referee and a player, and the board as a spectator
// sees it. It never shows a choice: the other player may still be thinking
// about its own.
type commentary struct {
	app     *app
	players [2]*duel.Contestant
	match   *duel.Match
	mu      sync.Mutex
	drawn   boards
}

// matchTypes are the messages in a commentary.
var matchTypes = []protocol.Type{
	protocol.TypeGameInvitation, protocol.TypeGameJoinAck, protocol.TypeChooseParityCall, protocol.TypeChooseParityResponse,
	protocol.TypeGameMoveCall, protocol.TypeGameMoveResponse, protocol.TypeGameError, protocol.TypeGameErrorAck,
	protocol.TypeGameOver, protocol.TypeGameOverAck,
}

// announce names the players.
func (c *commentary) announce(m *duel.Match) {
	if !c.app.json {
		a, b := c.players[0], c.players[1]
		fmt.Fprintf(c.app.err, "%s  %s: %s %s against %s %s\n", m.ID, m.Game, a.ID, a.Name, b.ID, b.Name)
	}
}

// hear is called with every message of the referee.
func (c *commentary) hear(m rpc.Message) {
	player := c.player(m)
	if c.app.json || player == "" {
		return
	}
	from, to, what := player, "referee", ""
	if m.Sent {
		from, to = to, from
	}
	var refusal *protocol.Refusal
	switch {
	case errors.As(m.Err, &refusal):
		what = refusal.Error()
	case m.Err != nil:
		what = "no answer: " + m.Err.Error()
	case m.Message != nil && slices.Contains(matchTypes, m.Message.Head().MessageType):
		what = string(m.Message.Head().MessageType)
	default:
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if what == string(protocol.TypeGameMoveCall) {
		c.drawn.draw(c.app.err, "", c.match.Spectate())
	}
	fmt.Fprintf(c.app.err, "  %s  %-7s → %-7s  %s\n", time.Now().UTC().Format(time.TimeOnly), from, to, term.Cut(what, 400))
}

// player returns the player that sent or received a message, "" for another agent.
func (c *commentary) player(m rpc.Message) string {
	for _, s := range c.players {
		if m.Peer == s.Endpoint {
			return s.ID
		}
	}
	if m.Message == nil || m.Sent {
		return ""
	}
	role, id := protocol.ParseSender(m.Message.Head().Sender)
	if role != protocol.RolePlayer {
		return ""
	}
	return id
}
