package player

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"
	"unique"

	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/rpc/native"
)

// A managerClient registers a player with its manager, and sends queries and protests. Guarded by the agent's lock.
type managerClient struct {
	*core
	address  string
	given    map[string]string                  // the tokens that managers gave in their answers, by their addresses
	table    []unique.Handle[protocol.Standing] // the newest from the manager
	protests int                                // under way
}

// register registers with the manager, retrying until the manager answers.
func (c *managerClient) register(ctx context.Context, manager, endpoint string) error {
	// Some managers grant any requested id.
	c.mu.Lock()
	if home := protocol.HomeID(protocol.RolePlayer, endpoint); c.id == "" && home != "" && !c.node.Strict {
		c.node.SetSender(protocol.Sender(protocol.RolePlayer, home))
	}
	held, back := c.who.Membership(manager, c.league)
	if c.address = manager; back {
		c.takePlace(held)
	}
	c.mu.Unlock()
	for {
		retry, pause, err := c.apply(ctx, manager, endpoint)
		if err != nil {
			return err
		}
		if retry == "" {
			break
		}
		c.who.NotYet(protocol.TypeLeagueRegisterRequest, retry)
		if err := c.node.Backoff(ctx, manager, "register again", pause); err != nil {
			return fmt.Errorf("register with %s: %w", manager, err)
		}
	}
	if back {
		c.missed(ctx)
	}
	return nil
}

// retryInterval is the retry interval of the registration.
const retryInterval = 2 * time.Second

// apply sends one registration request, and answers the challenge that arrives before the answer. If the request should
// be repeated, retry is the reason and pause the delay.
func (c *managerClient) apply(ctx context.Context, manager, endpoint string) (retry string, pause time.Duration, err error) {
	endpoint = c.who.Endpoint(endpoint)
	m := c.application(manager, endpoint)
	under := c.who.Begin(manager, endpoint, m.LeagueID, m.ConversationID)
	defer under.End()
	reply, err := c.node.CallUntil(ctx, under.Peer(), retryInterval, m)
	if no := under.Declined(); no != nil {
		return "", 0, no
	}
	if c.who.OpenMailbox(ctx, under, reply, err) {
		return c.apply(ctx, manager, endpoint)
	}
	if why, pause := under.Retry(err); why != "" {
		return why, pause, nil
	}
	if err != nil {
		return "", 0, fmt.Errorf("register with %s: %w", manager, err)
	}
	r := reply.(*protocol.LeagueRegisterResponse)
	if r.Later() {
		return *r.Reason, retryInterval, nil
	}
	retry, err = c.admitted(r, under, manager, endpoint)
	return retry, retryInterval, err
}

// application returns the player's registration request.
func (c *managerClient) application(manager, endpoint string) *protocol.LeagueRegisterRequest {
	c.mu.Lock()
	defer c.mu.Unlock()
	key, agreement := c.who.PublicKey(), ""
	if c.opts.Unsigned {
		key = ""
	} else {
		agreement = c.who.AgreementKey()
	}
	return &protocol.LeagueRegisterRequest{
		Envelope: protocol.Envelope{
			MessageType: protocol.TypeLeagueRegisterRequest,
			AuthToken:   cmp.Or(c.opts.Token, c.given[manager], c.opts.JoinKey), LeagueID: c.league,
			ConversationID: "conv-player-" + slug(c.name) + "-reg-" + c.node.Nonce(12), // anyone that knows it can challenge the player
		},
		Meta: protocol.AgentMeta{
			DisplayName: c.name, Version: c.opts.Version, Build: rpc.Build(), ProtocolVersion: protocol.Release, GameTypes: c.opts.GameTypes,
			ContactEndpoint: endpoint, Native: true, PublicKey: key, AgreementKey: agreement, Nonce: c.opts.Nonce,
		},
	}
}

