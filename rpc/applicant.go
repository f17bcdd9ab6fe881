package rpc

import (
	"context"
	"crypto/ed25519"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"slices"
	"sync"

	"agentleague/protocol"
)

// An Identity is what a native agent keeps between two runs: who it is, and the
// place in a league that it was given.
type Identity struct {
	Key      ed25519.PrivateKey
	Manager  string // with which it registered
	LeagueID string
	Seal     string // of that league
	ID       string // that it was granted there
	Token    string
}

// An Applicant is the part of a native agent that shows who it is: it takes the
// welcome that its own registration has brought about, and signs where it is
// when its manager asks.
//
//	agent ── register_player {public_key} ─▶ manager
//	agent ◀─ welcome {id, token} ───────────  at the endpoint that it registered
//	agent ── nonce, signature ─────────────▶
//	agent ◀─ ACCEPTED ──────────────────────
type Applicant struct {
	node   *Node
	keep   func(Identity) error
	taken  func(Identity)
	secret []byte

	mu       sync.Mutex
	identity Identity
	endpoint string // its own, as it registered it
	under    *registration
}

// ApplicantOptions are the parts of an applicant that have defaults.
type ApplicantOptions struct {
	Identity Identity             // from an earlier run; without a key it gets a new one
	Keep     func(Identity) error // is told of each place before it is taken; what cannot be kept is not taken
	Taken    func(Identity)       // is told of each place that was kept
	Secret   []byte               // the root's referee secret; nil: it is not the organiser's
}

// A registration is one that is under way.
type registration struct {
	conversation string
	manager      string
	league       string // that was asked for; "": the manager's own
}

// NewApplicant makes a node take the welcomes of its registrations.
func NewApplicant(n *Node, o ApplicantOptions) *Applicant {
	if o.Identity.Key == nil {
		seed := make([]byte, ed25519.SeedSize)
		n.Network.Random(seed)
		o.Identity.Key = ed25519.NewKeyFromSeed(seed)
	}
	a := &Applicant{node: n, keep: o.Keep, taken: o.Taken, secret: o.Secret, identity: o.Identity}
	n.Handle(protocol.TypeWelcome, a.welcome)
	n.HandleOpen(protocol.TypeIdentify, a.identify)
	return a
}

// UnderOurs says that the manager at an endpoint is one of ours: nothing needs to be remembered of how to speak to it.
// Should it be another one day, the next call finds that out.
func (a *Applicant) UnderOurs(manager string) { a.node.dialects.forget(manager) }

// PublicKey is what the agent is known by.
func (a *Applicant) PublicKey() string { return protocol.PublicKey(a.Identity().Key) }

// Identity returns who the agent is, and the newest place that it has taken.
func (a *Applicant) Identity() Identity {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.identity
}

// Token returns the token of the place that the agent has with a manager in a league, or "".
func (a *Applicant) Token(manager, league string) string {
	id := a.Identity()
	if id.Manager != manager || league != "" && id.LeagueID != league {
		return ""
	}
	return id.Token
}

// Begin lets the agent take one place: that of the registration with this
// conversation, which it is about to send to this manager from this endpoint.
// It returns the end of that.
func (a *Applicant) Begin(manager, endpoint, league, conversation string) (end func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	under := &registration{conversation, manager, league}
	a.endpoint, a.under = endpoint, under
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		if a.under == under {
			a.under = nil
		}
	}
}

