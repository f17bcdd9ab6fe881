package referee

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/rpc/native"
)

// A managerClient registers a referee with its manager, authenticates the manager's messages, and queries it.
// It is safe for concurrent use.
type managerClient struct {
	name      string // of the referee
	node      *rpc.Node
	opts      *Options
	applicant *native.Applicant
	admitted  func(context.Context, protocol.Grant) error // called after each admission

	registering chan struct{} // holds one while a registration is under way
	goesOn      chan struct{} // closed when another league follows

	mu         sync.Mutex
	grant      protocol.Grant
	registered bool   // by this run
	endpoint   string // of the manager
	url        string // of the referee
	next       string // the league in which the same agents play on, when the one before is over
}

// serve sets the endpoint of the manager, and url, the endpoint of this referee.
func (c *managerClient) serve(manager, url string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.endpoint, c.url = manager, url
	// some managers grant any requested id
	if home := protocol.HomeID(protocol.RoleReferee, url); c.opts.ID == "" && home != "" && !c.node.Strict {
		c.node.SetSender(protocol.Sender(protocol.RoleReferee, home))
	}
}

// switchTo sets the manager to register with and returns the previous one. An empty manager keeps the current one. It
// fails if another manager is already set, or if there is none at all.
func (c *managerClient) switchTo(manager string) (previous string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	previous = c.endpoint
	switch {
	case manager == "" && previous == "":
		return "", protocol.Errorf(protocol.MissingField, "league_endpoint: this referee has no manager").With("field",
			"league_endpoint")
	case manager != "" && previous != "" && manager != previous:
		return "", protocol.Errorf(protocol.OutOfTurn, "this referee works for another manager")
	case manager != "":
		c.endpoint = manager
	}
	return previous, nil
}

// switchBack restores the manager that switchTo returned, unless the referee has registered since.
func (c *managerClient) switchBack(previous string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.registered {
		c.endpoint = previous
	}
}

