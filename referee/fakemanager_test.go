package referee_test

import (
	"bytes"
	"context"
	"crypto/ed25519"

	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/rpc/native"
	"agentleague/rpc/rpctest"
)

// A fakeManager registers the referee and accepts its reports. Values that a test sets replace its answers.
type fakeManager struct {
	h        *harness
	node     *rpc.Node
	process  *rpctest.Process
	token    string // T that was agreed on with the referee
	epoch    int    // of that token
	agreed   *protocol.Credential
	forgets  func() error     // the refusal of the referee's reports; nil: they are accepted
	answered *native.Answered // the newest answer to a challenge
	admitted func(*protocol.RefereeRegisterRequest) (protocol.Message, error)
	reported func(*protocol.MatchResultReport) (protocol.Message, error)

	shown func(*protocol.MatchMovesReport) (protocol.Message, error) // of a manager that draws itself
}

// agreement is the manager's side of the key agreement.
var agreement = native.NewAgreement(leagueID, []byte("the secret of the league's tokens"), managerURL)

// sealOfLeague is the hash of line 1 of its log, and refereeToken the T of the referee with the key of identity.
var (
	sealOfLeague = protocol.SHA256(agreement.Created)
	refereeToken = tokenOf(place())
)

// identity is that of a referee that has no place yet.
func identity() native.Identity {
	return native.Identity{Key: ed25519.NewKeyFromSeed(bytes.Repeat([]byte{5}, ed25519.SeedSize))}
}

// place is that of the referee in the league of the manager.
func place() native.Membership {
	return native.Membership{Manager: managerURL, LeagueID: leagueID, Seal: sealOfLeague,
		ManagerKey: protocol.AgreementPublic(agreement.Key), ID: "REF01", Epoch: 1}
}

// tokenOf is T of a place of that referee.
func tokenOf(p native.Membership) string {
	own := protocol.AgreementKey(identity().Key.Seed())
	token, err := protocol.Agreement{
		League: p.LeagueID, Seal: p.Seal, Role: protocol.RoleReferee, ID: p.ID, Epoch: p.Epoch, ManagerKey: p.ManagerKey,
		PublicKey: protocol.PublicKey(identity().Key), AgreementKey: protocol.AgreementPublic(own),
	}.Token(own, p.ManagerKey)
	if err != nil {
		panic(err)
	}
	return token
}

// bootManager starts the manager, or starts it again.
func (h *harness) bootManager() {
	if h.manager == nil {
		h.manager = &fakeManager{h: h, token: refereeToken, epoch: 1}
	}
	m := h.manager
	m.process = h.boot("LM", managerURL)
	m.node = rpc.NewNode("league_manager", rpc.Options{Network: &spy{m.process, h}})
	m.node.Handle(protocol.TypeRefereeRegisterRequest,
		func(_ context.Context, _ rpc.From, msg protocol.Message) (protocol.Message, error) {
			h.note(&h.heard, "LM", msg)
			if admitted := scripted(h, &m.admitted); admitted != nil {
				return admitted(msg.(*protocol.RefereeRegisterRequest))
			}
			return m.admit(msg.(*protocol.RefereeRegisterRequest))
		})
	m.node.Handle(protocol.TypeMatchResultReport,
		func(_ context.Context, _ rpc.From, msg protocol.Message) (protocol.Message, error) {
			h.note(&h.heard, "LM", msg)
			if err := m.authentic(msg); err != nil {
				return nil, err
			}
			if reported := scripted(h, &m.reported); reported != nil {
				return reported(msg.(*protocol.MatchResultReport))
			}
			return m.counted(msg), nil
		})
	m.node.Handle(protocol.TypeMatchMovesReport,
		func(_ context.Context, _ rpc.From, msg protocol.Message) (protocol.Message, error) {
			h.note(&h.heard, "LM", msg)
			if err := m.authentic(msg); err != nil {
				return nil, err
			}
			if draw := scripted(h, &m.shown); draw != nil {
				return draw(msg.(*protocol.MatchMovesReport))
			}
			return m.draw(msg.(*protocol.MatchMovesReport))
		})
	m.process.Serve(m.node)
}