// welcome takes a place. It is kept before it is taken: who was welcomed is
// that agent from then on, whatever happens to it.
func (a *Applicant) welcome(ctx context.Context, _ From, m protocol.Message) (protocol.Message, error) {
	w := m.(*protocol.Welcome)
	a.mu.Lock()
	under, endpoint, next := a.under, a.endpoint, a.identity
	a.mu.Unlock()
	if err := a.expected(ctx, w, under); err != nil {
		return nil, err
	}
	next.Manager, next.LeagueID, next.Seal, next.ID, next.Token = under.manager, w.LeagueID, w.Seal, w.ID, w.Token
	if a.keep != nil {
		if err := a.keep(next); err != nil {
			return nil, fmt.Errorf("keep who this agent is: %w", err)
		}
	}
	a.mu.Lock()
	a.identity = next
	a.mu.Unlock()
	if a.taken != nil {
		a.taken(next)
	}
	nonce := a.node.Nonce(16)
	text := w.Text(endpoint, nonce)
	reply := &protocol.WelcomeAck{
		Envelope: protocol.Envelope{MessageType: protocol.TypeWelcomeAck, LeagueID: w.LeagueID},
		Nonce:    nonce, Signature: protocol.Sign(next.Key, text),
	}
	if a.secret != nil {
		reply.Organiser = protocol.OrganiserMark(a.secret, text)
	}
	return reply, nil
}

// expected returns why a welcome is not the answer to the registration under way, or nil.
func (a *Applicant) expected(ctx context.Context, w *protocol.Welcome, under *registration) error {
	switch {
	case under == nil || !protocol.SameToken(under.conversation, w.ConversationID):
		return protocol.Errorf(protocol.OutOfTurn, "this agent has not asked for a place in that conversation")
	case under.league != "" && w.LeagueID != under.league:
		return protocol.Errorf(protocol.UnknownLeague, "this agent asked for a place in %s, not in %q", under.league,
			w.LeagueID)
	case !sameManager(ctx, a.node.Network, under.manager, w.Manager):
		a.node.Logger.Warn("refused a place with another manager than the one that was asked",
			slog.String("asked", under.manager), slog.String("welcomed_by", protocol.Plain(w.Manager)))
		return protocol.Errorf(protocol.AuthTokenInvalid, "this agent asked another manager for a place")
	}
	return nil
}

// identify signs that the agent is the one at its endpoint.
func (a *Applicant) identify(_ context.Context, _ From, m protocol.Message) (protocol.Message, error) {
	const longest = 128
	q := m.(*protocol.Identify)
	if len(q.Challenge) > longest {
		return nil, protocol.Errorf(protocol.InvalidMessage, "challenge: want at most %d characters", longest).With("field",
			"challenge")
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	reply := &protocol.Identity{Envelope: protocol.Envelope{MessageType: protocol.TypeIdentity}, Agent: a.node.Sender()}
	if a.identity.Seal != "" {
		reply.Signature = protocol.Sign(a.identity.Key,
			protocol.IdentityText(a.identity.Seal, a.identity.ID, a.endpoint, q.Challenge))
	}
	return reply, nil
}

// sameManager reports whether two addresses are those of one manager: the same
// port of one machine, by whatever name. Paths tell leagues and keys apart, not
// managers.
func sameManager(ctx context.Context, n Network, asked, said string) bool {
	a, errA := url.Parse(asked)
	b, errB := url.Parse(said)
	if errA != nil || errB != nil || portOf(a) != portOf(b) {
		return false
	}
	return a.Hostname() == b.Hostname() || sameMachine(n.Addresses(ctx, asked), n.Addresses(ctx, said))
}

// portOf is the port of an address, the usual one if it names none.
func portOf(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}

// sameMachine reports whether two lists of addresses can be those of one machine.
func sameMachine(a, b []string) bool {
	for _, addr := range a {
		if comesFrom(addr, b) {
			return true
		}
	}
	return isHere(a) && isHere(b)
}

// isHere reports whether one of the addresses is of this machine.
func isHere(addrs []string) bool { return slices.ContainsFunc(addrs, IsHere) }

// IsHere reports whether an address is one of this machine.
func IsHere(addr string) bool {
	ip := net.ParseIP(addr)
	if addr == "localhost" || ip != nil && (ip.IsLoopback() || ip.IsUnspecified()) {
		return true
	}
	own, _ := net.InterfaceAddrs() // without them only loopback is known to be here
	return ip != nil && slices.ContainsFunc(own, func(o net.Addr) bool {
		n, ok := o.(*net.IPNet)
		return ok && n.IP.Equal(ip)
	})
}
