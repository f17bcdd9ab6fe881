package interop_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"agentleague/interop/foreign"
	"agentleague/league"
	"agentleague/league/manager"
)

// A samplePlayer behaves as the example player of the published documents: it has the three required methods and
// answers with bare objects. Its web framework refuses a body that is not a JSON-RPC request with an integer id.
type samplePlayer struct {
	*httptest.Server
	mu    sync.Mutex
	calls []sampleCall
}

// A sampleCall is one request to a sample player.
type sampleCall struct {
	kind  foreign.Kind
	round int
	body  string
}

func newSamplePlayer(t *testing.T) *samplePlayer {
	p := &samplePlayer{}
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	return p
}

func (p *samplePlayer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	status, reply := p.answer(r, body)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(reply)
}

// answer records a request and returns the response to it.
func (p *samplePlayer) answer(r *http.Request, body []byte) (status int, reply any) {
	if r.URL.Path != "/mcp" {
		return http.StatusNotFound, map[string]string{"detail": "Not Found"}
	}
	if r.Method != http.MethodPost {
		return http.StatusMethodNotAllowed, map[string]string{"detail": "Method Not Allowed"}
	}
	var request struct {
		Method *string
		Params map[string]any
		ID     int
	}
	err := json.Unmarshal(body, &request)
	var round struct {
		Params struct {
			Round int `json:"round_id"`
		}
	}
	_ = json.Unmarshal(body, &round)
	p.mu.Lock()
	p.calls = append(p.calls, sampleCall{foreign.KindOf(body), round.Params.Round, string(body)})
	p.mu.Unlock()
	if err != nil || request.Method == nil {
		return http.StatusUnprocessableEntity, map[string]any{"detail": []map[string]any{
			{"type": "missing", "loc": []string{"body", "method"}, "msg": "Field required"},
		}}
	}
	switch *request.Method {
	case "handle_game_invitation":
		return http.StatusOK, map[string]any{"message_type": "GAME_JOIN_ACK", "match_id": request.Params["match_id"],
			"arrival_timestamp": "2026-11-15T10:00:00.123456", "accept": true}
	case "choose_parity":
		return http.StatusOK, map[string]any{"message_type": "CHOOSE_PARITY_RESPONSE",
			"match_id": request.Params["match_id"], "player_id": request.Params["player_id"], "parity_choice": "even"}
	case "notify_match_result":
		return http.StatusOK, map[string]any{"status": "ok"}
	}
	return http.StatusOK, map[string]any{"error": "Unknown method"}
}

// heard returns the bodies of the calls of a kind.
func (p *samplePlayer) heard(kind foreign.Kind) (calls []sampleCall) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.calls {
		if c.kind == kind {
			calls = append(calls, c)
		}
	}
	return calls
}

// TestDocumentsSamplePlayerIsNotFloodedWithNews plays a league with the example player of the documents, which has no
// method for news: they are offered in few forms, and nothing is lost by that.
func TestDocumentsSamplePlayerIsNotFloodedWithNews(t *testing.T) {
	t.Parallel()
	h := newTestLeague(t, manager.Options{StartPlayers: 4, StartReferees: 1, Cycles: 2}, 1)
	p := newSamplePlayer(t)
	h.t.Cleanup(h.close)
	h.post("register_player", envelope("LEAGUE_REGISTER_REQUEST", "player:sample", fmt.Sprintf(
		`"player_meta":{"display_name":"Sample","version":"1.0.0","game_types":["even_odd"],"contact_endpoint":"%s/mcp"}`,
		p.URL)))
	for _, name := range []string{"Alpha", "Beta", "Gamma"} {
		h.seatOurs(name)
	}
	over := func(s *league.State) bool { return completed(s) && s.Announced[league.Announced{What: "league"}] }
	if !h.await("the league is over and announced", over) {
		return
	}
	for _, line := range h.forfeits() {
		t.Error(line)
	}
	if got := len(p.heard(foreign.Result)); got != 6 {
		t.Errorf("%d results arrived, want 6", got)
	}
	for kind, most := range map[foreign.Kind]int{
		foreign.Round: 2, foreign.Standings: 2, foreign.RoundCompleted: 2, foreign.LeagueCompleted: 2,
	} {
		if calls := p.heard(kind); len(calls) == 0 || len(calls) > most {
			t.Errorf("%s arrived %d times in 6 rounds, want 1 to %d", kind, len(calls), most)
		}
	}
	var rounds []int
	for _, c := range p.heard(foreign.Round) {
		rounds = append(rounds, c.round)
	}
	if slices.Max(append(rounds, 0)) > 1 {
		t.Errorf("the announcements that arrived were of the rounds %v, want only the first", rounds)
	}
}
