package player_test

import (
	"bytes"
	"cmp"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"agentleague/player"
	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/rpc/native"
	"agentleague/rpc/rpctest"
)

// nobodyIsWelcome is a manager that refuses all registrations.
var nobodyIsWelcome = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	var req struct {
		ID json.RawMessage `json:"id"`
	}
	_ = json.NewDecoder(r.Body).Decode(&req)
	_, _ = io.WriteString(w,
		`{"jsonrpc":"2.0","result":{"message_type":"LEAGUE_REGISTER_RESPONSE","status":"REJECTED","reason":"the league is full"},"id":`+
			string(req.ID)+`}`)
})

const (
	ticket = "tok_player_P01_x" // of a third-party manager
	home   = "http://localhost:8101/mcp"
	office = "http://localhost:8000/mcp"

	patience = time.Minute // for a registration without an answer
)

// agreement is the manager's side of the key agreement, and seal that of its league.
var (
	agreement = native.NewAgreement("L", []byte("the secret of the league's tokens"), office)
	seal      = protocol.SHA256(agreement.Created)
)

// A table is a player with a manager and a referee that the test plays, in virtual time.
type table struct {
	t             *testing.T
	net           *rpctest.Network
	agent         *player.Agent
	referee       *rpc.Node
	manager       *rpc.Node
	unknownCaller *rpc.Node
	ctx           context.Context
	ours          bool   // the manager is native: it challenges the player, and its referees show tokens that the player can compute
	id            string // that the manager grants; "": P01
	epoch         int    // of the player's token; 0: the first
	silent        bool   // the manager gives no token at all, nor a challenge
	reason        string // the reason with which the manager refuses everything
	finished      bool   // the league is over
	token         string // T that was agreed on with the player, or its ticket

	agreed *protocol.Credential // of the newest challenge; nil: there was none

	protests  chan *protocol.MatchProtest
	asked     []*protocol.LeagueRegisterRequest                                 // the registrations so far
	beforeNow func()                                                            // runs between challenge and answer
	fake      func(r *protocol.LeagueRegisterRequest) (protocol.Message, error) // answers in the manager's place

	mu   sync.Mutex
	sent []string // the bodies that left the player: requests and answers
}

// A spy is a network that stores the messages that leave the player: its requests and its answers.
type spy struct {
	*rpctest.Process
	w    *table
	asks bool // it is the player's own
}

func (s *spy) Post(ctx context.Context, url, label string, body []byte) (int, []byte, error) {
	if s.asks {
		s.w.note(body)
	}
	status, answer, err := s.Process.Post(ctx, url, label, body)
	if !s.asks {
		s.w.note(answer)
	}
	return status, answer, err
}

func (w *table) note(body []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sent = append(w.sent, string(body))
}

// atTable registers a player and runs f beside it.
func atTable(t *testing.T, s player.Strategy, o player.Options, ours bool, f func(w *table)) {
	t.Helper()
	setTable(t, s, o, func(w *table) { w.ours = ours }, f)
}

// atNativeTable is atTable with a manager of ours.
func atNativeTable(t *testing.T, s player.Strategy, o player.Options, f func(w *table)) {
	t.Helper()
	atTable(t, s, o, true, f)
}

// setTable is atTable with a manager that lay prepares.
func setTable(t *testing.T, s player.Strategy, o player.Options, lay, f func(w *table)) {
	t.Helper()
	layTable(t, s, o, lay, func(w *table, ctx context.Context) {
		soon, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		if err := w.agent.Register(soon, office, home); err != nil {
			t.Errorf("register: %v", err)
			return
		}
		f(w)
	})
}

