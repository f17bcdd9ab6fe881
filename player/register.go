package player

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
)

// Register registers with the manager, retrying every two seconds until the manager answers.
//
// Our manager challenges the player at its endpoint before it answers. The manager's next message may overtake the
// answer.
func (a *Agent) Register(ctx context.Context, manager, endpoint string) error {
	// Some managers grant any requested id.
	if home := protocol.HomeID(protocol.RolePlayer, endpoint); a.ID() == "" && home != "" && !a.Node.Strict {
		a.Node.SetSender(protocol.Sender(protocol.RolePlayer, home))
	}
	a.mu.Lock()
	held, back := a.who.Membership(manager, a.league)
	if a.manager = manager; back {
		a.takePlace(held)
	}
	a.mu.Unlock()
	for {
		retry, pause, err := a.apply(ctx, manager, endpoint)
		if err != nil {
			return err
		}
		if retry == "" {
			break
		}
		a.Node.Logger.Warn("not registered yet", slog.String("why", protocol.Plain(retry)))
		if err := a.Node.Sleep(ctx, "register again", pause); err != nil {
			return fmt.Errorf("register with %s: %w", manager, err)
		}
	}
	if back {
		a.missed(ctx)
	}
	return nil
}

// again is how long the player waits before it asks again.
const again = 2 * time.Second

// apply registers once, and answers the challenge that comes before the answer. It returns the error and the delay
// for a retry, if one is needed.
func (a *Agent) apply(ctx context.Context, manager, endpoint string) (retry string, pause time.Duration, err error) {
	m := a.application(manager, endpoint)
	under := a.who.Begin(manager, endpoint, m.LeagueID, m.ConversationID)
	defer under.End()
	reply, err := a.Node.CallUntil(ctx, under.Peer(), again, m)
	if no := under.Declined(); no != nil {
		return "", 0, no
	}
	if why, pause := under.Retry(err); why != "" {
		return why, pause, nil
	}
	if err != nil {
		return "", 0, fmt.Errorf("register with %s: %w", manager, err)
	}
	r := reply.(*protocol.LeagueRegisterResponse)
	if r.Later() {
		return *r.Reason, again, nil
	}
	retry, err = a.admitted(r, under, manager, endpoint)
	return retry, again, err
}

// application is the player's registration.
func (a *Agent) application(manager, endpoint string) *protocol.LeagueRegisterRequest {
	a.mu.Lock()
	defer a.mu.Unlock()
	key, agreement := a.who.PublicKey(), ""
	if a.opts.Unsigned {
		key = ""
	} else {
		agreement = a.who.AgreementKey()
	}
	return &protocol.LeagueRegisterRequest{
		Envelope: protocol.Envelope{
			MessageType: protocol.TypeLeagueRegisterRequest,
			AuthToken:   cmp.Or(a.opts.Token, a.given[manager], a.opts.JoinKey), LeagueID: a.league,
			ConversationID: "conv-player-" + slug(a.name) + "-reg-" + a.Node.Nonce(12), // anyone that knows it can challenge the player
		},
		Meta: protocol.AgentMeta{
			DisplayName: a.name, Version: a.opts.Version, Build: rpc.Build(), ProtocolVersion: protocol.Release, GameTypes: a.opts.GameTypes,
			ContactEndpoint: endpoint, Native: true, PublicKey: key, AgreementKey: agreement, Nonce: a.opts.Nonce,
		},
	}
}

// takePlace gives the player its identity in a league of our manager. The caller holds the lock.
func (a *Agent) takePlace(p rpc.Membership) {
	a.id, a.token, a.league, a.seal, a.native = p.ID, p.Token, p.LeagueID, p.Seal, true
	a.Node.SetSender(protocol.Sender(protocol.RolePlayer, a.id))
	if err := a.memory.recall(a.id); err != nil {
		a.Node.Logger.Warn("the past matches cannot be read", slog.Any("error", err)) // once more when the answer is here
	}
}

// admitted reads the answer to the registration. It returns why the player has to ask again, if it has to.
func (a *Agent) admitted(
	r *protocol.LeagueRegisterResponse, under *rpc.Registration, manager, endpoint string,
) (retry string, err error) {
	_, own := protocol.ParseSender(a.Node.Sender())
	g, err := r.Granted(own)
	if err != nil {
		return "", err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if retry, err := a.settle(g, under, manager, endpoint); retry != "" || err != nil {
		return retry, err
	}
	if a.native { // it speaks as we do; of ten thousand players in one process each would remember how
		a.who.UnderOurs(manager)
	}
	if a.agentState == protocol.AgentInit { // a later message of the manager takes precedence
		a.agentState = protocol.AgentRegistered
	}
	if a.state == protocol.PlayerUnregistered {
		a.state = protocol.PlayerRegistered
	}
	a.Node.Logger.Info("registered as "+a.id+" in "+a.league, slog.String("event_type", "REGISTERED"),
		slog.String("player_id", a.id), slog.String("league_id", a.league))
	if err := a.memory.recall(a.id); err != nil {
		return "", err
	}
	a.hear(r)
	if a.native && (r.NextLeagueID != "" || r.LeagueOver) {
		a.who.Ended(a.seal)
	}
	switch { // it missed the broadcast
	case r.NextLeagueID != "":
		a.leagueOver(r.NextLeagueID)
	case r.LeagueOver && a.native:
		a.Node.Logger.Info("the league " + a.league + " is over; there is nothing left to play")
		time.AfterFunc(lastWords, func() { // no goroutine waits for it
			a.mu.Lock()
			defer a.mu.Unlock()
			a.agentState = protocol.AgentShutdown
			a.leagueOver("")
		})
	}
	return "", nil
}

// lastWords is the time that a player stays reachable after it comes back to a finished league.
const lastWords = 5 * time.Second

// settle applies the granted identity: from the challenge, or from the ticket of a third-party manager. It returns
// the error and the delay for a retry, if one is needed. The caller holds the lock.
func (a *Agent) settle(
	g protocol.Grant, under *rpc.Registration, manager, endpoint string,
) (retry string, err error) {
	if p, ok := under.Taken(); ok {
		if g.ID != p.ID {
			return "", fmt.Errorf("the manager challenged this player as %s but then registered it as %s", p.ID,
				protocol.Plain(g.ID))
		}
		a.takePlace(p)
		return "", nil
	}
	if g.Native && !a.opts.Unsigned {
		return "the manager accepted the registration, and did not challenge this player at " + endpoint +
			"; check that it can reach this address", nil
	}
	a.id, a.token, a.seal, a.native = g.ID, g.Token, "", g.Native
	if g.League != "" {
		a.league = g.League
	}
	put(&a.given, manager, g.Token)
	a.Node.SetSender(protocol.Sender(protocol.RolePlayer, a.id))
	return "", nil
}
