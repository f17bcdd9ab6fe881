package referee

import (
	"strings"
	"sync"

	"agentleague/game"
	"agentleague/protocol"
	"agentleague/rpc"
)

// A Referee plays the matches that a manager hands to it.
type Referee struct {
	Node *rpc.Node
	*env

	name        string
	games       func(gameType string) (game.Game, error)
	registering chan struct{} // holds one while a registration is under way
	goesOn      chan struct{} // closed when another league follows
	over        sync.Once     // of Options.Over
	applicant   *rpc.Applicant
	reporters   reporters
	ends        ends     // reported to a foreign manager
	draws       drawWord // for a foreign manager

	waitingOrders waitingOrders // of a foreign manager
	players       locator       // of a foreign manager
	awaited       awaited       // results that the manager reads in the answer to its order

	mu         sync.Mutex
	grant      protocol.Grant
	registered bool      // by this run
	untold     sync.Once // results left by an earlier run are reported
	manager    string
	url        string
	matches    map[matchKey]*match // the newest attempt at each
	told       []*match            // those whose end was announced, oldest first
	busy       int
	draining   bool       // no further match is taken on
	sequel     string     // the league in which the same agents play on, when the one before is over
	teaching   sync.Mutex // serializes saving of learned dialects
}

// A matchKey names a match. The leagues that a referee serves in turn all have an R1M1.
type matchKey struct{ league, match string }

func keyOf(start *protocol.StartMatch) matchKey { return matchKey{start.LeagueID, start.MatchID} }

// GoesOn is closed when the league is over and another follows it, which is Next.
func (r *Referee) GoesOn() <-chan struct{} { return r.goesOn }

// Next returns the league in which the same agents continue; "": none is known.
func (r *Referee) Next() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sequel
}

// goOn records the next league that the manager names. Only managers of this program are trusted with it.
func (r *Referee) goOn(next string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if next == "" || r.sequel != "" || !r.grant.Native {
		return
	}
	r.sequel = next
	close(r.goesOn)
}

// Wait returns when no match and no report is under way.
func (r *Referee) Wait() { r.running.Wait() }

// managerAt returns how a manager is reached. One of ours needs no guessing, and is authenticated.
func (r *Referee) managerAt(endpoint string) rpc.Peer {
	g := r.Granted()
	if !g.Native {
		return rpc.Peer{Endpoint: endpoint, Token: g.Token}
	}
	return rpc.Peer{Endpoint: endpoint, Dialect: protocol.Canonical,
		Auth: &protocol.Credential{Token: g.Token, LeagueID: g.League, AgentID: g.ID}}
}

// Granted returns the manager's grant to this referee.
func (r *Referee) Granted() protocol.Grant {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.grant
}

// fromManager checks that a message shows the token that only this referee's
// manager can. A foreign manager has none to show.
func (r *Referee) fromManager(h *protocol.Envelope) error {
	_, err := r.grantFor(h)
	return err
}

// grantFor returns the grant of a message's sender, if it is this referee's manager. A message of the manager may
// overtake its answer to the registration.
func (r *Referee) grantFor(h *protocol.Envelope) (protocol.Grant, error) {
	r.mu.Lock()
	g, registered := r.grant, r.registered
	r.mu.Unlock()
	shows := func(token, league string) bool {
		return protocol.IsManagerToken(h.AuthToken, token, league, h.MessageType, h.RoundID)
	}
	if registered && g.Native && shows(g.Token, g.League) {
		return g, nil
	}
	if p, ok := r.applicant.Recognise(shows); ok {
		r.settleIn(grantOf(p))
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

func slug(name string) string { return strings.ToLower(strings.ReplaceAll(name, " ", "-")) }
