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

// A core is the agent's state that the handlers of the manager's and the referees' messages share.
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

// A leagueEnd stores whether the league is over, and the functions to call then. Guarded by the agent's lock.
type leagueEnd struct {
	once  sync.Once
	done  chan struct{} // closed when the league is over
	next  string        // then: the league in which the same agents play on; "": there is none
	after []func()      // to be called then
}

// called is like known, but acquires the lock.
func (c *core) called() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.known()
}

// known returns the id of the agent, which before the registration is the requested one. The caller holds the lock.
func (c *core) known() string {
	if c.id != "" {
		return c.id
	}
	_, own := protocol.ParseSender(c.node.Sender())
	return own
}

// hear passes a message to the strategy if it is a [Listener]. The caller holds the lock.
func (c *core) hear(m protocol.Message) {
	if l, ok := c.strategy.(Listener); ok {
		l.Hear(m)
	}
}

// ack returns an acknowledgement of m. It contains no token, since m may come from any client. The caller holds the
// lock.
func (c *core) ack(t protocol.Type, m protocol.Message) *protocol.Ack {
	h := m.Head()
	return &protocol.Ack{
		Envelope: protocol.Envelope{MessageType: t, LeagueID: h.LeagueID, RoundID: h.RoundID, MatchID: h.MatchID},
		Status:   protocol.Acknowledged, PlayerID: c.known(),
	}
}

// leaving returns a retryable error if the agent is draining, to refuse an invitation. The caller holds the lock.
func (c *core) leaving() error {
	if !c.draining {
		return nil
	}
	return protocol.Errorf(protocol.Internal, "this player is shutting down and may come back; try again").Pass()
}

// proves reports whether authentic returns true for an identity of the player in a league: the current one, or another
// that the manager has granted, which then becomes the current one. The caller holds the lock.
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

// takePlace makes p, a membership in a league of this project's manager, the player's identity. The caller holds the
// lock.
func (c *core) takePlace(p native.Membership) {
	c.id, c.token, c.league, c.seal, c.native = p.ID, p.Token, p.LeagueID, p.Seal, true
	c.node.SetSender(protocol.Sender(protocol.RolePlayer, c.id))
	if err := c.memory.loadHistory(c.id); err != nil {
		c.node.Logger.Warn("the past matches cannot be read", slog.Any("error", err)) // once more when the answer is here
	}
}

// lingerAfterEnd is how long a player stays reachable after the end of a third-party league. Such a manager may
// acknowledge the last report only after all players have acknowledged the end, and may repeat its last messages.
const lingerAfterEnd = time.Minute

// leagueOver marks the league as over and schedules the AfterDone callbacks. It is idempotent. next is the league to
// join afterwards, or ""; it is ignored under a third-party manager. The caller holds the lock.
func (c *core) leagueOver(next string) {
	c.ended.once.Do(func() {
		wait := lingerAfterEnd
		if c.native {
			c.ended.next, wait = next, 0
		}
		close(c.ended.done)
		for _, f := range c.ended.after {
			time.AfterFunc(wait, f) // the caller of AfterDone manages its own lifetime
		}
	})
}

// slug returns a name in a form for ids and addresses: in lower case, with dashes for spaces.
func slug(name string) string { return strings.ToLower(strings.ReplaceAll(name, " ", "-")) }
