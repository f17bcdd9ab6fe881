package interop_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"agentleague/game/catalog"
	"agentleague/league/manager"
	"agentleague/player"
	"agentleague/protocol"
	"agentleague/referee"
	"agentleague/rpc"
)

// The tolerances for foreign agents are listed in docs/guide/security.md; each ends with --strict. The one for
// callbacks is tested in rpc.

func strictly(strict bool) manager.Options {
	return manager.Options{Options: rpc.Options{Strict: strict}, StartPlayers: 2, StartReferees: 1}
}

// wants compares an answer with its expected content.
func wants(t *testing.T, what, got, want string) {
	t.Helper()
	if !strings.Contains(got, want) {
		t.Errorf("%s: got %s, want %s", what, got, want)
	}
}

func TestStrangerMayNameALeagueOfItsOwnUnlessStrictly(t *testing.T) {
	t.Parallel()
	for strict, want := range map[bool]string{false: `"status":"ACCEPTED"`, true: `"error_code":"E026"`} {
		h := newTestLeague(t, strictly(strict), 0)
		for i, role := range []string{"player", "referee"} {
			method := "register_" + role
			messageType := []string{"LEAGUE_REGISTER_REQUEST", "REFEREE_REGISTER_REQUEST"}[i]
			meta := fmt.Sprintf(`"league_id":"a_league_of_its_own","%s_meta":{"display_name":"Stranger","version":"1.0.0","game_types":["even_odd"],"contact_endpoint":"http://localhost:9/mcp","max_concurrent_matches":1}`,
				role)
			wants(t, fmt.Sprintf("a %s, strict %v", role, strict),
				h.post(method, envelope(messageType, role+":stranger", meta)), want)
		}
		ours := `"league_id":"another","player_meta":{"display_name":"Ours","version":"1.0.0","game_types":["even_odd"],"contact_endpoint":"http://localhost:9/mcp","match_tokens":true}`
		wants(t, "one of ours", h.post("register_player", envelope("LEAGUE_REGISTER_REQUEST", "player:ours", ours)),
			`"error_code":"E026"`)
	}
}

// A stranger that is a referee may name its league in a report too.
func TestRefereeWithoutATokenIsBelievedUnlessStrictly(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		strict             bool
		tokenless, foreign string // the outcome of a report without a token, and of one that names another league
	}{{false, "MATCH_RESULT_ACK", "MATCH_RESULT_ACK"}, {true, `"error_code":"E011"`, `"error_code":"E026"`}} {
		h := newTestLeague(t, strictly(c.strict), 0)
		endpoint, ordered := stub(t)
		token := h.enrol(endpoint)
		h.seatOurs("Alpha")
		h.seatOurs("Beta")
		match := ordered()
		report := func(more string) string {
			return envelope("MATCH_RESULT_REPORT", "referee:REF01",
				more+`"round_id":1,"match_id":"`+match+
					`","game_type":"even_odd","result":{"winner":"P01","score":{"P01":3,"P02":0},"details":{}}`)
		}
		wants(t, fmt.Sprintf("without a token, strict %v", c.strict), h.post("report_match_result", report("")), c.tokenless)
		wants(t, fmt.Sprintf("of another league, strict %v", c.strict),
			h.post("report_match_result", report(`"auth_token":"`+token+`","league_id":"its_own",`)), c.foreign)
	}
}

func TestAgentsAskForTheIDOfTheirPortUnlessStrictly(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		strict          bool
		referee, player string
	}{{false, "referee:REF03", "player:P07"}, {true, "referee:referee-gamma", "player:agent-gamma"}} {
		senders := make(chan string, 2)
		manager := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var call struct {
				Params protocol.Envelope
			}
			body, _ := io.ReadAll(r.Body)
			_ = json.Unmarshal(body, &call)
			senders <- call.Params.Sender
			_, _ = fmt.Fprint(w, `{"jsonrpc":"2.0","id":1,"result":{"message_type":"`+
				strings.Replace(string(call.Params.MessageType), "REQUEST", "RESPONSE", 1)+
				`","status":"ACCEPTED","player_id":"P01","referee_id":"REF01","auth_token":"tok","league_id":"l"}}`)
		}))
		t.Cleanup(manager.Close)
		o := rpc.Options{Strict: c.strict}
		r := referee.New(t.Context(), "Referee Gamma", catalog.Lookup, referee.Options{Options: o})
		if err := r.Register(t.Context(), manager.URL+"/mcp", "http://localhost:8003/mcp"); err != nil {
			t.Fatal(err)
		}
		if got := <-senders; got != c.referee {
			t.Errorf("strict %v: a referee at 8003 registers as %s, want %s", c.strict, got, c.referee)
		}
		a := player.New("Agent Gamma", player.Random(nil), player.Options{Options: o})
		if err := a.Register(t.Context(), manager.URL+"/mcp", "http://localhost:8107/mcp"); err != nil {
			t.Fatal(err)
		}
		if got := <-senders; got != c.player {
			t.Errorf("strict %v: a player at 8107 registers as %s, want %s", c.strict, got, c.player)
		}
	}
}
