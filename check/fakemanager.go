package check

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/rpc/native"
)

// A fakeManager is the manager that the checker plays: the agent under test registers with it, and a referee reports to
// it.
type fakeManager struct {
	*fakeAgent
	node *rpc.Node // calls the agents that register
	url  string
	key  []byte
	came chan struct{} // holds one value after a registration

	mu          sync.Mutex
	applied     *message // the newest registration
	unreachable error    // why nothing answered at its endpoint at that moment
	meta        protocol.AgentMeta
	id          string               // granted; "": no registration
	token       string               // the agent's T, or its ticket
	agreed      *protocol.Credential // with a native agent; nil: it is third-party
	reports     []message
	doubted     [][]byte // callbacks whose sender cannot be identified
	busy        int      // number of reports to answer as if the manager were restarting
	closed      int      // the port at which it could not listen for callbacks; 0: none
}

// newFakeManager returns a manager that calls agents through n. It passes every message that it receives to received.
func newFakeManager(n *rpc.Node, received func(message)) *fakeManager {
	f := &fakeManager{node: n, key: make([]byte, 32), came: make(chan struct{}, 1)}
	n.Network.Random(f.key)
	f.fakeAgent = &fakeAgent{received: received, who: protocol.Manager, handlers: map[protocol.Type]handler{
		protocol.TypeLeagueRegisterRequest:  f.admitPlayer,
		protocol.TypeRefereeRegisterRequest: f.admitReferee,
		protocol.TypeMatchResultReport:      f.report,
		protocol.TypePing:                   pong,
	}}
	f.other = func(ctx context.Context, addr string, body []byte) []byte { // answers that come by a call
		answer := n.Answer(ctx, rpc.From{Addr: addr}, body)
		f.doubt(body, answer)
		return answer
	}
	return f
}

// doubt records a callback that was answered with AUTH_TOKEN_INVALID; [fakeManager.disbelieved] finds it.
func (f *fakeManager) doubt(body, answer []byte) {
	var no wireError
	if json.Unmarshal(parseAnswer(answer)["error"], &no) != nil || no.Name != protocol.AuthTokenInvalid.Name {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.doubted = append(f.doubted, body)
}

// disbelieved returns the reason why a callback of type t for a match was rejected; "" if there was none.
func (f *fakeManager) disbelieved(match string, t protocol.Type) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, body := range f.doubted {
		if bytes.Contains(body, []byte(`"`+match+`"`)) && bytes.Contains(body, []byte(t)) {
			return string(t) + " came by a call of its own that has neither the conversation_id of the question nor the " +
				"auth_token nor the player_id in it"
		}
	}
	return ""
}

// listenBeside opens more ports until the check ends: some players call their referee at a fixed port and ignore the
// address that they receive. It passes the function that closes each port to atEnd.
func (f *fakeManager) listenBeside(ctx context.Context, o Options, atEnd func(stop func())) {
	listens := func(port int) bool {
		_, stop, err := f.listen(ctx, port)
		if err == nil {
			atEnd(stop)
		}
		return err == nil
	}
	if o.Port != 0 {
		listens(o.Port + 1)
	}
	if c := o.Callbacks; c != 0 && (o.Port == 0 || c != o.Port && c != o.Port+1) && !listens(c) {
		f.closed = c
	}
}

// unheard adds to a timeout that the answer may have gone to the callback port that the checker could not open.
func (f *fakeManager) unheard(err error) error {
	if f.closed == 0 || !protocol.Is(err, protocol.Timeout) {
		return err
	}
	return fmt.Errorf("%w; if it calls its referee at port %d, end what uses that port here and check again", err, f.closed)
}

// pong answers a ping from any sender.
func pong(context.Context, message) (protocol.Message, error) {
	return &protocol.Pong{Envelope: protocol.Envelope{MessageType: protocol.TypePong}, Status: "ok",
		Agent: protocol.Manager}, nil
}

// admitPlayer answers a player's registration, and grants the requested id if it is valid.
func (f *fakeManager) admitPlayer(ctx context.Context, m message) (protocol.Message, error) {
	a, id := f.admit(ctx, protocol.RolePlayer, m, m.Message.(*protocol.LeagueRegisterRequest).Meta)
	a.MessageType = protocol.TypeLeagueRegisterResponse
	return &protocol.LeagueRegisterResponse{Admission: a, PlayerID: &id}, nil
}

// admitReferee does the same for a referee.
func (f *fakeManager) admitReferee(ctx context.Context, m message) (protocol.Message, error) {
	a, id := f.admit(ctx, protocol.RoleReferee, m, m.Message.(*protocol.RefereeRegisterRequest).Meta)
	a.MessageType = protocol.TypeRefereeRegisterResponse
	return &protocol.RefereeRegisterResponse{Admission: a, RefereeID: &id}, nil
}