// register registers with the manager, retrying until it answers; concurrent calls run one after the other. refused is
// the token to replace, if any; if another call has already replaced that token, register returns nil, nil. An answer
// that denies the registration is returned together with an error.
func (c *managerClient) register(ctx context.Context, refused string) (*protocol.RefereeRegisterResponse, error) {
	select {
	case c.registering <- struct{}{}:
		defer func() { <-c.registering }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if refused != "" && refused != c.granted().Token {
		return nil, nil
	}
	for {
		answer, retry, pause, err := c.apply(ctx)
		if retry == "" {
			return answer, err
		}
		c.applicant.NotYet(protocol.TypeRefereeRegisterRequest, retry)
		manager, _ := c.at()
		if err := c.node.Backoff(ctx, manager, "register again", pause); err != nil {
			return nil, err
		}
	}
}

// apply sends one registration request, and answers the challenge that arrives during the call. If the request should
// be repeated, retry is the reason and pause the delay.
func (c *managerClient) apply(
	ctx context.Context,
) (answer *protocol.RefereeRegisterResponse, retry string, pause time.Duration, err error) {
	manager, request := c.application()
	under := c.applicant.Begin(manager, request.Meta.ContactEndpoint, request.LeagueID, request.ConversationID)
	defer under.End()
	reply, err := c.node.CallUntil(ctx, under.Peer(), retryInterval, request)
	if no := under.Declined(); no != nil {
		return nil, "", 0, no
	}
	if c.applicant.OpenMailbox(ctx, under, reply, err) {
		return c.apply(ctx)
	}
	if why, pause := under.Retry(err); why != "" {
		return nil, why, pause, nil
	}
	if err != nil {
		return nil, "", 0, fmt.Errorf("register with %s: %w", manager, err)
	}
	answer = reply.(*protocol.RefereeRegisterResponse)
	if answer.Later() {
		return nil, *answer.Reason, retryInterval, nil
	}
	g, retry, err := c.place(answer, under)
	if err != nil || retry != "" {
		return answer, retry, retryInterval, err
	}
	c.settleIn(g)
	c.node.SetStrict(g.Native && answer.Strict)
	c.node.Logger.Info("registered as "+g.ID+" in "+g.League, slog.String("event_type", "REGISTERED"),
		slog.String("referee_id", g.ID), slog.String("league_id", g.League))
	err = c.admitted(ctx, g)
	c.goOn(answer.NextLeagueID)
	return answer, "", 0, err
}

// application returns the registration request and the endpoint of its receiver. For a third-party manager the request
// includes the token of an earlier registration.
func (c *managerClient) application() (manager string, m *protocol.RefereeRegisterRequest) {
	c.mu.Lock()
	defer c.mu.Unlock()
	token := c.opts.JoinKey
	if !c.grant.Native {
		token = cmp.Or(c.grant.Token, token)
	}
	return c.endpoint, &protocol.RefereeRegisterRequest{
		Envelope: protocol.Envelope{
			MessageType: protocol.TypeRefereeRegisterRequest, AuthToken: token, LeagueID: c.grant.League,
			// random, so that a challenge with this id proves that it came from the receiver of the request
			ConversationID: "conv-ref-" + slug(c.name) + "-reg-" + c.node.Nonce(12),
		},
		Meta: protocol.AgentMeta{
			DisplayName: c.name, Version: c.opts.Version, Build: rpc.Build(), ProtocolVersion: protocol.Release, GameTypes: c.opts.GameTypes,
			ContactEndpoint: c.applicant.Endpoint(c.url), MaxConcurrentMatches: c.opts.MaxMatches, Native: true,
			PublicKey: c.applicant.PublicKey(), AgreementKey: c.applicant.AgreementKey(),
		},
	}
}

// place returns the referee's grant (id and token), which comes from the manager's challenge or from the answer of a
// third-party manager. If the registration should be repeated, retry is the reason.
func (c *managerClient) place(
	answer *protocol.RefereeRegisterResponse, under *native.Registration,
) (g protocol.Grant, retry string, err error) {
	if g, err = answer.Granted(agentID(c.node)); err != nil {
		return g, "", err // the earlier grant stays
	}
	p, taken := under.Taken()
	switch {
	case taken && p.ID != g.ID:
		return g, "", fmt.Errorf("the manager challenged this referee as %s but then registered it as %q; start it again",
			p.ID, g.ID)
	case taken:
		return grantOf(p), "", nil
	case g.Native:
		c.mu.Lock()
		defer c.mu.Unlock()
		return g, "the manager accepted the registration, and did not challenge this referee at " + c.url +
			"; check that it can reach this address", nil
	}
	return g, "", nil
}

// grantOf converts the membership in a league of this project's manager into a grant.
func grantOf(p native.Membership) protocol.Grant {
	return protocol.Grant{ID: p.ID, Token: p.Token, League: p.LeagueID, Seal: p.Seal, Native: true}
}

// settleIn makes g, which the manager has granted, the referee's id and token.
func (c *managerClient) settleIn(g protocol.Grant) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.grant, c.registered = g, true
	c.node.SetSender(protocol.Sender(protocol.RoleReferee, g.ID))
}

// goOn stores the id of the next league and closes the channel of [Referee.GoesOn]. It ignores third-party managers.
func (c *managerClient) goOn(next string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if next == "" || c.next != "" || !c.grant.Native {
		return
	}
	c.next = next
	close(c.goesOn)
}

// peer returns how to call a manager. For a native manager the dialect is known and the calls are authenticated.
func (c *managerClient) peer(endpoint string) rpc.Peer {
	g := c.granted()
	if !g.Native {
		return rpc.Peer{Endpoint: endpoint, Token: g.Token}
	}
	return rpc.Peer{Endpoint: endpoint, Dialect: protocol.Canonical,
		Auth: &protocol.Credential{Token: g.Token, LeagueID: g.League, AgentID: g.ID}}
}

// at returns the manager's endpoint and the grant of this referee.
func (c *managerClient) at() (endpoint string, g protocol.Grant) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.endpoint, c.grant
}

