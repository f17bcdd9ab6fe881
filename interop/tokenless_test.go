package interop_test

import (
	"strings"
	"testing"

	"agentleague/league/manager"
)

// TestWhoKeepsNoTokenIsBelievedByItsAddress lets a referee of another make
// report without a token while it has shown none, and no other way.
func TestWhoKeepsNoTokenIsBelievedByItsAddress(t *testing.T) {
	t.Parallel()
	h := newTestLeague(t, manager.Options{StartPlayers: 2, StartReferees: 1}, 0)
	endpoint, ordered := stub(t)
	token := h.enrol(endpoint)
	directory := `{"sender":"referee:REF01","query_type":"GET_PLAYER_DIRECTORY"}`
	if got := h.post("league_query", directory); !strings.Contains(got, "E011") {
		t.Errorf("before it has a match: got %s, want E011", got)
	}
	h.seatOurs("Alpha")
	h.seatOurs("Beta")
	match := ordered()
	report := func(sender, token, winner string) string {
		return `{"sender":"` + sender + `","auth_token":"` + token + `","match_id":"` + match + `","result":{"winner":"` +
			winner + `"}}`
	}
	for name, c := range map[string][2]string{
		"another referee":  {report("referee:REF77", "", "P01"), "E01"},
		"a player":         {report("player:P01", "", "P01"), "E011"},
		"a player's token": {report("referee:REF01", "tok_player_P01_abc", "P01"), "E012"},
		"a referee's":      {report("referee:REF01", "tok_referee_REF01_abc", "P01"), "E012"},
	} {
		if got := h.post("report_match_result", c[0]); !strings.Contains(got, `"error_code":"`+c[1]) {
			t.Errorf("%s: got %s, want %s", name, got, c[1])
		}
	}
	if got := h.post("league_query", directory); !strings.Contains(got, `"P01"`) {
		t.Errorf("with a match to play: got %s", got)
	}
	if got := h.post("get_assigned_matches", `{"sender":"referee:REF01","auth_token":"`+token+`"}`); !strings.Contains(
		got, "matches") {
		t.Errorf("with its token: got %s", got)
	}
	if got := h.post("report_match_result", report("referee:REF01", "", "P01")); !strings.Contains(got, "E011") {
		t.Errorf("after it has shown its token: got %s, want E011", got)
	}
	if got := h.post("report_match_result", report("referee:REF01", token, "P01")); !strings.Contains(got,
		"MATCH_RESULT_ACK") {
		t.Errorf("with its token: got %s", got)
	}
}
