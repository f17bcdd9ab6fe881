package interop_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"agentleague/league"
)

// TestWhoKeepsNoTokenIsBelievedByItsAddress lets a referee of another make
// report without a token while it has shown none, and no other way.
func TestWhoKeepsNoTokenIsBelievedByItsAddress(t *testing.T) {
	t.Parallel()
	h := newHall(t, league.Options{StartPlayers: 2, StartReferees: 1}, 0)
	ordered := make(chan string, 64)
	referee := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var call struct {
			Method string `json:"method"`
			Params struct {
				MatchID string `json:"match_id"`
			} `json:"params"`
		}
		_ = json.NewDecoder(r.Body).Decode(&call)
		if call.Method == "start_match" {
			ordered <- call.Params.MatchID
		}
		_, _ = fmt.Fprint(w, `{"jsonrpc":"2.0","result":{"status":"ACCEPTED"},"id":1}`)
	}))
	t.Cleanup(referee.Close)
	send := func(method, params string) string {
		t.Helper()
		resp, err := http.Post(h.url, "application/json", strings.NewReader(`{"jsonrpc":"2.0","method":"`+method+`","params":`+params+`,"id":1}`))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		var body bytes.Buffer
		_, _ = body.ReadFrom(resp.Body)
		return body.String()
	}
	granted := send("register_referee", `{"sender":"referee:REF01","referee_meta":{"display_name":"Stranger","contact_endpoint":"`+referee.URL+`/mcp"}}`)
	var admission struct {
		Result struct {
			Token string `json:"auth_token"`
		} `json:"result"`
	}
	if err := json.Unmarshal([]byte(granted), &admission); err != nil || admission.Result.Token == "" {
		t.Fatalf("got %s", granted)
	}
	directory := `{"sender":"referee:REF01","query_type":"GET_PLAYER_DIRECTORY"}`
	if got := send("league_query", directory); !strings.Contains(got, "E011") {
		t.Errorf("before it has a match: got %s, want E011", got)
	}
	h.seatOurs("Alpha")
	h.seatOurs("Beta")
	var match string
	select {
	case match = <-ordered:
	case <-time.After(20 * time.Second):
		t.Fatal("no match was ordered")
	}
	report := func(sender, token, winner string) string {
		return `{"sender":"` + sender + `","auth_token":"` + token + `","match_id":"` + match + `","result":{"winner":"` + winner + `"}}`
	}
	for name, c := range map[string][2]string{
		"another referee":  {report("referee:REF77", "", "P01"), "E01"},
		"a player":         {report("player:P01", "", "P01"), "E011"},
		"a player's token": {report("referee:REF01", "tok_player_P01_abc", "P01"), "E012"},
		"a referee's":      {report("referee:REF01", "tok_referee_REF01_abc", "P01"), "E012"},
	} {
		if got := send("report_match_result", c[0]); !strings.Contains(got, `"error_code":"`+c[1]) {
			t.Errorf("%s: got %s, want %s", name, got, c[1])
		}
	}
	if got := send("league_query", directory); !strings.Contains(got, `"P01"`) {
		t.Errorf("with a match to play: got %s", got)
	}
	if got := send("get_assigned_matches", `{"sender":"referee:REF01","auth_token":"`+admission.Result.Token+`"}`); !strings.Contains(got, "matches") {
		t.Errorf("with its token: got %s", got)
	}
	if got := send("report_match_result", report("referee:REF01", "", "P01")); !strings.Contains(got, "E011") {
		t.Errorf("after it has shown its token: got %s, want E011", got)
	}
	if got := send("report_match_result", report("referee:REF01", admission.Result.Token, "P01")); !strings.Contains(got, "MATCH_RESULT_ACK") {
		t.Errorf("with its token: got %s", got)
	}
}
