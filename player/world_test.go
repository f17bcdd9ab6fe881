package player_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"agentleague/player"
	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/rpc/rpctest"
)

// nobodyIsWelcome is a manager that refuses everyone.
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
	token  = "tok_player_P01_x"
	seal   = "5ea1" // of the league
	home   = "http://localhost:8101/mcp"
	office = "http://localhost:8000/mcp"

	patience = time.Minute // of one who is not answered for good
)

// A table is a player with a manager and a referee that the test plays, in virtual time.
type table struct {
	t        *testing.T
	net      *rpctest.Network
	agent    *player.Agent
	referee  *rpc.Node
	manager  *rpc.Node
	stranger *rpc.Node
	ctx      context.Context
	ours     bool   // the manager's referees show tokens that the player can recompute
	native   bool   // the manager welcomes the player, and gives it no token in its answer
	silent   bool   // the manager gives no token at all
	reason   string // why the manager refuses everybody
	finished bool   // the league is over

	protests  chan *protocol.MatchProtest
	asked     []*protocol.LeagueRegisterRequest // the registrations so far
	beforeNow func()                            // runs between welcome and answer
}

// atTable registers a player and runs f beside it.
func atTable(t *testing.T, s player.Strategy, o player.Options, ours bool, f func(w *table)) {
	t.Helper()
	setTable(t, s, o, func(w *table) { w.ours = ours }, f)
}

// atNativeTable is atTable with a manager that welcomes the player.
func atNativeTable(t *testing.T, s player.Strategy, o player.Options, f func(w *table)) {
	t.Helper()
	setTable(t, s, o, func(w *table) { w.ours, w.native = true, true }, f)
}

// setTable is atTable with a manager that lay prepares.
func setTable(t *testing.T, s player.Strategy, o player.Options, lay, f func(w *table)) {
	t.Helper()
	layTable(t, s, o, lay, func(w *table, ctx context.Context) {
		if err := w.agent.Register(ctx, office, home); err != nil {
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
		w := &table{t: t, net: net, ctx: ctx, protests: make(chan *protocol.MatchProtest, 8)}
		lay(w)
		w.manager = rpc.NewNode(protocol.Manager, rpc.Options{Network: lm})
		w.manager.Handle(protocol.TypeLeagueRegisterRequest, w.register)
		w.manager.Handle(protocol.TypeMatchProtest, w.protested)
		lm.Serve(w.manager)
		w.referee = rpc.NewNode("referee:REF01", rpc.Options{Network: ref})
		w.stranger = rpc.NewNode("referee:REF01", rpc.Options{Network: net.Boot("X", "http://localhost:8666/mcp")})
		o.Network = p
		w.agent = player.New("Agent Alpha", s, o)
		p.Serve(w.agent.Node)
		finished := make(chan struct{})
		go func() {
			defer close(finished)
			defer stop()
			f(w, p.Context())
		}()
		net.Drive(ctx)
		<-finished
	})
}

func (w *table) register(ctx context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
	r := m.(*protocol.LeagueRegisterRequest)
	w.asked = append(w.asked, r)
	id, tok, league := "P01", token, "L"
	answer := &protocol.LeagueRegisterResponse{PlayerID: &id, Admission: protocol.Admission{
		Envelope: protocol.Envelope{MessageType: protocol.TypeLeagueRegisterResponse},
		Status:   protocol.Accepted, AuthToken: &tok, LeagueID: &league, Native: w.ours,
		LeagueOver: w.finished,
	}}
	if w.reason != "" {
		answer.Status, answer.Reason = protocol.Rejected, &w.reason
	}
	if w.silent {
		answer.AuthToken = nil
	}
	if w.native && r.AuthToken != token {
		if _, err := w.welcome(ctx, r); err != nil {
			return nil, err
		}
		answer.AuthToken, answer.Seal = nil, seal
	}
	if w.beforeNow != nil {
		w.beforeNow()
	}
	return answer, nil
}

// welcome calls the player that has asked for a place.
func (w *table) welcome(ctx context.Context, r *protocol.LeagueRegisterRequest) (*protocol.WelcomeAck, error) {
	m := &protocol.Welcome{
		Envelope: protocol.Envelope{MessageType: protocol.TypeWelcome, ConversationID: r.ConversationID, LeagueID: "L"},
		Manager:  office, Seal: seal, ID: "P01", Token: token,
	}
	reply, err := w.manager.Call(ctx, rpc.Peer{Endpoint: r.Meta.ContactEndpoint}, m)
	if err != nil {
		return nil, err
	}
	ack := reply.(*protocol.WelcomeAck)
	return ack, protocol.CheckSignature(r.Meta.PublicKey, m.Text(r.Meta.ContactEndpoint, ack.Nonce), ack.Signature)
}

func (w *table) protested(_ context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
	w.protests <- m.(*protocol.MatchProtest)
	return &protocol.Ack{
		Envelope: protocol.Envelope{MessageType: protocol.TypeMatchProtestAck, MatchID: m.Head().MatchID},
		Status:   protocol.Acknowledged,
	}, nil
}

// announce has the manager announce round 1.
func (w *table) announce(r *protocol.RoundAnnouncement) (protocol.Message, error) {
	return w.tell(protocol.TypeRoundAnnouncement, 1, r)
}

// tell has the manager say something with the token that shows whose manager it is.
func (w *table) tell(t protocol.Type, round protocol.Round, m protocol.Message) (protocol.Message, error) {
	h := m.Head()
	h.MessageType, h.RoundID, h.LeagueID, h.AuthToken = t, round, "L", protocol.ManagerToken(token, "L", t, round)
	return w.from(w.manager, m)
}

// identity is that of a player that has no place yet.
func identity(t *testing.T) rpc.Identity {
	t.Helper()
	return rpc.Identity{Key: ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, ed25519.SeedSize))}
}

// from sends a message of the referee's, or of the manager's if its type is one of theirs.
func (w *table) from(n *rpc.Node, m protocol.Message) (protocol.Message, error) {
	m.Head().ConversationID = "conv-1"
	return n.Call(w.ctx, rpc.Peer{Endpoint: home}, m)
}

func (w *table) matchToken(match string, attempt int) string {
	return protocol.MatchToken(token, "L", match, attempt, "REF01")
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
		GameResult: protocol.GameResult{DrawnNumber: protocol.Tell(drawn), Status: protocol.Win}, Result: result, DrawnNumber: protocol.Tell(drawn),
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
