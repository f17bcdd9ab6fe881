package agentleague_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"agentleague/engine/sim"
	"agentleague/game"
	"agentleague/game/catalog"
	"agentleague/league/manager"
	"agentleague/player"
	"agentleague/protocol"
	"agentleague/referee"
	"agentleague/rpc"
	"agentleague/rpc/native"
	"agentleague/rpc/rpctest"
)

// A stranger is a third-party agent of which only the address is known: a plain HTTP server that answers each method
// with a given result.
type stranger struct {
	*httptest.Server
	mu      sync.Mutex
	answers map[string]string // method to result
	heard   map[string][]map[string]any
}

func newStranger(t *testing.T, answers map[string]string) *stranger {
	s := &stranger{answers: answers, heard: map[string][]map[string]any{}}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *stranger) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var req struct {
		Method string
		Params map[string]any
		ID     json.RawMessage
	}
	_ = json.Unmarshal(body, &req)
	s.mu.Lock()
	s.heard[req.Method] = append(s.heard[req.Method], req.Params)
	result, ok := s.answers[req.Method]
	s.mu.Unlock()
	if !ok {
		result = `{"status":"ok"}`
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, `{"jsonrpc":"2.0","result":`+result+`,"id":`+string(req.ID)+`}`)
}

func (s *stranger) got(method string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.heard[method]) > 0
}

func (s *stranger) endpoint() string { return s.URL + "/mcp" }

// serve serves a node on a free port.
func serve(t *testing.T, ctx context.Context, n *rpc.Node) string {
	t.Helper()
	server, err := rpc.Listen(0)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	ctx, stop := context.WithCancel(ctx)
	go func() { ended <- server.Serve(ctx, n) }()
	t.Cleanup(func() { stop(); <-ended })
	return server.URL()
}

func quote(s string) string { return `"` + s + `"` }

// TestManagerFromOutside calls every method, query and tool of a manager over
// HTTP, rightly and wrongly.
func TestManagerFromOutside(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	games := map[string]protocol.GameInfo{}
	for _, g := range catalog.All() {
		i := g.Info()
		games[i.Type] = protocol.GameInfo{
			DisplayName: i.Name, MoveTypes: i.MoveTypes, ValidChoices: i.ValidChoices, MinPlayers: i.MinSeats,
			MaxPlayers: i.MaxSeats,
		}
	}
	m, err := manager.Open(ctx, sim.New(1).Open(sim.Options{}), manager.Options{
		AdminToken: "tok_admin", Games: games, Window: -1, Endpoint: "http://localhost:1/mcp",
	})
	if err != nil {
		t.Fatal(err)
	}
	url := serve(t, ctx, m.Node)
	ref, one, two := newStranger(t, nil), newStranger(t, nil), newStranger(t, nil)
	names := map[string]string{"<REF>": ref.endpoint(), "<ONE>": one.endpoint(), "<TWO>": two.endpoint()}
	hold(t, url, "testdata/manager.txtar", names, func(what string) {
		switch what {
		case "match ordered":
			rpctest.Eventually(t, what, func() bool { return ref.got("start_match") })
		case "league over":
			rpctest.Eventually(t, what, func() bool { return one.got("notify_league_completed") && two.got("notify_league_completed") })
		}
	})
}

// TestRefereeFromOutside calls every method and tool of a referee over HTTP, rightly and wrongly.
func TestRefereeFromOutside(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	manager := newGrantor(t, ctx)
	playing := func(choice string) *stranger {
		return newStranger(t, map[string]string{
			"handle_game_invitation": `{"message_type":"GAME_JOIN_ACK","accept":true}`,
			"choose_parity":          `{"message_type":"CHOOSE_PARITY_RESPONSE","parity_choice":` + quote(choice) + `}`,
		})
	}
	one, two := playing("even"), playing("odd")
	r := referee.New(ctx, "Referee Alpha", catalog.Lookup, referee.Options{})
	t.Cleanup(func() { stop(); r.Wait() })
	url := serve(t, ctx, r.Node)
	if err := r.Register(ctx, manager.url, url); err != nil {
		t.Fatal(err)
	}
	names := map[string]string{
		"<LM>": manager.url, "<ONE>": one.endpoint(), "<TWO>": two.endpoint(),
		"<KEY>": strings.Repeat("00", 32), "<HERE>": url,
	}
	managersTokens(names, manager.token())
	hold(t, url, "testdata/referee.txtar", names, func(what string) {
		if what == "match reported" {
			rpctest.Eventually(t, what, manager.reported.Load)
			rpctest.Eventually(t, what, func() bool { return reported(r, ctx) })
		}
	})
}

