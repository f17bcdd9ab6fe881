// Package native proves the identity of native agents, on top of a node of package rpc. [Applicant] and [Registration]
// implement the agent's side, [Agreement] the manager's side.
package native

import (
	"context"
	"crypto/ecdh"
	"crypto/ed25519"
	"log/slog"
	"slices"
	"sync"

	"agentleague/protocol"
	"agentleague/rpc"
)

// Identity is the stored state of a native agent: its key and its memberships.
type Identity struct {
	Key         ed25519.PrivateKey
	Memberships []Membership // the newest last
	Own         bool         // the manager is of this process, and speaks as the agent does
}

// Membership is an agent's place in one league. Its token is computed from the keys and never stored.
type Membership struct {
	Manager    string // address with which the agent registered
	LeagueID   string
	Seal       string // of the league
	ManagerKey string // agreement key of the manager
	ID         string // that the agent was granted
	Epoch      int    // of its token
	Pending    bool   // the agent has answered the challenge, and nothing of the manager was authenticated since
	Over       bool   // the manager has announced the end of the league

	Token string // T; "": not computed yet
}

// maxMemberships is the maximum number of memberships that an agent keeps.
const maxMemberships = 16

// Applicant proves the identity of a native agent: it answers the challenge to the agent's own registration,
// signs the agent's address at its manager's request, and finds the membership that authenticates a message.
//
//	agent ── register_player {public_key, agreement_key} ─▶ manager
//	agent ◀─ welcome {created, id, epoch, nonce} ──────────  at the endpoint that it registered
//	agent ── nonce, signature, confirm ───────────────────▶
//	agent ◀─ ACCEPTED, authenticated ──────────────────────
//
// It is safe for concurrent use.
type Applicant struct {
	node   *rpc.Node
	role   protocol.Role
	keep   func(Identity) error
	secret []byte
	onlyID string

	mailbox OpenMailbox

	mu       sync.Mutex
	identity Identity
	endpoint string // its own, as it registered it
	under    *Registration
	inbox    string // the endpoint of its mailbox; "": it has opened none
	notYet   string // why the newest registration is repeated
}

// ApplicantOptions configures an applicant. Zero values select the defaults.
type ApplicantOptions struct {
	Role     protocol.Role
	Identity Identity             // from an earlier run; without a key it gets a new one
	Keep     func(Identity) error // receives each place before it is taken; a place that cannot be kept is not taken
	Secret   []byte               // the data directory's referee secret; nil: it is not the organiser's
	Mailbox  OpenMailbox          // for an agent that its manager cannot call; nil: it has none
	OnlyID   string               // the id that it accepts, and no other; "": any
}

// NewApplicant returns an applicant and registers its message handlers with n.
func NewApplicant(n *rpc.Node, o ApplicantOptions) *Applicant {
	if o.Identity.Key == nil {
		seed := make([]byte, ed25519.SeedSize)
		n.Network.Random(seed)
		o.Identity.Key = ed25519.NewKeyFromSeed(seed)
	}
	a := &Applicant{node: n, role: o.Role, keep: o.Keep, secret: o.Secret, mailbox: o.Mailbox, onlyID: o.OnlyID, identity: o.Identity}
	n.Handle(protocol.TypeWelcome, a.welcome)
	n.HandleOpen(protocol.TypeIdentify, a.identify)
	return a
}

// UnderOurs records that the manager at an endpoint is native, so that its dialect need not be stored. If a third-party
// manager replaces it, the next call detects that manager's dialect.
func (a *Applicant) UnderOurs(manager string) { a.node.ForgetDialect(manager) }

// Key returns the agent's signing key.
func (a *Applicant) Key() ed25519.PrivateKey { return a.identity.Key }

// PublicKey identifies the agent.
func (a *Applicant) PublicKey() string { return protocol.PublicKey(a.identity.Key) }

// agreement returns the private key for computing tokens.
func (a *Applicant) agreement() *ecdh.PrivateKey { return protocol.AgreementKey(a.identity.Key.Seed()) }

// AgreementKey returns the public key for computing tokens.
func (a *Applicant) AgreementKey() string { return protocol.AgreementPublic(a.agreement()) }

