package player_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"
	"testing/synctest"

	"agentleague/player"
	"agentleague/protocol"
	"agentleague/rpc"
)

// nobodyIsWelcome is a manager that refuses everyone.
var nobodyIsWelcome = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	var req struct {
		ID json.RawMessage `json:"id"`
	}
	_ = json.NewDecoder(r.Body).Decode(&req)
	_, _ = io.WriteString(w, `{"jsonrpc":"2.0","result":{"message_type":"LEAGUE_REGISTER_RESPONSE","status":"REJECTED","reason":"the league is full"},"id":`+string(req.ID)+`}`)
})

const (
	token  = "tok_player_P01_x"
	home   = "http://localhost:8101/mcp"
	office = "http://localhost:8000/mcp"
)

// A table is a player with a manager and a referee that the test plays, in virtual time.
type table struct {
	t       *testing.T
	net     *rpc.Local
	agent   *player.Agent
	referee *rpc.Node
	manager *rpc.Node
	ctx     context.Context
	ours    bool // the manager's referees show tokens that the player can recompute
}

// atTable registers a player and runs f beside it.
func atTable(t *testing.T, s player.Strategy, o player.Options, ours bool, f func(w *table)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(context.Background())
		net := rpc.NewLocal(1, synctest.Wait, rpc.Faults{})
		lm, ref, p := net.Boot("LM", office), net.Boot("REF01", "http://localhost:8001/mcp"), net.Boot("P01", home)
		w := &table{t: t, net: net, ctx: ctx, ours: ours}
		w.manager = rpc.NewNode(protocol.Manager, rpc.Options{Network: lm})
		w.manager.Handle(protocol.TypeLeagueRegisterRequest, w.register)
		lm.Serve(w.manager)
		w.referee = rpc.NewNode("referee:REF01", rpc.Options{Network: ref})
		o.Network = p
		w.agent = player.New("Agent Alpha", s, o)
		p.Serve(w.agent.Node)
		finished := make(chan struct{})
		go func() {
			defer close(finished)
			defer stop()
			if err := w.agent.Register(p.Context(), office, home); err != nil {
				t.Errorf("register: %v", err)
				return
			}
			f(w)
		}()
		net.Drive(ctx)
		<-finished
	})
}

func (w *table) register(_ context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
	id, tok, league := "P01", token, "L"
	return &protocol.LeagueRegisterResponse{PlayerID: &id, Admission: protocol.Admission{
		Envelope: protocol.Envelope{MessageType: protocol.TypeLeagueRegisterResponse},
		Status:   protocol.Accepted, AuthToken: &tok, LeagueID: &league, MatchTokens: w.ours,
	}}, nil
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
		Envelope: protocol.Envelope{MessageType: protocol.TypeGameInvitation, MatchID: match, AuthToken: auth, LeagueID: "L", RoundID: 1},
		GameType: "even_odd", OpponentID: "P02", Attempt: attempt,
	})
	return err
}

func (w *table) choose(match string, attempt int, auth string) (string, error) {
	reply, err := w.from(w.referee, &protocol.ChooseParityCall{
		Envelope: protocol.Envelope{MessageType: protocol.TypeChooseParityCall, MatchID: match, AuthToken: auth}, PlayerID: "P01", Attempt: attempt,
	})
	if err != nil {
		return "", err
	}
	return string(reply.(*protocol.ChooseParityResponse).ParityChoice), nil
}

func (w *table) over(match string, attempt int, auth, result string, drawn int) error {
	_, err := w.from(w.referee, &protocol.GameOver{
		Envelope:   protocol.Envelope{MessageType: protocol.TypeGameOver, MatchID: match, AuthToken: auth, RoundID: 1},
		GameResult: protocol.GameResult{DrawnNumber: &drawn, Status: protocol.Win}, Result: result, DrawnNumber: &drawn, Attempt: attempt,
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