// foreign reports whether the manager is a third-party program.
func (c *managerClient) foreign() bool { return !c.granted().Native }

// granted returns the id and token that the manager has granted to this referee.
func (c *managerClient) granted() protocol.Grant {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.grant
}

// check returns an error unless a message carries the manager's token for this referee. Messages of a third-party
// manager, which has no such token, pass.
func (c *managerClient) check(h *protocol.Envelope) error {
	_, err := c.grantFor(h)
	return err
}

// grantFor authenticates a message of the manager and returns the grant with the token of that message. If the message
// arrives before the answer to the registration, that is the grant in the challenge.
func (c *managerClient) grantFor(h *protocol.Envelope) (protocol.Grant, error) {
	c.mu.Lock()
	g, registered := c.grant, c.registered
	c.mu.Unlock()
	shows := func(token, league string) bool {
		return protocol.IsManagerToken(h.AuthToken, token, league, h.MessageType, h.RoundID)
	}
	if registered && g.Native && shows(g.Token, g.League) {
		return g, nil
	}
	if p, ok := c.applicant.Recognise(shows); ok {
		c.settleIn(grantOf(p))
		return grantOf(p), nil
	}
	switch {
	case !registered:
		return g, protocol.Errorf(protocol.RefereeNotRegistered,
			"this referee has not registered yet: it does not know its manager")
	case !g.Native:
		return g, nil
	case h.AuthToken == "":
		return g, protocol.Errorf(protocol.AuthTokenMissing,
			"the manager's messages must carry its token for this referee")
	}
	return g, protocol.Errorf(protocol.AuthTokenInvalid,
		"this is not the token of this referee's manager").With("provided_token", protocol.Redact(h.AuthToken))
}

// refusedForGood reports whether the manager has permanently refused a result. If the manager refuses only the
// referee's token, refusedForGood requests a new token and returns false.
func (c *managerClient) refusedForGood(ctx context.Context, err error, token string) bool {
	var refusal *protocol.Refusal
	stranger := errors.Is(err, protocol.ErrUnauthenticated) // or a manager that does not recognize this referee any more
	if !stranger && (!errors.As(err, &refusal) || refusal.Name == "") {
		return false // not an answer of our managers: another program answers in its place
	}
	if !stranger && refusal.Name != protocol.AuthTokenInvalid.Name && refusal.Name != protocol.RefereeNotRegistered.Name {
		return true
	}
	if _, err := c.register(ctx, token); err != nil {
		c.node.Logger.Warn("the manager does not accept this referee again", slog.Any("error", err))
	}
	return false
}

// queryTimeout is the timeout of a query to a third-party manager, including all dialects that are tried.
const queryTimeout = 10 * time.Second

// query sends a query to a third-party manager. On an error, or any other reply, it returns an empty response.
func (c *managerClient) query(ctx context.Context, query string) *protocol.LeagueQueryResponse {
	manager, g := c.at()
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	reply, err := c.node.Call(ctx, c.peer(manager), &protocol.LeagueQuery{
		Envelope: protocol.Envelope{MessageType: protocol.TypeLeagueQuery, ConversationID: "conv-query-" + g.ID,
			LeagueID: g.League},
		QueryType: query,
	})
	if answer, ok := reply.(*protocol.LeagueQueryResponse); ok && err == nil {
		return answer
	}
	return &protocol.LeagueQueryResponse{}
}

// assigns reports whether an announced match is assigned to this referee. A match without a referee counts as assigned
// to every referee that receives the announcement.
func (c *managerClient) assigns(match protocol.AnnouncedMatch) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case match.RefereeEndpoint != "":
		return match.RefereeEndpoint == c.url || match.RefereeID == c.grant.ID
	case match.RefereeID != "":
		return match.RefereeID == c.grant.ID
	}
	return true
}

func slug(name string) string { return strings.ToLower(strings.ReplaceAll(name, " ", "-")) }

// agentID returns the id in a node's sender name, which before the registration is the requested id.
func agentID(n *rpc.Node) string {
	_, id := protocol.ParseSender(n.Sender())
	return id
}
