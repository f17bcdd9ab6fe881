package interop_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"agentleague/league"
	"agentleague/league/manager"
)

// A nodder is an agent that returns the same answer to any request, whatever its method and form. It processes every
// message, in whatever form.
type nodder struct {
	*httptest.Server
	name      string
	nod       string // its answer, as the result of JSON-RPC
	callsBack bool   // it sends its answers to questions by callback

	mu      sync.Mutex
	heard   map[string]int // messages by type, match and round
	asked   int            // calls that hold no message, without pings
	referee string
	calling sync.WaitGroup
	failed  []string
}

func newNodder(t *testing.T, name, nod string, callsBack bool) *nodder {
	n := &nodder{name: name, nod: nod, callsBack: callsBack, heard: map[string]int{}}
	n.Server = httptest.NewServer(n)
	t.Cleanup(func() {
		n.Close()
		n.calling.Wait()
	})
	return n
}

// register sends a registration in canonical form.
func (n *nodder) register(t *testing.T, manager string) {
	t.Helper()
	answer := n.call(manager, "register_player", map[string]any{
		"protocol": "league.v2", "message_type": "LEAGUE_REGISTER_REQUEST", "sender": "player:" + n.name,
		"player_meta": map[string]any{
			"display_name": n.name, "version": "1.0.0", "game_types": []string{"even_odd"}, "contact_endpoint": n.URL + "/mcp",
		},
	})
	if !strings.Contains(answer, "ACCEPTED") {
		t.Fatalf("%s registers: %s", n.name, answer)
	}
}

// call sends a request of the nodder's own.
func (n *nodder) call(to, method string, params map[string]any) string {
	body, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "method": method, "params": params, "id": 1})
	resp, err := http.Post(to, "application/json", bytes.NewReader(body))
	if err != nil {
		return err.Error()
	}
	defer resp.Body.Close()
	answer, _ := io.ReadAll(resp.Body)
	return string(answer)
}

// ServeHTTP stores the request and acknowledges it.
func (n *nodder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var top map[string]any
	_ = json.Unmarshal(body, &top)
	if r.Method == http.MethodPost && !strings.Contains(string(body), `"PING"`) {
		n.take(messageIn(top))
	}
	fmt.Fprintf(w, `{"jsonrpc":"2.0","result":%s,"id":1}`, n.nod)
}

// take takes down a message, and answers a question by a call if that is the nodder's way.
func (n *nodder) take(m map[string]any) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if m == nil {
		n.asked++
		return
	}
	n.heard[fmt.Sprintf("%v %v %v", m["message_type"], m["match_id"], m["round_id"])]++
	matches, _ := m["matches"].([]any)
	for _, match := range matches {
		if at, _ := match.(map[string]any)["referee_endpoint"].(string); at != "" {
			n.referee = at
		}
	}
	reply := map[string]any{"GAME_INVITATION": "GAME_JOIN_ACK", "CHOOSE_PARITY_CALL": "CHOOSE_PARITY_RESPONSE"}[fmt.Sprint(
		m["message_type"])]
	if !n.callsBack || reply == nil {
		return
	}
	to, answer := n.referee, map[string]any{
		"protocol": "league.v2", "message_type": reply, "sender": "player:" + n.name, "match_id": m["match_id"],
		"conversation_id": m["conversation_id"], "accept": true, "parity_choice": "odd", "auth_token": m["auth_token"],
	}
	n.calling.Go(func() {
		if said := n.call(to, fmt.Sprint(reply), answer); strings.Contains(said, `"error"`) && reply != "GAME_JOIN_ACK" {
			n.mu.Lock()
			defer n.mu.Unlock()
			n.failed = append(n.failed, fmt.Sprintf("%v: %s", reply, said))
		}
	})
}

// messageIn finds a message of the league anywhere in a request: it has a type and a conversation.
func messageIn(v map[string]any) map[string]any {
	if v["message_type"] != nil && v["conversation_id"] != nil {
		return v
	}
	for _, inner := range v {
		if m, ok := inner.(map[string]any); ok {
			if found := messageIn(m); found != nil {
				return found
			}
		}
	}
	return nil
}

// TestWhoNodsAtEverythingHearsEachMessageOnce plays a whole league with two agents that acknowledge everything: one has
// all answers in its acknowledgement, the other sends its answers by callback. The messages to each of them are
// counted.
func TestWhoNodsAtEverythingHearsEachMessageOnce(t *testing.T) {
	t.Parallel()
	h := newTestLeague(t, manager.Options{StartPlayers: 4, StartReferees: 1, MaxForfeits: -1}, 1)
	h.seatOurs("Alpha")
	h.seatOurs("Beta")
	nodders := []*nodder{
		newNodder(t, "Yes", `{"status":"ok","accept":true,"parity_choice":"even"}`, false),
		newNodder(t, "Later", `{"status":"ok"}`, true),
	}
	for _, n := range nodders {
		n.register(t, h.url)
	}
	h.await("the league is over and told", func(s *league.State) bool {
		return completed(s) && s.Announced[league.Announced{What: "standings", Round: 3}] &&
			s.Announced[league.Announced{What: "completed", Round: 3}]
	})
	h.close()
	for _, line := range h.forfeits() {
		t.Error(line)
	}
	for _, n := range nodders {
		n.complain(t)
	}
}

// complain reports the messages that a nodder did not receive exactly once, in a league of three rounds.
func (n *nodder) complain(t *testing.T) {
	t.Helper()
	n.calling.Wait()
	n.mu.Lock()
	defer n.mu.Unlock()
	types := map[string]int{}
	for what, times := range n.heard {
		if times != 1 {
			t.Errorf("%s heard %s %d times, want once", n.name, what, times)
		}
		types[strings.Fields(what)[0]]++
	}
	for _, typ := range []string{
		"ROUND_ANNOUNCEMENT", "GAME_INVITATION", "CHOOSE_PARITY_CALL", "GAME_OVER", "LEAGUE_STANDINGS_UPDATE",
		"ROUND_COMPLETED",
	} {
		if types[typ] != 3 {
			t.Errorf("%s heard %d of %s, want 3", n.name, types[typ], typ)
		}
	}
	const most = 8 // one unknown method, and the names for the end of a match
	if n.asked > most {
		t.Errorf("%s was called %d times without a message, want at most %d", n.name, n.asked, most)
	}
	t.Logf("%s heard %d messages, and %d calls without one", n.name, len(n.heard), n.asked)
	for _, what := range n.failed {
		t.Errorf("%s: an answer by call was not taken: %s", n.name, what)
	}
}