// admitted handles the answer to the registration. If the request should be repeated, it returns the reason.
func (c *managerClient) admitted(
	r *protocol.LeagueRegisterResponse, under *native.Registration, manager, endpoint string,
) (retry string, err error) {
	_, own := protocol.ParseSender(c.node.Sender())
	g, err := r.Granted(own)
	if err != nil {
		return "", err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if retry, err := c.settle(g, under, manager, endpoint); retry != "" || err != nil {
		return retry, err
	}
	c.node.SetStrict(c.native && r.Strict)
	if c.native { // it speaks as we do; of ten thousand players in one process each would remember how
		c.who.UnderOurs(manager)
	}
	if c.agentState == protocol.AgentInit { // a later message of the manager takes precedence
		c.agentState = protocol.AgentRegistered
	}
	if c.state == protocol.PlayerUnregistered {
		c.state = protocol.PlayerRegistered
	}
	c.node.Logger.Info("registered as "+c.id+" in "+c.league, slog.String("event_type", "REGISTERED"),
		slog.String("player_id", c.id), slog.String("league_id", c.league))
	if err := c.memory.loadHistory(c.id); err != nil {
		return "", err
	}
	c.hear(r)
	if c.native && (r.NextLeagueID != "" || r.LeagueOver) {
		c.who.Ended(c.seal)
	}
	switch { // it missed the broadcast
	case r.NextLeagueID != "":
		c.leagueOver(r.NextLeagueID)
	case r.LeagueOver && c.native:
		c.node.Logger.Info("the league " + c.league + " is over; there is nothing left to play")
		time.AfterFunc(lingerAfterReturn, func() { // no goroutine waits for it
			c.mu.Lock()
			defer c.mu.Unlock()
			c.agentState = protocol.AgentShutdown
			c.leagueOver("")
		})
	}
	return "", nil
}

// lingerAfterReturn is how long a player stays reachable if it registers again and the league is already over.
const lingerAfterReturn = 5 * time.Second

// settle adopts the identity that the manager has granted: in its challenge, or for a third-party manager in its
// answer. If the request should be repeated, it returns the reason. The caller holds the lock.
func (c *managerClient) settle(
	g protocol.Grant, under *native.Registration, manager, endpoint string,
) (retry string, err error) {
	if p, ok := under.Taken(); ok {
		if g.ID != p.ID {
			return "", fmt.Errorf("the manager challenged this player as %s but then registered it as %s", p.ID,
				protocol.Plain(g.ID))
		}
		c.takePlace(p)
		return "", nil
	}
	if g.Native && !c.opts.Unsigned {
		return "the manager accepted the registration, and did not challenge this player at " + endpoint +
			"; check that it can reach this address", nil
	}
	c.id, c.token, c.seal, c.native = g.ID, g.Token, "", g.Native
	if g.League != "" {
		c.league = g.League
	}
	put(&c.given, manager, g.Token)
	c.node.SetSender(protocol.Sender(protocol.RolePlayer, c.id))
	return "", nil
}

// missed queries the manager for the player's matches and stores the results that the history lacks, such as matches
// decided while the player was offline. It is called after a player has registered again with a stored membership, and
// when the table counts more matches than the history has.
func (c *managerClient) missed(ctx context.Context) {
	c.mu.Lock()
	q := &protocol.LeagueQuery{
		Envelope:  protocol.Envelope{MessageType: protocol.TypeLeagueQuery, LeagueID: c.league},
		QueryType: protocol.QueryPlayerMatches, QueryParams: protocol.QueryParams{PlayerID: c.id, Limit: c.memory.most},
	}
	manager, token := c.peer(c.address), c.token
	c.mu.Unlock()
	manager.Dialect = protocol.Canonical
	reply, err := c.node.Call(ctx, manager, q)
	if err != nil {
		c.node.Logger.Debug("the manager does not tell which matches were missed", slog.Any("error", err))
		return
	}
	var told struct {
		Matches []protocol.PlayerMatch `json:"matches"`
	}
	if r, ok := reply.(*protocol.LeagueQueryResponse); !ok || json.Unmarshal(r.Data, &told) != nil {
		return // a manager of before
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.token != token { // it has become another player in between
		return
	}
	for _, e := range told.Matches {
		c.memory.catchUp(c.id, e)
	}
}

// countedMore reports whether a table of this program's manager counts more matches of the player than the history has.
// It returns false if the history has its maximum length. The caller holds the lock.
func (c *managerClient) countedMore(table []protocol.Standing) bool {
	for _, row := range table {
		if row.PlayerID == c.id {
			return c.native && row.Played > len(c.memory.history) && !c.memory.full()
		}
	}
	return false
}

// query sends a query once and returns the data of the answer. It returns nil on failure, and under a third-party
// manager.
func (c *managerClient) query(ctx context.Context, kind string, p protocol.QueryParams) json.RawMessage {
	c.mu.Lock()
	m := &protocol.LeagueQuery{
		Envelope:  protocol.Envelope{MessageType: protocol.TypeLeagueQuery, LeagueID: c.league},
		QueryType: kind, QueryParams: p,
	}
	manager, native := c.peer(c.address), c.native
	c.mu.Unlock()
	if !native || manager.Endpoint == "" {
		return nil
	}
	manager.Dialect = protocol.Canonical
	reply, err := c.node.Call(ctx, manager, m)
	r, ok := reply.(*protocol.LeagueQueryResponse)
	if err != nil || !ok || !r.Success {
		c.node.Logger.Debug("the manager does not answer what the strategy wants to know", slog.String("query", kind), slog.Any("error", err))
		return nil
	}
	return r.Data
}

// latestTable returns the newest table that the manager has announced, or nil.
func (c *managerClient) latestTable() []protocol.Standing {
	c.mu.Lock()
	defer c.mu.Unlock()
	return tableOf(c.table)
}

// rowsOf returns a table with interned rows: ten thousand players of one process share them, and the rows do not keep
// their message in memory.
func rowsOf(table []protocol.Standing) (rows []unique.Handle[protocol.Standing]) {
	for _, row := range table {
		rows = append(rows, unique.Make(row))
	}
	return rows
}

// tableOf converts rows from rowsOf back into a table.
func tableOf(rows []unique.Handle[protocol.Standing]) (table []protocol.Standing) {
	for _, row := range rows {
		table = append(table, row.Value())
	}
	return table
}

// protestTimeout is the time limit for delivering a protest, protestPause the retry interval.
const (
	protestTimeout = 30 * time.Second
	protestPause   = 5 * time.Second
)

// protest sends a contradiction in a result to the manager in the background. The caller holds the lock.
func (c *managerClient) protest(ctx context.Context, m *protocol.MatchProtest) {
	c.node.Logger.Warn("the end of a match is wrong; the manager is informed", slog.String("match_id", m.MatchID),
		slog.String("what", m.What), slog.String("detail", m.Detail))
	c.protests++
	manager := c.peer(c.address)
	go func() { // Drain waits for it
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), protestTimeout)
		defer cancel()
		_, err := c.node.CallUntil(ctx, manager, protestPause, m)
		for errors.Is(err, protocol.ErrUnauthenticated) && c.node.Backoff(ctx, manager.Endpoint, "protest again", protestPause) == nil {
			_, err = c.node.CallUntil(ctx, manager, protestPause, m)
		}
		if err != nil {
			c.node.Logger.Error("the manager could not be informed of what is wrong in a match", slog.String("match_id", m.MatchID),
				slog.Any("error", err))
		}
		c.mu.Lock()
		c.protests--
		c.mu.Unlock()
	}()
}
