package dialect

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"agentleague/dialect/notation"
	"agentleague/protocol"
)

// framed is the message that a form makes of an example.
func framed(t *testing.T, row string, form notation.Form, m protocol.Message) fields {
	t.Helper()
	body, err := Frame(row, form, m, 1)
	if err != nil {
		t.Fatal(err)
	}
	var f fields
	if err := json.Unmarshal(body, &f); err != nil {
		t.Fatal(err)
	}
	return f.Object("params")
}

func TestShapes(t *testing.T) {
	start := exampleOf(t, protocol.TypeStartMatch)
	over := exampleOf(t, protocol.TypeGameOver)
	for _, c := range []struct {
		shape string
		m     protocol.Message
		path  string
		want  string // "" is absent
	}{
		{"", over, "round_id", `1`}, {"", over, "parity", ``},
		{"wide", over, "winner_id", `"P01"`}, {"wide", over, "status", `"WIN"`}, {"wide", over, "round_id", `1`},
		{"wide", start, "player1_id", `"P01"`}, {"wide", start, "player2_endpoint", `"` + exPlayer2URL + `"`},
		{"wide", start, "players", `["P01","P02"]`},
		{"wide", start, "league_manager_endpoint", `"` + exManagerURL + `"`}, {
			"wide", start, "message_type", `"START_MATCH"`,
		},
		{"assignment", start, "message_type", `"MATCH_ASSIGNMENT"`}, {"assignment", start, "player1_id", `"P01"`},
		{"announcement", start, "message_type", `"ROUND_ANNOUNCEMENT"`}, {"announcement", start, "match_id", ``},
		{"announcement", start, "draw_key", ``},
		{"rounds", over, "round_id", `"ROUND_1"`}, {"numbers", over, "round_id", `1`},
		{"spare", over, "match_id", `"R1M1"`}, {"spare", over, "game_result.status", `"WIN"`}, {"spare", over, "result", ``},
		{"spare", over, "attempt", ``},
		{"full", over, "winner", `"P01"`},
	} {
		f := framed(t, "A", notation.Form{Frame: "call", Name: "x", Shape: c.shape}, c.m)
		if got := string(f.Get(c.path)); got != c.want {
			t.Errorf("%s %s in %q: got %s, want %s", c.m.Head().MessageType, c.path, c.shape, got, c.want)
		}
	}
}

func TestFullLeavesOutWhatIsNull(t *testing.T) {
	lost := &protocol.GameOver{
		Envelope:    protocol.Envelope{MessageType: protocol.TypeGameOver, MatchID: "R1M1"},
		GameResult:  protocol.GameResult{Status: protocol.TechnicalLoss, DrawnNumber: protocol.DrawMember[int](protocol.EvenOdd, nil)},
		DrawnNumber: protocol.DrawMember[int](protocol.EvenOdd, nil),
	}
	plain := framed(t, "", notation.Form{Frame: "call", Name: "x"}, lost)
	full := framed(t, "", notation.Form{Frame: "call", Name: "x", Shape: "full"}, lost)
	if string(plain["drawn_number"]) != "null" || full["drawn_number"] != nil ||
		strings.Contains(string(full["game_result"]), "null") {
		t.Errorf("got %s, then %s", plain["drawn_number"], full["game_result"])
	}
}

// Managers whose methods are message types expect a word as the winner of a draw; all others expect null.
func TestWhoWonAMatchThatNobodyWon(t *testing.T) {
	won := exampleOf(t, protocol.TypeMatchResultReport).(*protocol.MatchResultReport)
	for _, c := range []struct {
		status string
		winner *string
		frame  string
		want   [3]string // result.winner, winner_id and player_a_result
	}{
		{protocol.Draw, nil, "type", [3]string{`"DRAW"`, `null`, `"DRAW"`}},
		{protocol.TechnicalLoss, nil, "type", [3]string{`"NONE"`, `null`, `"TECHNICAL_LOSS"`}},
		{protocol.Win, won.Result.Winner, "type", [3]string{`"P01"`, `"P01"`, `"WIN"`}},
		{protocol.Draw, new(""), "type", [3]string{`""`, `""`, `"DRAW"`}}, // a word that is tried after a refusal
		{protocol.Draw, new("DRAW"), "call", [3]string{`"DRAW"`, `"DRAW"`, `"DRAW"`}},
		{protocol.Draw, nil, "call", [3]string{`null`, `null`, `"DRAW"`}},
		{protocol.TechnicalLoss, nil, "call", [3]string{`null`, `null`, `"TECHNICAL_LOSS"`}},
	} {
		m := *won
		m.Result.Winner, m.Result.Details.Status = c.winner, c.status
		f := framed(t, "", notation.Form{Frame: c.frame, Name: "MATCH_RESULT_REPORT", Shape: "wide"}, &m)
		if got := [3]string{
			string(f.Get("result.winner")), string(f["winner_id"]), string(f["player_a_result"]),
		}; got != c.want {
			t.Errorf("%s in %q: got %s, want %s", c.status, c.frame, got, c.want)
		}
	}
	for status, want := range map[string]string{
		protocol.Win:  `{"P01":{"points":3,"result":"WIN"},"P02":{"points":0,"result":"LOSS"}}`,
		protocol.Draw: `{"P01":{"points":1,"result":"TIE"},"P02":{"points":1,"result":"TIE"}}`,
	} {
		m := *won
		m.Result.Details.Status = status
		if status == protocol.Draw {
			m.Result.Winner, m.Result.Score = nil, map[string]json.RawMessage{
				"P01": json.RawMessage("1"), "P02": json.RawMessage("1"),
			}
		}
		if got := string(framed(t, "", notation.Form{Frame: "call", Name: "report_match_result", Shape: "wide"},
			&m)["players"]); got != want {
			t.Errorf("the players of a %s: got %s, want %s", status, got, want)
		}
	}
	m := *won
	m.Result.Winner, m.Result.Details.Status = nil, protocol.Draw
	if f := framed(t, "", notation.Form{Frame: "type", Name: "MATCH_RESULT_REPORT"}, &m); string(
		f.Get("result.winner")) != `"DRAW"` {
		t.Errorf("without a shape: got %s, want the word", f.Get("result.winner"))
	}
}

