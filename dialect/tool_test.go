package dialect

import (
	"encoding/json"
	"testing"

	"agentleague/protocol"
)

func TestPickTool(t *testing.T) {
	for _, c := range []struct {
		typ   protocol.Type
		tools []string
		want  string
	}{
		{protocol.TypeGameInvitation, []string{"ping", "handle_game_invitation"}, "handle_game_invitation"},
		{protocol.TypeGameInvitation, []string{"Receive_Game_Invitation", "join_game"}, "Receive_Game_Invitation"},
		{protocol.TypeGameInvitation, []string{"ping", "accept_invite"}, "accept_invite"},
		{protocol.TypeGameInvitation, []string{"ping"}, ""},
		{protocol.TypeChooseParityCall, []string{"CHOOSE_PARITY"}, "CHOOSE_PARITY"},
		{protocol.TypeChooseParityCall, []string{"make_choice"}, "make_choice"},
		{protocol.TypeGameOver, []string{"gameOver"}, "gameOver"},
		{protocol.TypeStartMatch, []string{"run_match"}, "run_match"},
		{protocol.TypePing, []string{"ping"}, "ping"},
		{protocol.TypeRoundCompleted, []string{"announce"}, ""},
	} {
		var tools []Tool
		for _, name := range c.tools {
			tools = append(tools, Tool{Name: name})
		}
		if got, ok := pickTool(c.typ, tools); got.Name != c.want || ok != (c.want != "") {
			t.Errorf("%s of %v: got %q, want %q", c.typ, c.tools, got.Name, c.want)
		}
	}
}

func TestArgumentsAreThoseDeclared(t *testing.T) {
	invitation := &protocol.GameInvitation{
		Envelope: protocol.Envelope{
			Protocol: protocol.Version, MessageType: protocol.TypeGameInvitation, Sender: "referee:REF01", RoundID: 3,
			MatchID: "R3M1",
		},
		GameType: exGame, OpponentID: "P02", RoleInMatch: "PLAYER_A", Fairness: protocol.Fairness{Commitment: "c0"},
	}
	whole, _ := protocol.Encode(invitation)
	for _, c := range []struct{ name, schema, want string }{
		{"none declared", `{"type":"object"}`, string(whole)},
		{"no schema", ``, string(whole)},
		{"some", `{"properties":{"match_id":{"type":"string"},"opponent_id":{}}}`, `{"match_id":"R3M1","opponent_id":"P02"}`},
		{"number as text", `{"properties":{"round_id":{"type":"string"}}}`, `{"round_id":"3"}`},
		{"number as number", `{"properties":{"round_id":{"type":"integer"}}}`, `{"round_id":3}`},
		{
			"other names", `{"properties":{"opponent":{"type":"string"},"your_role":{"type":"string"}}}`,
			`{"opponent":"P02","your_role":"PLAYER_A"}`,
		},
		{"an inner member", `{"properties":{"commitment":{"type":"string"}}}`, `{"commitment":"c0"}`},
		{"required and unknown",
			`{"properties":{"a":{"type":"integer"},"b":{"type":"boolean"},"c":{"type":"array"},"d":{"type":"object"},"e":{},"f":{"type":"number"}},"required":["a","b","c","d","e","f"]}`,
			`{"a":0,"b":false,"c":[],"d":{},"e":"","f":0}`},
		{"optional and unknown", `{"properties":{"mood":{"type":"string"}}}`, `{}`},
		{"the whole message", `{"properties":{"message":{"type":"object"}}}`, `{"message":` + string(whole) + `}`},
		{
			"the whole message as text", `{"properties":{"payload":{"type":"string"}}}`,
			`{"payload":` + string(marshalOr(string(whole), nil)) + `}`,
		},
	} {
		got, err := Tool{Name: "x", Schema: json.RawMessage(c.schema)}.Arguments(invitation)
		if err != nil || string(got) != c.want {
			t.Errorf("%s:\ngot  %s, %v\nwant %s", c.name, got, err, c.want)
		}
	}
	texts := &protocol.Tool{Envelope: protocol.Envelope{MessageType: protocol.TypePing, Sender: "ROUND_7"}}
	got, _ := Tool{
		Schema: json.RawMessage(`{"properties":{"sender":{"type":"integer"},"protocol":{"type":"integer"}}}`),
	}.Arguments(texts)
	if string(got) != `{"sender":7}` {
		t.Errorf("a text where a number is wanted: got %s", got)
	}
	broken := &protocol.LeagueQueryResponse{Data: json.RawMessage("{")}
	if _, err := (Tool{}).Arguments(broken); err == nil {
		t.Error("a message that cannot be written: want an error")
	}
}