// admit accepts any agent. It returns the answer and the granted id: the requested one if that is valid, or else the
// first of the role.
func (f *fakeManager) admit(ctx context.Context, role protocol.Role, m message,
	meta protocol.AgentMeta) (protocol.Admission, string) {
	unreachable := f.look(ctx, meta.ContactEndpoint)
	_, id := protocol.ParseSender(m.Head().Sender)
	if !protocol.ValidID(role, id) {
		id = protocol.AgentID(role, 1)
	}
	agreed := f.agree(ctx, role, id, m, meta)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.applied, f.meta, f.id, f.unreachable, f.agreed = &m, meta, id, unreachable, agreed
	f.token = protocol.Ticket(f.key, league, protocol.Sender(role, id), 1)
	select {
	case f.came <- struct{}{}:
	default:
	}
	token, here := f.token, league
	out := protocol.Admission{Status: protocol.Accepted, AuthToken: &token, LeagueID: &here, Native: true}
	if agreed != nil {
		f.token, out.AuthToken = agreed.Token, nil
		m.Head().AnswerWith(agreed)
	}
	return out, id
}

// agree authenticates a native agent by a challenge, as a manager does. It returns nil if the agent is not native or
// does not answer.
func (f *fakeManager) agree(
	ctx context.Context, role protocol.Role, id string, m message, meta protocol.AgentMeta,
) *protocol.Credential {
	if meta.AgreementKey == "" {
		return nil
	}
	answer, err := native.NewAgreement(league, f.key, f.url).Welcome(ctx, f.node, native.Newcomer{
		Role: role, ID: id, Epoch: 1, Endpoint: meta.ContactEndpoint, PublicKey: meta.PublicKey,
		AgreementKey: meta.AgreementKey, Conversation: m.Head().ConversationID,
	})
	if err != nil {
		return nil
	}
	return &answer.Credential
}

// look returns an error if no server listens at the endpoint of an agent.
func (f *fakeManager) look(ctx context.Context, endpoint string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	return f.node.Alive(ctx, endpoint)
}

// await waits up to limit for the registration of an agent. It returns the agent's endpoint, dialect and role.
func (f *fakeManager) await(ctx context.Context, limit time.Duration) (peer rpc.Peer, role protocol.Role, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, limit,
		fmt.Errorf("no agent registered with %s within %s; start it with that address as its manager", f.url, limit))
	defer cancel()
	select {
	case <-f.came:
	case <-ctx.Done():
		return rpc.Peer{}, "", context.Cause(ctx)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	role = protocol.RolePlayer
	if _, referee := f.applied.Message.(*protocol.RefereeRegisterRequest); referee {
		role = protocol.RoleReferee
	}
	return rpc.Peer{Endpoint: f.meta.ContactEndpoint, Dialect: f.applied.dialect}, role, nil
}

// registered reports whether the agent is in the checker's league.
func (f *fakeManager) registered() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.id != ""
}

// report acknowledges a result, or answers 503 if a step asked it to simulate a restart.
func (f *fakeManager) report(_ context.Context, m message) (protocol.Message, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.reports = append(f.reports, m)
	if f.agreed != nil {
		m.Head().AnswerWith(f.agreed)
	}
	if f.busy > 0 {
		f.busy--
		return nil, nil
	}
	h := m.Head()
	return &protocol.MatchResultAck{
		Envelope: protocol.Envelope{MessageType: protocol.TypeMatchResultAck, LeagueID: league, RoundID: h.RoundID,
			MatchID: h.MatchID},
		Status: protocol.Accepted,
	}, nil
}

// reported returns the reports of a match.
func (f *fakeManager) reported(match string) (out []message) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, m := range f.reports {
		if m.Head().MatchID == match {
			out = append(out, m)
		}
	}
	return out
}

// tokenFor returns the token that the manager puts into a message of type t to the agent, registered or not.
func (f *fakeManager) tokenFor(t protocol.Type, round protocol.Round) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.id == "" {
		return "tok_manager_check"
	}
	return protocol.ManagerToken(f.token, league, t, round)
}

// matchToken returns the token that the referee of a match presents to the player under test.
func (f *fakeManager) matchToken(match string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return protocol.MatchToken(f.token, league, match, 1, refereeID)
}

// authentic reports whether the agent under test sent a message: it carries the agent's token, or was authenticated by
// native means.
func (f *fakeManager) authentic(m message) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.agreed != nil {
		return f.agreed.Requested(m.Message)
	}
	return m.Head().AuthToken == f.token
}

// granted returns the id of the registered agent; "" if no agent has registered.
func (f *fakeManager) granted() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.id
}

// application returns the agent's registration and its metadata. unreachable is the error of a call of the agent's
// endpoint at that time.
func (f *fakeManager) application() (applied *message, meta protocol.AgentMeta, unreachable error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.applied, f.meta, f.unreachable
}
