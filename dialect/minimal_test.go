package dialect

import (
	"encoding/json"
	"testing"

	"agentleague/dialect/notation"
	"agentleague/protocol"
)

// dataOf frames a message in the minimal form and returns the content of data.
func dataOf(t *testing.T, m protocol.Message) string {
	t.Helper()
	body, err := Frame("E", notation.Form{Frame: "data", Name: string(m.Head().MessageType), Shape: "terse"}, m, 1)
	if err != nil {
		t.Fatal(err)
	}
	var got struct{ Data map[string]any }
	if err := json.Unmarshal(body, &got); err != nil {
		t.Fatal(err)
	}
	out, _ := json.Marshal(got.Data)
	return string(out)
}

func TestTerseMessagesHaveNoOtherMembers(t *testing.T) {
	head := func(of protocol.Type) protocol.Envelope {
		return protocol.Envelope{MessageType: of, LeagueID: "L", MatchID: "R2M13", RoundID: 2}
	}
	number, winner := 7, "P01"
	for name, c := range map[string]struct {
		message protocol.Message
		want    string
	}{
		"an invitation": {
			&protocol.GameInvitation{
				Envelope: head(protocol.TypeGameInvitation), RoleInMatch: "PLAYER_B", OpponentID: "P01", PlayerID: "P02",
			},
			`{"match_id":"M-20013","opponent_id":"player:P01","role_in_match":"B","round_id":2}`,
		},
		"a question": {
			&protocol.ChooseParityCall{Envelope: head(protocol.TypeChooseParityCall), PlayerID: "P02"},
			`{"match_id":"M-20013","round_id":2}`,
		},
		"an end": {
			&protocol.GameOver{Envelope: head(protocol.TypeGameOver), PlayerID: "P02", OpponentID: "P01",
				YourChoice: json.RawMessage(`"even"`), OpponentChoice: json.RawMessage(`"odd"`),
				GameResult: protocol.GameResult{
					Status: protocol.Win, WinnerPlayerID: &winner, DrawnNumber: protocol.Present(number), Reason: "P01 chose odd"},
			},
			`{"calculation":"P01 chose odd","match_id":"M-20013","player_a_choice":"odd","player_b_choice":"even","random_number":7,"round_duration_ms":0,"round_id":2,"winner_id":"P01"}`,
		},
		"a forfeit": {
			&protocol.GameOver{
				Envelope: head(protocol.TypeGameOver), PlayerID: "P01", OpponentID: "P02",
				GameResult: protocol.GameResult{
					Status: protocol.TechnicalLoss, WinnerPlayerID: &winner, Reason: "P02 did not join",
				},
			},
			`{"calculation":"P02 did not join","match_id":"M-20013","player_a_choice":"even","player_b_choice":"even","random_number":1,"round_duration_ms":0,"round_id":2,"winner_id":"P01"}`,
		},
	} {
		if got := dataOf(t, c.message); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}

func TestNestedModelsFindTheirMembers(t *testing.T) {
	inv := &protocol.GameInvitation{
		Envelope:    protocol.Envelope{MessageType: protocol.TypeGameInvitation, MatchID: "R1M1"},
		RoleInMatch: "PLAYER_A", OpponentID: "P02", GameType: "even_odd",
	}
	body, err := Frame("A", notation.Form{Frame: "call", Name: "game_invitation", Shape: "wide"}, inv, 1)
	var got struct {
		Params struct {
			Invitation struct {
				Match    string `json:"match_id"`
				Role     string `json:"role_in_match"`
				Opponent string `json:"opponent_id"`
			} `json:"game_invitation"`
		}
	}
	if err != nil || json.Unmarshal(body, &got) != nil {
		t.Fatal(err)
	}
	if i := got.Params.Invitation; i.Match != "R1M1" || i.Role != "PLAYER_A" || i.Opponent != "P02" {
		t.Errorf("got %+v", i)
	}
}
