package native

import (
	"context"
	"crypto/ecdh"
	"errors"

	"agentleague/protocol"
	"agentleague/rpc"
)

// Agreement is the manager's side of the key agreement with native agents.
type Agreement struct {
	LeagueID string
	Created  string           // line 1 of the league's log
	Upgraded bool             // line 1 has no manager_key: the challenge carries it
	Key      *ecdh.PrivateKey // of the manager
	Manager  string           // its address, as the applicant called it
}

// NewAgreement returns the agreement of a league that keeps no log, such as a match between two players.
func NewAgreement(league string, secret []byte, manager string) *Agreement {
	key := protocol.AgreementKey(secret)
	return &Agreement{LeagueID: league, Key: key, Manager: manager,
		Created: protocol.WriteCreated(league, protocol.AgreementPublic(key))}
}

// Newcomer is a native agent that is registering.
type Newcomer struct {
	Role         protocol.Role
	ID           string // that it is to be granted
	Epoch        int
	Endpoint     string
	PublicKey    string
	AgreementKey string
	Conversation string // of its registration
}

// Answered is a newcomer's verified answer to a challenge.
type Answered struct {
	protocol.Credential                    // the shared secret of the agent and the manager
	Signed              protocol.Challenge // the challenge that the agent signed
	Signature           string
	Organiser           string // see [protocol.OrganiserMark]
}

// ErrBadAnswer means that the answer to a challenge does not prove the registered keys: its signature or its
// confirmation is wrong, or its nonce is too long.
var ErrBadAnswer = errors.New("the signature is not of the key that was registered")

// ErrNotAccepted means that the agent refused a challenge or returned an unexpected message.
var ErrNotAccepted = errors.New("the agent has not asked this manager for a place")

// Welcome sends a challenge to a newcomer's endpoint and verifies that the newcomer has the keys it registers. The
// error is [ErrNotAccepted], [ErrBadAnswer], of kind InvalidMessage for an unusable agreement key, or that of the call.
func (a *Agreement) Welcome(ctx context.Context, n *rpc.Node, c Newcomer) (*Answered, error) {
	created, err := protocol.ReadCreated(a.Created)
	if err != nil {
		return nil, err
	}
	w := &protocol.Welcome{
		Envelope: protocol.Envelope{MessageType: protocol.TypeWelcome, ConversationID: c.Conversation, LeagueID: a.LeagueID},
		Manager:  a.Manager, Created: a.Created, ID: c.ID, Epoch: c.Epoch, Endpoint: c.Endpoint, Nonce: n.Nonce(16),
	}
	key := protocol.AgreementPublic(a.Key)
	if a.Upgraded {
		w.ManagerKey = key
	}
	token, err := protocol.Agreement{
		League: a.LeagueID, Seal: created.Seal, Role: c.Role, ID: c.ID, Epoch: c.Epoch, ManagerKey: key,
		PublicKey: c.PublicKey, AgreementKey: c.AgreementKey,
	}.Token(a.Key, c.AgreementKey)
	if err != nil {
		return nil, protocol.Errorf(protocol.InvalidMessage, "%v", err).With("field", "agreement_key")
	}
	reply, err := n.Call(ctx, rpc.Peer{Endpoint: c.Endpoint, Dialect: protocol.Canonical}, w)
	ack, ok := reply.(*protocol.WelcomeAck)
	if errors.As(err, new(*protocol.Refusal)) || err == nil && !ok {
		return nil, ErrNotAccepted
	}
	if err != nil {
		return nil, err
	}
	out := &Answered{
		Credential: protocol.Credential{Token: token, LeagueID: a.LeagueID, AgentID: c.ID},
		Signed: protocol.Challenge{
			Manager: w.Manager, Seal: created.Seal, ManagerKey: key, Role: c.Role, ID: c.ID, Epoch: c.Epoch,
			Endpoint: c.Endpoint, Nonce: w.Nonce, AgentNonce: ack.Nonce, AgreementKey: c.AgreementKey,
		},
		Signature: ack.Signature, Organiser: ack.Organiser,
	}
	text := out.Signed.Text()
	if len(ack.Nonce) > maxNonce || protocol.CheckSignature(c.PublicKey, text, ack.Signature) != nil ||
		!protocol.SameToken(ack.Confirm, protocol.Confirm(token, text)) {
		return nil, ErrBadAnswer
	}
	return out, nil
}

// maxNonce is the maximum size of an agent's nonce in bytes.
const maxNonce = 64
