package manager

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"

	"agentleague/league"
	"agentleague/league/keyring"
	"agentleague/league/outbox"
	"agentleague/protocol"
	"agentleague/rpc"
)

// A caller calls the league's agents at their current endpoints and in their dialects.
type caller struct {
	*core
	*ledger
	keys *keyring.Keyring

	mu       sync.Mutex
	dialects map[string]string // the dialect last learned of each agent
}

func newCaller(c *core, l *ledger, keys *keyring.Keyring) *caller {
	return &caller{core: c, ledger: l, keys: keys, dialects: map[string]string{}}
}

// answers reports whether an agent answers at its registered endpoint within two seconds. A native agent must sign a
// challenge, and signed holds its signature; from any other agent a response suffices, and signed is zero.
func (c *caller) answers(ctx context.Context, a league.Registered) (signed league.Found, there bool) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	if !a.Native() {
		return signed, c.Node.Alive(ctx, a.Endpoint) == nil
	}
	var seal string
	c.Read(func(s *league.State) { seal = s.Seal })
	signed = league.Found{ID: a.ID, Challenge: c.Node.Nonce(16)}
	reply, err := c.Node.Call(ctx, rpc.Peer{Endpoint: a.Endpoint, Dialect: protocol.Canonical}, &protocol.Identify{
		Envelope:  protocol.Envelope{MessageType: protocol.TypeIdentify, ConversationID: "conv-identify-" + a.ID},
		Challenge: signed.Challenge, Seal: seal,
	})
	id, ok := reply.(*protocol.Identity)
	if err != nil || !ok {
		return signed, false
	}
	signed.Signature = id.Signature
	text := protocol.IdentityText(seal, a.ID, a.Endpoint, signed.Challenge)
	return signed, protocol.CheckSignature(a.Key, text, signed.Signature) == nil
}

// call sends a message to an agent with the token that identifies this manager, and returns the answer.
func (c *caller) call(ctx context.Context, id string, msg protocol.Message) (protocol.Message, error) {
	msg.Head().AuthToken = c.tokenFor(id, msg.Head())
	return c.Node.Call(ctx, c.peer(id), msg)
}

// callAndLearn is like call, and records the dialect that the call detected.
func (c *caller) callAndLearn(ctx context.Context, id string, msg protocol.Message) (protocol.Message, error) {
	reply, err := c.call(ctx, id, msg)
	c.learned(id)
	return reply, err
}

// tokenFor returns the manager's token for a message to an agent. The agent derives the same token to authenticate the
// manager.
func (c *caller) tokenFor(id string, h *protocol.Envelope) (token string) {
	c.Read(func(s *league.State) {
		if a := s.Agents[id]; a != nil {
			token = protocol.ManagerToken(c.keys.Token(s, a), c.opts.LeagueID, h.MessageType, h.RoundID)
		}
	})
	return token
}

// peer returns the endpoint and the dialect (see package dialect) of an agent; the zero Peer for an unknown id. After
// the end of the league learned dialects are only in memory and take precedence over the log.
func (c *caller) peer(id string) (p rpc.Peer) {
	c.Read(func(s *league.State) {
		a := s.Agents[id]
		if a == nil || a.LostPlace() {
			return
		}
		p = rpc.Peer{Name: protocol.Sender(a.Role, a.ID), Endpoint: a.Endpoint, Dialect: a.Dialect}
		if s.Completed() {
			p.Dialect = cmp.Or(c.lastLearned(id), a.Dialect)
		}
	})
	return p
}

// lastLearned returns the dialect last detected in calls to an agent, or "".
func (c *caller) lastLearned(id string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.dialects[id]
}

// learned records the dialect detected in calls to an agent, if it changed.
func (c *caller) learned(id string) {
	now := c.Node.Dialect(c.peer(id))
	var known string
	c.Read(func(s *league.State) {
		if a := s.Agents[id]; a != nil {
			known = a.Dialect
		}
	})
	if now == known || now == "" {
		return
	}
	c.mu.Lock()
	c.dialects[id] = now // the log of a league that is over does not take it
	c.mu.Unlock()
	_ = c.Do(c.ctx, func(s *league.State) ([]league.Event, error) {
		return league.LearnedOf(s, map[string]string{id: now}), nil
	})
}

// matchState asks the referee of a match in play for its public state.
func (c *caller) matchState(ctx context.Context, match string) (*protocol.MatchState, error) {
	var referee string
	var round, attempt int
	c.Read(func(s *league.State) {
		played := s.Matches[match]
		if played == nil || played.Outcome != nil || len(played.Assigned) == 0 {
			return
		}
		at := played.Attempt()
		if a := s.Agents[at.Referee]; a != nil && a.Native() {
			referee, round, attempt = at.Referee, played.Round, at.Attempt
		}
	})
	if referee == "" {
		return nil, protocol.Errorf(protocol.MatchNotFound, "no referee of this league is playing the match %q", match)
	}
	reply, err := c.Node.Call(ctx, c.peer(referee), &protocol.Tool{Envelope: protocol.Envelope{
		MessageType: protocol.TypeGetMatchState, ConversationID: "conv-glimpse-" + match, LeagueID: c.opts.LeagueID,
		RoundID: protocol.Round(round), MatchID: match,
	}})
	if err != nil {
		return nil, err
	}
	told, ok := reply.(*protocol.MatchState)
	if !ok || told.MatchID != match || told.Attempt != attempt {
		return nil, protocol.Errorf(protocol.MatchNotFound, "%s tells of another match", referee)
	}
	return told, nil
}

// newOutbox returns the outbox of the manager's news.
func newOutbox(c *core, l *ledger, j *jobs, calls *caller) *outbox.Outbox {
	return outbox.New(outbox.Options{
		Context: c.ctx, Send: calls.callAndLearn, Replied: l.finalSignature, Moved: j.nudge, Sleep: c.Node.Sleep,
		Go: c.running.Go, Call: c.running.Call,
	})
}

// finalSignature passes a player's signature of the end of the league to Options.FinalSignature, if it is valid.
func (l *ledger) finalSignature(id string, reply protocol.Message) {
	ack, ok := reply.(*protocol.Ack)
	if !ok || ack.Signature == "" || l.opts.FinalSignature == nil {
		return
	}
	var err error
	l.Read(func(s *league.State) { err = s.CheckFinalSignature(id, ack.LogHead, ack.Signature) })
	if err != nil {
		l.warn("a player's final signature is not saved: "+err.Error(), slog.String("player_id", id))
		return
	}
	l.opts.FinalSignature(id, ack.LogHead, ack.Signature)
}
