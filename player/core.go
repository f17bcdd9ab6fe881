package player

import (
	"log/slog"
	"strings"
	"sync"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/rpc/native"
)

// A core is the state of an agent that the manager's and the referees' messages share.
type core struct {
	node     *rpc.Node
	name     string
	strategy Strategy
	opts     settings
	who      *native.Applicant

	mu sync.Mutex // guards all state of the agent
	place
	memory     memory
	witness    witness
	state      string
	agentState string
	draining   bool // no further invitation is accepted
	ended      leagueEnd
}

// A leagueEnd is the end of the league, for those that wait for it. Guarded by the agent.
type leagueEnd struct {
	once  sync.Once
	done  chan struct{} // closed when the league is over
	next  string        // then: the league in which the same agents play on; "": there is none
	after []func()      // to be called then
}

// called returns the id that the agent's answers carry.
func (c *core) called() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.known()
}

// known returns the id of the agent: the granted one, or before that the one in sender. The caller holds the lock.
func (c *core) known() string {
	if c.id != "" {
		return c.id
	}
	_, own := protocol.ParseSender(c.node.Sender())
	return own
}

// hear passes a message to the strategy, if it listens. The caller holds the lock.
func (c *core) hear(m protocol.Message) {
	if l, ok := c.strategy.(Listener); ok {
		l.Hear(m)
	}
}

// ack acknowledges m. It shows no token: the caller may be any client. The caller holds the lock.
func (c *core) ack(t protocol.Type, m protocol.Message) *protocol.Ack {
	h := m.Head()
	return &protocol.Ack{
		Envelope: protocol.Envelope{MessageType: t, LeagueID: h.LeagueID, RoundID: h.RoundID, MatchID: h.MatchID},
		Status:   protocol.Acknowledged, PlayerID: c.known(),
	}
}

// leaving refuses an invitation that comes too late. The caller holds the lock.
func (c *core) leaving() error {
	if !c.draining {
		return nil
	}
	return protocol.Errorf(protocol.Internal, "this player is shutting down and may come back; try again").Pass()
}

// proves reports whether a message is authenticated under the player's place, or under another that it has: the player
// is the one of that place from then on. The caller holds the lock.
func (c *core) proves(authentic func(p *place) bool) bool {
	if c.native && authentic(&c.place) {
		return true
	}
	p, ok := c.who.Recognise(func(token, league string) bool {
		return authentic(&place{token: token, league: league, native: true})
	})
	if ok {
		c.takePlace(p)
	}
	return ok
}

// takePlace gives the player its identity in a league of our manager. The caller holds the lock.
func (c *core) takePlace(p native.Membership) {
	c.id, c.token, c.league, c.seal, c.native = p.ID, p.Token, p.LeagueID, p.Seal, true
	c.node.SetSender(protocol.Sender(protocol.RolePlayer, c.id))
	if err := c.memory.recall(c.id); err != nil {
		c.node.Logger.Warn("the past matches cannot be read", slog.Any("error", err)) // once more when the answer is here
	}
}

// lingering is how long a player stays reachable after the end of a third-party league. Such a manager may acknowledge
// the last report only after all players have acknowledged the end, and may repeat its last messages.
const lingering = time.Minute

// leagueOver marks the league as over and schedules the AfterDone callbacks; further calls have no effect. Next is the
// league to join afterwards, "" for none; that of a third-party manager is ignored. The caller holds the lock.
func (c *core) leagueOver(next string) {
	c.ended.once.Do(func() {
		wait := lingering
		if c.native {
			c.ended.next, wait = next, 0
		}
		close(c.ended.done)
		for _, f := range c.ended.after {
			time.AfterFunc(wait, f) // the caller of AfterDone manages its own lifetime
		}
	})
}

// slug is a name as a part of an address.
func slug(name string) string { return strings.ToLower(strings.ReplaceAll(name, " ", "-")) }
