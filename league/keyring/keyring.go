// Package keyring holds the secrets of a league, and derives the tokens of its agents, join keys and draw keys from them.
package keyring

import (
	"context"
	"crypto/ecdh"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"strings"
	"sync"

	"agentleague/engine"
	"agentleague/league"
	"agentleague/protocol"
)

// A Keyring holds the secrets of a league, and derives the tokens of agents, join keys and draw keys from them.
// Derived values are cached in memory and never stored. It is safe for concurrent use.
type Keyring struct {
	league string
	length int // of a ticket, in bytes

	tokens     []byte // of all tokens
	invites    []byte // of all join keys
	draws      []byte // of all draws; it is revealed when the league is over
	organisers []byte // identifies the organiser's referees; nil: there are none

	mu        sync.RWMutex
	agreement *ecdh.PrivateKey // from tokens
	known     map[badge]string // tokens
	joining   map[badge]string // join keys, by role and name
	joins     map[string]badge // and the other way round
}

// A badge identifies the owner of a token or a join key.
type badge struct {
	role       protocol.Role
	id         string
	key        string
	generation int
}

// RefereeSecret is the name of the secret by which a manager recognizes the organiser's referees.
const RefereeSecret = "referee"

// Open reads the secrets of a league.
func Open(ctx context.Context, log engine.Engine, league string, length int) (*Keyring, error) {
	k := &Keyring{league: league, length: length, known: map[badge]string{}, joining: map[badge]string{}, joins: map[string]badge{}}
	for _, s := range []struct {
		secret *[]byte
		name   string
	}{
		{&k.tokens, "token." + league}, {&k.draws, "draw." + league}, {&k.invites, "invite." + league},
		{&k.organisers, RefereeSecret},
	} {
		var err error
		if *s.secret, err = log.Secret(ctx, s.name); err != nil {
			return nil, err
		}
	}
	k.agreement = protocol.AgreementKey(k.tokens)
	return k, nil
}

// ManagerKey returns the public key with which native agents compute their tokens.
func (k *Keyring) ManagerKey() string { return protocol.AgreementPublic(k.agreement) }

// Token returns the token of an agent: the agreed token of a native agent, or the issued one of a third-party agent.
// For a native agent without an agreement it returns a token that is never issued.
func (k *Keyring) Token(s *league.State, a *league.Agent) string {
	b := badge{a.Role, a.ID, "", a.Generation}
	if a.Agreed() {
		b.key = a.AgreementKey
	}
	k.mu.RLock()
	t, ok := k.known[b]
	k.mu.RUnlock()
	if ok {
		return t
	}
	t, err := k.agree(s, a.Registered)
	if b.key == "" || err != nil {
		t = shortened(protocol.Ticket(k.tokens, k.league, protocol.Sender(a.Role, a.ID), a.Generation), k.length)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.known[b] = t
	return t
}

// Agreement returns the private key with which the manager computes the tokens of native agents.
func (k *Keyring) Agreement() *ecdh.PrivateKey { return k.agreement }

// IsOrganisers reports whether mark proves that a referee is the organiser's: it must be derived from the data
// directory's secret and the text that the referee has signed.
func (k *Keyring) IsOrganisers(mark, text string) bool {
	return mark != "" && k.organisers != nil && protocol.SameToken(mark, protocol.OrganiserMark(k.organisers, text))
}

// DrawSecret returns the secret of all draws in hex. It must stay secret until the league is over.
func (k *Keyring) DrawSecret() string { return hex.EncodeToString(k.draws) }

// DrawCommitment returns the commitment to the secret of all draws.
func (k *Keyring) DrawCommitment() string { return protocol.DrawCommitment(k.league, k.draws) }

// agree computes the token of a native agent.
func (k *Keyring) agree(s *league.State, r league.Registered) (string, error) {
	return league.TermsOf(s).Agreement(r).Token(k.agreement, r.AgreementKey)
}

// Credential returns the secret that the manager shares with a native agent, or nil if there is no agreement.
func (k *Keyring) Credential(s *league.State, a *league.Agent) *protocol.Credential {
	if a == nil || !a.Agreed() {
		return nil
	}
	return &protocol.Credential{Token: k.Token(s, a), LeagueID: k.league, AgentID: a.ID}
}

// shortened truncates the secret part of a token to at most length bytes.
func shortened(token string, length int) string {
	whole, wanted := base64.RawURLEncoding.EncodedLen(sha256.Size), base64.RawURLEncoding.EncodedLen(length)
	return token[:len(token)-max(whole-wanted, 0)]
}

// Owns reports whether a token is the one that was issued to a third-party agent. It is false for native agents, which
// do not send their tokens.
func (k *Keyring) Owns(s *league.State, a *league.Agent, token string) bool {
	return !a.Native() && protocol.SameToken(token, k.Token(s, a))
}

// A join key makes its holder the agent with a certain name, from any port or machine. It has 130 bits, in an
// alphabet without characters that look alike.
var keyLetters = base32.NewEncoding("abcdefghijkmnpqrstuvwxyz23456789").WithPadding(base32.NoPadding)

// keyLength is how many letters a join key has.
const keyLength = 26

// JoinKey returns the key of an invitation.
func (k *Keyring) JoinKey(role protocol.Role, name string) string {
	mac := hmac.New(sha256.New, k.invites)
	mac.Write([]byte("join\n" + k.league + "\n" + string(role) + "\n" + name))
	return keyLetters.EncodeToString(mac.Sum(nil))[:keyLength]
}

// KeyedAddress returns the manager's address that contains an agent's join key.
func KeyedAddress(endpoint, key string) string {
	return strings.TrimSuffix(endpoint, "/mcp") + "/k/" + key + "/mcp"
}

// Invitation returns the invitation of a join key, or nil.
func (k *Keyring) Invitation(s *league.State, role protocol.Role, key string) *league.Invitation {
	if len(key) != keyLength {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	s.Invited(role, func(name string) {
		if b := (badge{role: role, id: name}); k.joining[b] == "" {
			key := k.JoinKey(role, name)
			k.joining[b], k.joins[key] = key, b
		}
	})
	if b, ok := k.joins[key]; ok && b.role == role {
		return s.Invitation(role, b.id)
	}
	return nil
}

// IsJoinKey reports whether a text has the form of a join key. Tokens of agents have another form.
func IsJoinKey(text string) bool {
	_, err := keyLetters.DecodeString(text)
	return len(text) == keyLength && err == nil
}

// DrawKey returns the key from which all random draws of a match are derived.
func (k *Keyring) DrawKey(s *league.State, match *league.Match) string {
	return hex.EncodeToString(s.DrawKey(k.draws, match, match.DrawName()))
}
