package dialect

import (
	"encoding/json"
	"testing"

	"agentleague/dialect/notation"
	"agentleague/protocol"
)

// TestPlayersOfAnOrderAreFoundWhereverTheyAre reads the players of an order wherever managers put them.
func TestPlayersOfAnOrderAreFoundWhereverTheyAre(t *testing.T) {
	t.Parallel()
	const a, b = "http://localhost:8101/mcp", "http://localhost:8102/mcp"
	for name, text := range map[string]string{
		"ids and endpoints": `{"match_id":"M1","player_a_id":"P01","player_b_id":"P02","player_a_endpoint":"` + a +
			`","player_b_endpoint":"` + b + `"}`,
		"seats": `{"match_id":"M1","player_a":"P01","player_b":"P02","player_a_endpoint":"` + a +
			`","player_b_endpoint":"` + b + `"}`,
		"URLs": `{"match_id":"M1","player_a":"P01","player_b":"P02","player_a_url":"` + a +
			`","player_b_url":"` + b + `"}`,
		"objects": `{"match_id":"M1","player1":{"display_name":"P01","version":"1","endpoint":"` + a +
			`"},"player2":{"display_name":"P02","version":"1","endpoint":"` + b + `"}}`,
		"senders": `{"match_id":"M1","player_a_id":"player:P01","player_b_id":"player:P02","player_a_endpoint":"` + a +
			`","player_b_endpoint":"` + b + `"}`,
		"a list": `{"match_id":"M1","players":[{"player_id":"P01","endpoint":"` + a +
			`"},{"player_id":"P02","endpoint":"` + b + `"}]}`,
	} {
		m, _, err := Read(json.RawMessage(text), protocol.Reading{Type: protocol.TypeStartMatch})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		s := m.(*protocol.StartMatch)
		if s.PlayerA.ID != "P01" || s.PlayerA.Endpoint != a || s.PlayerB.ID != "P02" || s.PlayerB.Endpoint != b {
			t.Errorf("%s: got %+v and %+v", name, s.PlayerA, s.PlayerB)
		}
	}
}

func TestReportsOfOtherRefereesAreUnderstood(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"flat":              `{"match_id":"R1M1","player_a_id":"P01","player_b_id":"P02","player_a_choice":"even","player_b_choice":"odd","drawn_number":8,"winner_id":"P01"}`,
		"choices for score": `{"result":{"winner":"P01","score":{"P01":"even","P02":"odd"},"details":{"drawn_number":8}}}`,
		"a game result":     `{"match_id":"R1M1","result":{"status":"WIN","winner_player_id":"P01","drawn_number":8,"choices":{"P01":"even","P02":"odd"}},"score":{"P01":3,"P02":0}}`,
		"dice":              `{"game_id":"g","player1":"P01","player2":"P02","player1_choice":"even","player2_choice":"odd","dice_roll":8,"winner":"P01"}`,
	} {
		m, _, err := Read(json.RawMessage(text), protocol.Reading{Type: protocol.TypeMatchResultReport})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		r := m.(*protocol.MatchResultReport).Result
		if r.Winner == nil || *r.Winner != "P01" || r.Details.DrawnNumber.Value == nil || *r.Details.DrawnNumber.Value != 8 ||
			string(r.Details.Choices["P02"]) != `"odd"` {
			t.Errorf("%s: got %+v", name, r)
		}
	}
}

func TestAShapeCanBeLaidOverAnother(t *testing.T) {
	t.Parallel()
	start := &protocol.StartMatch{
		Envelope: protocol.Envelope{
			MessageType: protocol.TypeStartMatch, Protocol: protocol.Version, Sender: protocol.Manager, MatchID: "R1M1",
			RoundID: 1,
		},
		PlayerA: protocol.Contender{ID: "P01", Endpoint: "http://a"},
		PlayerB: protocol.Contender{ID: "P02", Endpoint: "http://b"},
	}
	body, err := Frame("B", notation.Form{Frame: "type", Name: "START_MATCH", Shape: "wide.named"}, start, 1)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Params struct {
			Sender  string `json:"sender"`
			PlayerA string `json:"player_a_id"`
		} `json:"params"`
	}
	if err := json.Unmarshal(body, &got); err != nil || got.Params.Sender != "league_manager:LM01" ||
		got.Params.PlayerA != "P01" {
		t.Errorf("got %s, %v", body, err)
	}
}

func TestARoundGoesBackAsItCame(t *testing.T) {
	t.Parallel()
	order := json.RawMessage(`{"match_id":"M1","round_id":"R3","player_a":"P01","player_b":"P02"}`)
	m, _, err := Read(order, protocol.Reading{Type: protocol.TypeStartMatch})
	if err != nil {
		t.Fatal(err)
	}
	report := &protocol.MatchResultReport{Envelope: protocol.Envelope{
		MessageType: protocol.TypeMatchResultReport, Protocol: protocol.Version,
		RoundID: m.Head().RoundID, RoundForm: m.Head().RoundForm,
	}}
	body, err := Frame("", notation.Form{}, report, 1)
	var got struct {
		Params struct {
			RoundID any `json:"round_id"`
		} `json:"params"`
	}
	if err != nil || json.Unmarshal(body, &got) != nil || got.Params.RoundID != "R3" {
		t.Errorf("got %s, %v, want round_id R3", body, err)
	}
}