func TestRowsHaveWordsOfTheirOwn(t *testing.T) {
	Rows = append(Rows, Row{
		Name: "T", Frame: "call", Words: map[string]string{"round_id": "R%d", "sender league_manager": "league_manager:LM01"},
	})
	defer func() { Rows = Rows[:len(Rows)-1] }()
	m := exampleOf(t, protocol.TypeRoundAnnouncement)
	f := framed(t, "T", notation.Form{Frame: "call", Name: "x"}, m)
	if string(f["round_id"]) != `"R1"` || string(f["sender"]) != `"league_manager:LM01"` {
		t.Errorf("got round %s from %s", f["round_id"], f["sender"])
	}
	if f = framed(t, "T", notation.Form{Frame: "call", Name: "x", Shape: "numbers"}, m); string(f["round_id"]) != "1" {
		t.Errorf("as a number: got %s", f["round_id"])
	}
}

func TestOrdersOfOtherManagersAreUnderstood(t *testing.T) {
	want := [4]string{"P01", "http://a/mcp", "P02", "http://b/mcp"}
	for _, body := range []string{
		`{"match_id":"M1","player_A":{"id":"P01","endpoint":"http://a/mcp"},"player_B":{"id":"P02","endpoint":"http://b/mcp"}}`,
		`{"match_id":"M1","player_A_id":"P01","player_A_endpoint":"http://a/mcp","player_B_id":"P02","player_B_endpoint":"http://b/mcp"}`,
		`{"match_id":"M1","player1_id":"P01","player1_endpoint":"http://a/mcp","player2_id":"P02","player2_endpoint":"http://b/mcp"}`,
		`{"match_id":"M1","players":["P01","P02"],"player_endpoints":{"P01":"http://a/mcp","P02":"http://b/mcp"}}`,
		`{"match_id":"M1","player_A":"P01","player_B":"P02","player_endpoints":{"P01":"http://a/mcp","P02":"http://b/mcp"}}`,
		`{"match_id":"M1","players":[{"player_id":"P01","contact_endpoint":"http://a/mcp"},{"id":"P02","url":"http://b/mcp"}]}`,
		`{"match_id":"M1","player_A":{"player_id":"P01","url":"http://a/mcp"},"player_B":{"player_id":"P02","contact_endpoint":"http://b/mcp"}}`,
	} {
		m, _, err := Read(json.RawMessage(body), protocol.Reading{Type: protocol.TypeStartMatch, Now: arrival})
		if err != nil {
			t.Errorf("%s: %v", body, err)
			continue
		}
		s := m.(*protocol.StartMatch)
		if got := [4]string{s.PlayerA.ID, s.PlayerA.Endpoint, s.PlayerB.ID, s.PlayerB.Endpoint}; got != want {
			t.Errorf("%s: got %v, want %v", body, got, want)
		}
	}
	if _, _, err := Read(json.RawMessage(`{"match_id":"M1"}`), protocol.Reading{
		Type: protocol.TypeStartMatch, Now: arrival,
	}); err == nil {
		t.Error("an order without players: want an error")
	}
}

func TestResultsOfOtherRefereesAreUnderstood(t *testing.T) {
	for _, body := range []string{
		`{"match_id":"M1","game_result":{"winner_player_id":"P01","drawn_number":4}}`,
		`{"match_id":"M1","winner_id":"P01","drawn_number":4}`,
		`{"match_id":"M1","winner":"P01","details":{"drawn_number":4}}`,
		`{"match_id":"M1","result":{"winner":"P01","details":{"drawn_number":4}}}`,
		`{"match_id":"M1","result":{"winner_player_id":"P01","drawn_number":4}}`,
		`{"match_id":"M1","winner":"P01","drawn_number":4,"result":["odd"]}`,
	} {
		m, _, err := Read(json.RawMessage(body), protocol.Reading{Type: protocol.TypeGameOver, Now: arrival})
		if err != nil {
			t.Errorf("%s: %v", body, err)
			continue
		}
		r := m.(*protocol.GameOver).GameResult
		if r.WinnerPlayerID == nil || *r.WinnerPlayerID != "P01" || r.DrawnNumber.Value == nil || *r.DrawnNumber.Value != 4 {
			t.Errorf("%s: got %+v", body, r)
		}
	}
}

func TestNamesFindTheirTypes(t *testing.T) {
	for name, want := range map[string][]protocol.Type{
		"notify_round":       {protocol.TypeRoundAnnouncement},
		"match_result":       {protocol.TypeGameOver, protocol.TypeMatchResultReport},
		"register":           {protocol.TypeRefereeRegisterRequest, protocol.TypeLeagueRegisterRequest},
		"register_to_league": {protocol.TypeRegisterToLeague, protocol.TypeLeagueRegisterRequest},
		"MATCH_ASSIGNMENT":   {protocol.TypeStartMatch},
		"GET_STANDINGS":      {protocol.TypeGetStandings},
		"nothing":            nil,
		"":                   nil,
	} {
		if got := TypesNamed(name); !slices.Equal(got, want) {
			t.Errorf("%q: got %v, want %v", name, got, want)
		}
	}
	if !IsCarrier("league.handle") || IsCarrier("ping") {
		t.Error("carriers")
	}
}
