package protocol

import (
	"encoding/json"
	"testing"
)

func TestPickTool(t *testing.T) {
	for _, c := range []struct {
		typ   Type
		tools []string
		want  string
	}{
		{TypeGameInvitation, []string{"ping", "handle_game_invitation"}, "handle_game_invitation"},
		{TypeGameInvitation, []string{"Receive_Game_Invitation", "join_game"}, "Receive_Game_Invitation"},
		{TypeGameInvitation, []string{"ping", "accept_invite"}, "accept_invite"},
		{TypeGameInvitation, []string{"ping"}, ""},
		{TypeChooseParityCall, []string{"CHOOSE_PARITY"}, "CHOOSE_PARITY"},
		{TypeChooseParityCall, []string{"make_choice"}, "make_choice"},
		{TypeGameOver, []string{"gameOver"}, "gameOver"},
		{TypeStartMatch, []string{"run_match"}, "run_match"},
		{TypePing, []string{"ping"}, "ping"},
		{TypeRoundCompleted, []string{"announce"}, ""},
	} {
		var tools []ToolInfo
		for _, name := range c.tools {
			tools = append(tools, ToolInfo{Name: name})
		}
		if got, ok := PickTool(c.typ, tools); got.Name != c.want || ok != (c.want != "") {
			t.Errorf("%s of %v: got %q, want %q", c.typ, c.tools, got.Name, c.want)
		}
	}
}

func TestArgumentsAreThoseDeclared(t *testing.T) {
	invitation := &GameInvitation{
		Envelope: Envelope{Protocol: Version, MessageType: TypeGameInvitation, Sender: "referee:REF01", RoundID: 3, MatchID: "R3M1"},
		GameType: exGame, OpponentID: "P02", RoleInMatch: "PLAYER_A", Fairness: Fairness{Commitment: "c0"},
	}
	whole, _ := Encode(invitation)
	for _, c := range []struct{ name, schema, want string }{
		{"none declared", `{"type":"object"}`, string(whole)},
		{"no schema", ``, string(whole)},
		{"some", `{"properties":{"match_id":{"type":"string"},"opponent_id":{}}}`, `{"match_id":"R3M1","opponent_id":"P02"}`},
		{"number as text", `{"properties":{"round_id":{"type":"string"}}}`, `{"round_id":"3"}`},
		{"number as number", `{"properties":{"round_id":{"type":"integer"}}}`, `{"round_id":3}`},
		{"other names", `{"properties":{"opponent":{"type":"string"},"your_role":{"type":"string"}}}`, `{"opponent":"P02","your_role":"PLAYER_A"}`},
		{"an inner member", `{"properties":{"commitment":{"type":"string"}}}`, `{"commitment":"c0"}`},
		{"required and unknown", `{"properties":{"a":{"type":"integer"},"b":{"type":"boolean"},"c":{"type":"array"},"d":{"type":"object"},"e":{},"f":{"type":"number"}},"required":["a","b","c","d","e","f"]}`,
			`{"a":0,"b":false,"c":[],"d":{},"e":"","f":0}`},
		{"optional and unknown", `{"properties":{"mood":{"type":"string"}}}`, `{}`},
		{"the whole message", `{"properties":{"message":{"type":"object"}}}`, `{"message":` + string(whole) + `}`},
		{"the whole message as text", `{"properties":{"payload":{"type":"string"}}}`, `{"payload":` + string(mustMarshal(string(whole), nil)) + `}`},
	} {
		got, err := ToolInfo{Name: "x", Schema: json.RawMessage(c.schema)}.Arguments(invitation)
		if err != nil || string(got) != c.want {
			t.Errorf("%s:\ngot  %s, %v\nwant %s", c.name, got, err, c.want)
		}
	}
	texts := &Tool{Envelope: Envelope{MessageType: TypePing, Sender: "ROUND_7"}}
	got, _ := ToolInfo{Schema: json.RawMessage(`{"properties":{"sender":{"type":"integer"},"protocol":{"type":"integer"}}}`)}.Arguments(texts)
	if string(got) != `{"protocol":"","sender":7}` {
		t.Errorf("a text where a number is wanted: got %s", got)
	}
	broken := &LeagueQueryResponse{Data: json.RawMessage("{")}
	if _, err := (ToolInfo{}).Arguments(broken); err == nil {
		t.Error("a message that cannot be written: want an error")
	}
}