// layTable runs f beside a player that is not registered, with the context of its life.
func layTable(t *testing.T, s player.Strategy, o player.Options, lay func(w *table),
	f func(w *table, life context.Context)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(context.Background())
		net := rpctest.NewNetwork(1, synctest.Wait, rpctest.Faults{})
		lm, ref, p := net.Boot("LM", office), net.Boot("REF01", "http://localhost:8001/mcp"), net.Boot("P01", home)
		w := &table{t: t, net: net, ctx: ctx, protests: make(chan *protocol.MatchProtest, 8),
			token: ticket}
		lay(w)
		w.manager = rpc.NewNode(protocol.Manager, rpc.Options{Network: &spy{lm, w, false}})
		w.manager.Handle(protocol.TypeLeagueRegisterRequest, w.register)
		w.manager.Handle(protocol.TypeMatchProtest, w.protested)
		lm.Serve(w.manager)
		w.referee = rpc.NewNode("referee:REF01", rpc.Options{Network: &spy{ref, w, false}})
		w.unknownCaller = rpc.NewNode("referee:REF01", rpc.Options{Network: net.Boot("X", "http://localhost:8666/mcp")})
		o.Network = &spy{p, w, true}
		w.agent = player.New("Agent Alpha", s, o)
		p.Serve(w.agent.Node)
		finished := make(chan struct{})
		go func() {
			defer close(finished)
			defer stop()
			life, end := context.WithTimeout(p.Context(), time.Hour)
			defer end()
			f(w, life)
		}()
		net.Drive(ctx)
		<-finished
	})
}

func (w *table) register(ctx context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
	r := m.(*protocol.LeagueRegisterRequest)
	w.asked = append(w.asked, r)
	if w.fake != nil {
		return w.fake(r)
	}
	id, league := cmp.Or(w.id, "P01"), "L"
	answer := &protocol.LeagueRegisterResponse{PlayerID: &id, Admission: protocol.Admission{
		Envelope: protocol.Envelope{MessageType: protocol.TypeLeagueRegisterResponse},
		Status:   protocol.Accepted, AuthToken: &w.token, LeagueID: &league, Native: w.ours,
		LeagueOver: w.finished,
	}}
	if w.silent {
		answer.AuthToken = nil
	}
	if w.ours && !w.silent && r.Meta.AgreementKey != "" {
		agreed, err := agreement.Welcome(ctx, w.manager, w.newcomer(r))
		if err != nil {
			return nil, err
		}
		answer.AuthToken, w.agreed, w.token = nil, &agreed.Credential, agreed.Token
		r.AnswerWith(w.agreed)
	}
	if w.reason != "" {
		answer.Status, answer.Reason, answer.PlayerID = protocol.Rejected, &w.reason, nil
	}
	if w.beforeNow != nil {
		w.beforeNow()
	}
	return answer, nil
}

// newcomer is the manager's challenge for a player that registers.
func (w *table) newcomer(r *protocol.LeagueRegisterRequest) native.Newcomer {
	return native.Newcomer{
		Role: protocol.RolePlayer, ID: cmp.Or(w.id, "P01"), Epoch: max(w.epoch, 1), Endpoint: r.Meta.ContactEndpoint,
		PublicKey: r.Meta.PublicKey, AgreementKey: r.Meta.AgreementKey, Conversation: r.ConversationID,
	}
}

// authentic answers a request of the player that has a place, or refuses it.
func (w *table) authentic(m protocol.Message, answer protocol.Message) (protocol.Message, error) {
	if w.agreed == nil {
		return answer, nil
	}
	if !w.agreed.Requested(m) {
		w.t.Errorf("%s is not authenticated by the player: %s", m.Head().MessageType, m.Head().Source())
		return nil, protocol.Errorf(protocol.AuthTokenInvalid, "this is not authenticated by P01")
	}
	m.Head().AnswerWith(w.agreed)
	return answer, nil
}

func (w *table) protested(_ context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
	w.protests <- m.(*protocol.MatchProtest)
	return w.authentic(m, &protocol.Ack{
		Envelope: protocol.Envelope{MessageType: protocol.TypeMatchProtestAck, MatchID: m.Head().MatchID},
		Status:   protocol.Acknowledged,
	})
}

