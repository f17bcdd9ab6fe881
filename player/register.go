package player

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
)

// Register asks the manager for a place in the league, every two seconds until
// the manager is there.
//
// A manager of ours calls the endpoint to welcome the player before it answers.
// The place counts from that moment: what the manager says next may overtake
// the answer.
func (a *Agent) Register(ctx context.Context, manager, endpoint string) error {
	// some managers grant whatever is asked for
	if home := protocol.HomeID(protocol.RolePlayer, endpoint); a.ID() == "" && home != "" && !a.Node.Strict {
		a.Node.SetSender(protocol.Sender(protocol.RolePlayer, home))
	}
	a.mu.Lock()
	back := a.who.Token(manager, a.league) != ""
	a.mu.Unlock()
	for {
		r, err := a.apply(ctx, manager, endpoint)
		if err == nil && r.Later() {
			a.Node.Logger.Warn("not registered yet", slog.String("why", protocol.Plain(*r.Reason)))
			err = a.Node.Sleep(ctx, "register again", 2*time.Second)
			if err == nil {
				continue
			}
		}
		if err != nil {
			return fmt.Errorf("register with %s: %w", manager, err)
		}
		if err := a.admitted(r, manager, endpoint); err != nil || !back {
			return err
		}
		a.missed(ctx)
		return nil
	}
}

// apply asks for a place once, and takes the welcome that comes meanwhile.
func (a *Agent) apply(ctx context.Context, manager, endpoint string) (*protocol.LeagueRegisterResponse, error) {
	m := a.application(manager, endpoint)
	defer a.who.Begin(manager, endpoint, m.LeagueID, m.ConversationID)()
	reply, err := a.Node.CallUntil(ctx, rpc.Peer{Endpoint: manager}, 2*time.Second, m)
	if err != nil {
		return nil, err
	}
	return reply.(*protocol.LeagueRegisterResponse), nil
}

// application is what the player asks a manager with. One that has a place with
// that manager asks as who it is there.
func (a *Agent) application(manager, endpoint string) *protocol.LeagueRegisterRequest {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.manager = manager
	token := a.opts.Token
	if place := a.who.Token(manager, a.league); token == "" && place != "" {
		a.takePlace(a.who.Identity())
		token = place
	}
	key := a.who.PublicKey()
	if a.opts.Unsigned {
		key = ""
	}
	return &protocol.LeagueRegisterRequest{
		Envelope: protocol.Envelope{
			MessageType: protocol.TypeLeagueRegisterRequest, AuthToken: cmp.Or(token, a.given[manager], a.opts.JoinKey),
			LeagueID:       a.league,
			ConversationID: "conv-player-" + slug(a.name) + "-reg-" + a.Node.Nonce(12), // who knows it can take the place
		},
		Meta: protocol.AgentMeta{
			DisplayName: a.name, Version: a.opts.Version, ProtocolVersion: protocol.Release, GameTypes: a.opts.GameTypes,
			ContactEndpoint: endpoint, Native: true, PublicKey: key, Nonce: a.opts.Nonce,
		},
	}
}

// welcomed takes the place that the manager gives before it answers.
func (a *Agent) welcomed(place rpc.Identity) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.takePlace(place)
	if err := a.memory.recall(a.id); err != nil {
		a.Node.Logger.Warn("the past matches cannot be read", slog.Any("error", err)) // once more when the answer is here
	}
}

// takePlace makes the player the one that it is in a league of a manager of ours.
// The caller holds the lock.
func (a *Agent) takePlace(place rpc.Identity) {
	a.id, a.token, a.league, a.seal, a.native = place.ID, place.Token, place.LeagueID, place.Seal, true
	a.Node.SetSender(protocol.Sender(protocol.RolePlayer, a.id))
}

// admitted reads the answer to the registration.
func (a *Agent) admitted(r *protocol.LeagueRegisterResponse, manager, endpoint string) error {
	_, own := protocol.ParseSender(a.Node.Sender())
	g, err := r.Granted(own)
	if err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.settle(g, r.Seal, manager, endpoint); err != nil {
		return err
	}
	if a.native { // it speaks as we do; of ten thousand players in one process each would remember how
		a.who.UnderOurs(manager)
	}
	if a.agentState == protocol.AgentInit { // what the manager has said since stands
		a.agentState = protocol.AgentRegistered
	}
	if a.state == protocol.PlayerUnregistered {
		a.state = protocol.PlayerRegistered
	}
	a.Node.Logger.Info("registered as "+a.id+" in "+a.league, slog.String("event_type", "REGISTERED"),
		slog.String("player_id", a.id), slog.String("league_id", a.league))
	if err := a.memory.recall(a.id); err != nil {
		return err
	}
	a.hear(r)
	switch { // it was not there when everybody was told
	case r.NextLeagueID != "":
		a.leagueOver(r.NextLeagueID)
	case r.LeagueOver && a.native:
		a.Node.Logger.Info("the league " + a.league + " is over; there is nothing left to play")
		time.AfterFunc(lastWords, func() { // nobody waits for it
			a.mu.Lock()
			defer a.mu.Unlock()
			a.agentState = protocol.AgentShutdown
			a.leagueOver("")
		})
	}
	return nil
}

// lastWords is how long a player that comes back to a league that is over listens to what its manager still has to say.
const lastWords = 5 * time.Second

// settle makes the player the one that was granted: as it was welcomed, or as
// the answer says. The caller holds the lock.
func (a *Agent) settle(g protocol.Grant, seal, manager, endpoint string) error {
	if place := a.who.Identity(); a.seal != "" && place.Manager == manager &&
		(g.Token == "" || g.Token == place.Token || seal == place.Seal) {
		if g.ID != place.ID {
			return fmt.Errorf("the manager welcomed this player as %s but then registered it as %s", place.ID,
				protocol.Plain(g.ID))
		}
		a.token = cmp.Or(g.Token, place.Token)
		return nil
	}
	if g.Native && g.Token == "" {
		return errors.New("the manager accepted the registration but gave no token, because it got no answer from " +
			"this player at " +
			endpoint + "; check that it can reach this address")
	}
	a.id, a.token, a.seal, a.native = g.ID, g.Token, "", g.Native
	if g.League != "" {
		a.league = g.League
	}
	put(&a.given, manager, g.Token)
	a.Node.SetSender(protocol.Sender(protocol.RolePlayer, a.id))
	return nil
}