// Membership returns the agent's newest membership with a manager in a league that is not over; an empty league means
// any. A pending membership is returned only if there is no other. It returns false if there is none.
func (a *Applicant) Membership(manager, league string) (Membership, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.newest(func(p *Membership) bool {
		return p.Manager == manager && !p.Over && (league == "" || p.LeagueID == league)
	})
}

// newest returns the newest membership for which fits returns true, a pending one only if there is no other. The caller
// holds the lock.
func (a *Applicant) newest(fits func(*Membership) bool) (Membership, bool) {
	for _, pending := range []bool{false, true} {
		for i := range slices.Backward(a.identity.Memberships) {
			if p := &a.identity.Memberships[i]; p.Pending == pending && fits(p) && a.compute(p) == nil {
				return *p, true
			}
		}
	}
	return Membership{}, false
}

// Recognise returns the membership whose token authenticates a message, and false if there is none. authentic reports
// whether the message carries a given token in a given league. A pending membership becomes current.
func (a *Applicant) Recognise(authentic func(token, league string) bool) (Membership, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	p, ok := a.newest(func(p *Membership) bool { return !p.Over && a.compute(p) == nil && authentic(p.Token, p.LeagueID) })
	if ok && p.Pending {
		p = a.settle(p)
	}
	return p, ok
}

// Ended marks the memberships of a league, identified by its seal, as over.
func (a *Applicant) Ended(seal string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i := range a.identity.Memberships {
		if p := &a.identity.Memberships[i]; p.Seal == seal && !p.Over {
			p.Over = true
			a.save(a.identity)
		}
	}
}

// Credential returns the shared secret of the agent and the manager.
func (p Membership) Credential() *protocol.Credential {
	return &protocol.Credential{Token: p.Token, LeagueID: p.LeagueID, AgentID: p.ID}
}

// compute fills in the token of a place.
func (a *Applicant) compute(p *Membership) (err error) {
	if p.Token == "" {
		own := a.agreement()
		p.Token, err = protocol.Agreement{
			League: p.LeagueID, Seal: p.Seal, Role: a.role, ID: p.ID, Epoch: p.Epoch, ManagerKey: p.ManagerKey,
			PublicKey: a.PublicKey(), AgreementKey: protocol.AgreementPublic(own),
		}.Token(own, p.ManagerKey)
	}
	return err
}

// settle makes a pending membership the current one of its seal. The caller holds the lock.
func (a *Applicant) settle(p Membership) Membership {
	former := len(a.identity.Memberships)
	p.Pending = false
	a.identity.Memberships = append(without(a.identity.Memberships, func(o Membership) bool { return o.Seal == p.Seal }), p)
	if len(a.identity.Memberships) < former { // a former place of that seal has to go on disk too
		a.save(a.identity)
	}
	return p
}

// without returns list without the memberships that fit, shortened to leave room for one more. Memberships that are
// over or pending are dropped first: any receiver of the agent's registrations can create pending ones.
func without(list []Membership, fits func(Membership) bool) []Membership {
	out := slices.DeleteFunc(slices.Clone(list), fits)
	for len(out) >= maxMemberships {
		at := max(0, slices.IndexFunc(out, func(p Membership) bool { return p.Over || p.Pending }))
		out = slices.Delete(out, at, at+1)
	}
	return out
}

// save stores the identity and logs an error. It is for changes that are not part of a registration.
func (a *Applicant) save(now Identity) {
	if a.keep == nil {
		return
	}
	if err := a.keep(now); err != nil {
		a.node.Logger.Error("the identity of this agent could not be saved", slog.Any("error", err))
	}
}

// identify answers a manager's request to sign that the agent is at its endpoint, in the league it names.
func (a *Applicant) identify(_ context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
	const longest = 128
	q := m.(*protocol.Identify)
	if len(q.Challenge) > longest {
		return nil, protocol.Errorf(protocol.InvalidMessage, "challenge: want at most %d characters", longest).With("field",
			"challenge")
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	reply := &protocol.Identity{Envelope: protocol.Envelope{MessageType: protocol.TypeIdentity}, Agent: a.node.Sender()}
	p, ok := a.newest(func(p *Membership) bool { return q.Seal == "" || p.Seal == q.Seal })
	if ok {
		reply.Signature = protocol.Sign(a.identity.Key, protocol.IdentityText(p.Seal, p.ID, a.endpoint, q.Challenge))
	}
	return reply, nil
}
