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
	"testing"

	"agentleague/engine/sim"
	"agentleague/game"
	"agentleague/game/catalog"
	"agentleague/league/manager"
	"agentleague/player"
	"agentleague/protocol"
	"agentleague/referee"
	"agentleague/rpc"
	"agentleague/rpc/rpctest"
)

// A stranger is an agent that we know nothing of but its address: a plain HTTP
// server that answers each method with the result it was given for it.
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

// serve puts a node on a port of its own.
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
	manager := newStranger(t, map[string]string{
		"register_referee":    `{"message_type":"REFEREE_REGISTER_RESPONSE","status":"ACCEPTED","referee_id":"REF01","auth_token":"tok_ref","league_id":"L","reason":null,"match_tokens":true}`,
		"report_match_result": `{"message_type":"MATCH_RESULT_ACK","status":"ACCEPTED"}`,
	})
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
	if err := r.Register(ctx, manager.endpoint(), url); err != nil {
		t.Fatal(err)
	}
	names := map[string]string{
		"<LM>": manager.endpoint(), "<ONE>": one.endpoint(), "<TWO>": two.endpoint(),
		"<KEY>": strings.Repeat("00", 32), "<HERE>": url,
	}
	managersTokens(names, "tok_ref")
	hold(t, url, "testdata/referee.txtar", names, func(what string) {
		if what == "match reported" {
			rpctest.Eventually(t, what, func() bool { return manager.got("report_match_result") })
			rpctest.Eventually(t, what, func() bool { return reported(r, ctx) })
		}
	})
}

// managersTokens adds what the manager shows to the agent with that token: <L:ROUND_COMPLETED:1> in the first round.
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
	manager := newStranger(t, map[string]string{
		"register_player": `{"message_type":"LEAGUE_REGISTER_RESPONSE","status":"ACCEPTED","player_id":"P01","auth_token":"tok_p1","league_id":"L","reason":null,"match_tokens":true}`,
	})
	first := player.StrategyFunc(func(_ context.Context, v game.View) (game.Move, error) { return v.Options[0], nil })
	a := player.New("Agent Alpha", first, player.Options{Nonce: "n"})
	url := serve(t, ctx, a.Node)
	if err := a.Register(ctx, manager.endpoint(), url); err != nil {
		t.Fatal(err)
	}
	names := map[string]string{
		"<M1>": protocol.MatchToken("tok_p1", "L", "R1M1", 1, "REF01"),
		"<M2>": protocol.MatchToken("tok_p1", "L", "R2M1", 1, "REF01"),
	}
	managersTokens(names, "tok_p1")
	hold(t, url, "testdata/player.txtar", names, nil)
}