// A grantor is a manager that agrees on a token with one native agent, P01 or REF01, and takes its reports.
type grantor struct {
	*rpc.Node
	url      string
	agreed   atomic.Pointer[protocol.Credential]
	reported atomic.Bool
}

func newGrantor(t *testing.T, ctx context.Context) *grantor {
	t.Helper()
	g := &grantor{Node: rpc.NewNode(protocol.Manager, rpc.Options{})}
	g.Handle(protocol.TypeLeagueRegisterRequest, func(ctx context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
		id, err := "P01", g.agree(ctx, protocol.RolePlayer, "P01", m.Head(), m.(*protocol.LeagueRegisterRequest).Meta)
		return &protocol.LeagueRegisterResponse{Admission: granted(protocol.TypeLeagueRegisterResponse), PlayerID: &id}, err
	})
	g.Handle(protocol.TypeRefereeRegisterRequest, func(ctx context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
		id, err := "REF01", g.agree(ctx, protocol.RoleReferee, "REF01", m.Head(), m.(*protocol.RefereeRegisterRequest).Meta)
		return &protocol.RefereeRegisterResponse{Admission: granted(protocol.TypeRefereeRegisterResponse), RefereeID: &id}, err
	})
	g.Handle(protocol.TypeMatchResultReport, func(_ context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
		by := g.agreed.Load()
		if !by.Requested(m) {
			return nil, protocol.Errorf(protocol.AuthTokenInvalid, "the report is not authenticated")
		}
		m.Head().AnswerWith(by)
		g.reported.Store(true)
		return &protocol.MatchResultAck{Envelope: protocol.Envelope{MessageType: protocol.TypeMatchResultAck},
			Status: protocol.Accepted}, nil
	})
	g.url = serve(t, ctx, g.Node)
	return g
}

// agree challenges the agent that registers, and has the answer to it authenticated.
func (g *grantor) agree(ctx context.Context, role protocol.Role, id string, h *protocol.Envelope, meta protocol.AgentMeta) error {
	answer, err := native.NewAgreement("L", []byte("secret"), g.url).Welcome(ctx, g.Node, native.Newcomer{
		Role: role, ID: id, Epoch: 1, Endpoint: meta.ContactEndpoint, PublicKey: meta.PublicKey,
		AgreementKey: meta.AgreementKey, Conversation: h.ConversationID,
	})
	if err == nil {
		g.agreed.Store(&answer.Credential)
		h.AnswerWith(&answer.Credential)
	}
	return err
}

func (g *grantor) token() string { return g.agreed.Load().Token }

func granted(t protocol.Type) protocol.Admission {
	league := "L"
	return protocol.Admission{Envelope: protocol.Envelope{MessageType: t}, Status: protocol.Accepted, LeagueID: &league, Native: true}
}

// managersTokens adds the manager's tokens for the agent with that token: <L:ROUND_COMPLETED:1> in the first round.
func managersTokens(names map[string]string, token string) {
	for _, s := range protocol.Specs() {
		for round := range protocol.Round(2) {
			names[fmt.Sprintf("<L:%s:%d>", s.Type, round)] = protocol.ManagerToken(token, "L", s.Type, round)
		}
	}
}

// reported asks the referee whether it has noted that its report arrived.
func reported(r *referee.Referee, ctx context.Context) bool {
	answer := r.Node.Answer(ctx, rpc.From{},
		[]byte(`{"jsonrpc":"2.0","method":"get_match_state","params":{"match_id":"R1M1"},"id":1}`))
	return bytes.Contains(answer, []byte(`"reported":true`))
}

// TestPlayerFromOutside calls every method and tool of a player over HTTP, rightly and wrongly.
func TestPlayerFromOutside(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	manager := newGrantor(t, ctx)
	first := player.StrategyFunc(func(_ context.Context, v game.View) (game.Move, error) { return v.Options[0], nil })
	a := player.New("Agent Alpha", first, player.Options{Nonce: "n"})
	url := serve(t, ctx, a.Node)
	if err := a.Register(ctx, manager.url, url); err != nil {
		t.Fatal(err)
	}
	names := map[string]string{
		"<M1>": protocol.MatchToken(manager.token(), "L", "R1M1", 1, "REF01"),
		"<M2>": protocol.MatchToken(manager.token(), "L", "R2M1", 1, "REF01"),
	}
	managersTokens(names, manager.token())
	hold(t, url, "testdata/player.txtar", names, nil)
}