// announce has the manager announce round 1.
func (w *table) announce(r *protocol.RoundAnnouncement) (protocol.Message, error) {
	return w.tell(protocol.TypeRoundAnnouncement, 1, r)
}

// tell has the manager send a message with its token for the player.
func (w *table) tell(t protocol.Type, round protocol.Round, m protocol.Message) (protocol.Message, error) {
	h := m.Head()
	h.MessageType, h.RoundID, h.LeagueID, h.AuthToken = t, round, "L", protocol.ManagerToken(w.token, "L", t, round)
	return w.from(w.manager, m)
}

// identity is that of a player that has no place yet.
func identity(t *testing.T) native.Identity {
	t.Helper()
	return native.Identity{Key: ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, ed25519.SeedSize))}
}

// place is the membership of the player with the key of identity in this league.
func place() native.Membership {
	return native.Membership{Manager: office, LeagueID: "L", Seal: seal, ManagerKey: protocol.AgreementPublic(agreement.Key),
		ID: "P01", Epoch: 1}
}

// tokenOf is T of a place of that player.
func tokenOf(t *testing.T, p native.Membership) string {
	t.Helper()
	own := protocol.AgreementKey(identity(t).Key.Seed())
	token, err := protocol.Agreement{
		League: p.LeagueID, Seal: p.Seal, Role: protocol.RolePlayer, ID: p.ID, Epoch: p.Epoch, ManagerKey: p.ManagerKey,
		PublicKey: protocol.PublicKey(identity(t).Key), AgreementKey: protocol.AgreementPublic(own),
	}.Token(own, p.ManagerKey)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// from sends a message of the referee's, or of the manager's if its type is one of theirs.
func (w *table) from(n *rpc.Node, m protocol.Message) (protocol.Message, error) {
	m.Head().ConversationID = "conv-1"
	return n.Call(w.ctx, rpc.Peer{Endpoint: home}, m)
}

func (w *table) matchToken(match string, attempt int) string {
	return protocol.MatchToken(w.token, "L", match, attempt, "REF01")
}

func (w *table) invite(match string, attempt int, auth string) error {
	_, err := w.from(w.referee, &protocol.GameInvitation{
		Envelope: protocol.Envelope{
			MessageType: protocol.TypeGameInvitation, MatchID: match, AuthToken: auth, LeagueID: "L", RoundID: 1,
		},
		GameType: "even_odd", OpponentID: "P02", Attempt: attempt,
	})
	return err
}

func (w *table) choose(match string, attempt int, auth string) (string, error) {
	reply, err := w.from(w.referee, &protocol.ChooseParityCall{
		Envelope: protocol.Envelope{MessageType: protocol.TypeChooseParityCall, MatchID: match, AuthToken: auth},
		PlayerID: "P01", Attempt: attempt,
	})
	if err != nil {
		return "", err
	}
	return string(reply.(*protocol.ChooseParityResponse).ParityChoice), nil
}

func (w *table) over(match string, attempt int, auth, result string, drawn int) error {
	_, err := w.from(w.referee, &protocol.GameOver{
		Envelope:   protocol.Envelope{MessageType: protocol.TypeGameOver, MatchID: match, AuthToken: auth, RoundID: 1},
		GameResult: protocol.GameResult{DrawnNumber: protocol.Present(drawn), Status: protocol.Win}, Result: result, DrawnNumber: protocol.Present(drawn),
		Attempt:    attempt,
		OpponentID: "P02", YourChoice: json.RawMessage(`"even"`),
	})
	return err
}

// refused asserts that err is the player's own error of that name.
func refused(t *testing.T, err error, kind *protocol.Kind) {
	t.Helper()
	r, ok := err.(*protocol.Refusal)
	if !ok || r.Name != kind.Name {
		t.Errorf("got %v, want %s", fmt.Sprint(err), kind.Name)
	}
}