// set changes scripts that a concurrent player or manager may be reading.
func (h *harness) set(change func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	change()
}

// scripted reads a value that set may change.
func scripted[T any](h *harness, script *T) T {
	h.mu.Lock()
	defer h.mu.Unlock()
	return *script
}

// authentic checks that a report is the referee's, and has its answer authenticated.
func (m *fakeManager) authentic(msg protocol.Message) error {
	agreed := scripted(m.h, &m.agreed)
	if forgets := scripted(m.h, &m.forgets); forgets != nil {
		return forgets()
	}
	if agreed == nil {
		return nil // it is a third-party manager
	}
	if !agreed.Requested(msg) {
		return protocol.Errorf(protocol.AuthTokenInvalid, "this is not authenticated by REF01")
	}
	msg.Head().AnswerWith(agreed)
	return nil
}

// challenge has the referee answer a challenge at its endpoint.
func (m *fakeManager) challenge(r *protocol.RefereeRegisterRequest, edit func(*native.Newcomer)) (*native.Answered, error) {
	as := native.Newcomer{Role: protocol.RoleReferee, ID: "REF01", Epoch: m.epoch, Endpoint: r.Meta.ContactEndpoint,
		PublicKey: r.Meta.PublicKey, AgreementKey: r.Meta.AgreementKey, Conversation: r.ConversationID}
	if edit != nil {
		edit(&as)
	}
	return agreement.Welcome(m.process.Context(), m.node, as)
}

// admit grants the referee its place, as a manager of ours does.
func (m *fakeManager) admit(r *protocol.RefereeRegisterRequest) (protocol.Message, error) {
	answer, err := m.challenge(r, nil)
	if err != nil {
		return nil, err
	}
	m.agree(r, answer)
	return m.admission(), nil
}

// agree makes a challenge define the shared token of manager and referee, with which the answer to a registration is
// authenticated.
func (m *fakeManager) agree(r *protocol.RefereeRegisterRequest, answer *native.Answered) {
	m.h.set(func() { m.answered, m.agreed, m.token = answer, &answer.Credential, answer.Token })
	r.AnswerWith(&answer.Credential)
}

// ticket is the token that a third-party manager grants to the referee.
const ticket = "tok_referee_REF01_ticket"

// foreign is the admission of a third-party manager.
func (m *fakeManager) foreign() *protocol.RefereeRegisterResponse {
	m.h.set(func() { m.agreed, m.token = nil, ticket })
	a, token := m.admission(), ticket
	a.AuthToken, a.Native = &token, false
	return a
}

// rejection refuses the referee, authenticated by the shared token, if there is one.
func (m *fakeManager) rejection(r *protocol.RefereeRegisterRequest, why string) *protocol.RefereeRegisterResponse {
	a := m.admission()
	a.Status, a.RefereeID, a.Reason = protocol.Rejected, nil, &why
	r.AnswerWith(scripted(m.h, &m.agreed))
	return a
}

// admission returns the grant for the referee.
func (m *fakeManager) admission() *protocol.RefereeRegisterResponse {
	id, league := "REF01", leagueID
	return &protocol.RefereeRegisterResponse{
		Admission: protocol.Admission{
			Envelope: protocol.Envelope{MessageType: protocol.TypeRefereeRegisterResponse},
			Status:   protocol.Accepted, LeagueID: &league, Native: true,
		},
		RefereeID: &id,
	}
}

// counted acknowledges a report.
func (m *fakeManager) counted(msg protocol.Message) protocol.Message {
	h := msg.Head()
	return &protocol.MatchResultAck{
		Envelope: protocol.Envelope{
			MessageType: protocol.TypeMatchResultAck, LeagueID: h.LeagueID, MatchID: h.MatchID, RoundID: h.RoundID,
		},
		Status: protocol.Accepted,
	}
}

// call asks the referee with the token that only its manager can show.
func (m *fakeManager) call(msg protocol.Message) (protocol.Message, error) {
	to := rpc.Peer{
		Endpoint: refereeURL, Dialect: protocol.Canonical,
		Token: protocol.ManagerToken(m.token, leagueID, msg.Head().MessageType, msg.Head().RoundID),
	}
	return m.node.Call(m.process.Context(), to, msg)
}
