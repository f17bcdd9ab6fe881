package dialect

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"agentleague/protocol"
)

// toolsOf reads tools from texts: a name, after a "|" a description, after another the names of arguments.
func toolsOf(texts ...string) (tools []Tool) {
	for _, text := range texts {
		parts := append(strings.Split(text, "|"), "", "")
		properties := map[string]any{}
		for _, name := range strings.Fields(parts[2]) {
			properties[name] = map[string]string{"type": "string"}
		}
		tools = append(tools, Tool{Name: parts[0], Description: parts[1],
			Schema: marshalOr(map[string]any{"type": "object", "properties": properties}, nil)})
	}
	return tools
}

// TestToolsAreFoundByWhatTheyDo holds which tools of a server are called for an invitation, a choice of parity, a move
// in another game and a result; "" where none is.
func TestToolsAreFoundByWhatTheyDo(t *testing.T) {
	types := []protocol.Type{protocol.TypeGameInvitation, protocol.TypeChooseParityCall, protocol.TypeGameMoveCall,
		protocol.TypeGameOver}
	for _, c := range []struct {
		tools []string
		want  string
	}{
		{[]string{"join_match", "play"}, "join_match play play "},
		{[]string{"handleGameInvitation", "chooseParity", "notifyMatchResult"},
			"handleGameInvitation chooseParity  notifyMatchResult"},
		{[]string{"handle-game-invitation", "choose-parity", "game-over"}, "handle-game-invitation choose-parity  game-over"},
		{[]string{"HandleGameInvitation", "ChooseParity", "GameOver"}, "HandleGameInvitation ChooseParity  GameOver"},
		{[]string{"joinGame", "makeMove", "matchFinished"}, "joinGame makeMove makeMove matchFinished"},
		{[]string{"accept_match", "pick", "on_result"}, "accept_match pick pick on_result"},
		{[]string{"choose_parity"}, " choose_parity  "},
		{[]string{"make_move"}, " make_move make_move "},
		{[]string{"play_turn", "ping", "get_history"}, " play_turn play_turn "},
		{[]string{"bot.join_game", "bot.choose_parity"}, "bot.join_game bot.choose_parity  "},
		{[]string{"alpha_choose_parity||match_id"}, " alpha_choose_parity  "},
		{[]string{"get_choice_history", "decide"}, " decide decide "},
		{[]string{"get_choice_history"}, "   "},
		{[]string{"get_choice_history|What I chose, even or odd|match_id", "last_move", "list_moves", "legal_moves", "undo_move",
			"validate_move", "opponent_move", "explain_move", "set_strategy", "get_standings", "reset"}, "   "},
		{[]string{"choices|Returns the past choices", "oracle|Says even or odd for this match|match_id"}, " oracle  "},
		{[]string{"strategy|Choose even or odd."}, " strategy strategy "},
		{[]string{"get_weather|The weather in a city|city"}, "   "},
		{[]string{"play_music|Plays a song|song", "search_web|Finds pages|query"}, "   "},
		{[]string{"join_league", "leave_match", "register", "choose_parity"}, " choose_parity  "},
		{[]string{"send_invitations_list", "ping"}, "   "},
		{[]string{"handle_message||message"}, "handle_message handle_message handle_message handle_message"},
		{[]string{"handle_message||mood"}, "   "},
		{[]string{"process_message||message", "choose_parity"},
			"process_message choose_parity process_message process_message"},
		{[]string{"get_match_result", "last_result", "list_results", "move"}, " move move "},
		{[]string{"invite", "tictactoe_move", "round_result"}, "invite  tictactoe_move "},
		{nil, "   "},
		{[]string{"", "_", "日本"}, "   "},
	} {
		var got []string
		for _, typ := range types {
			tool, ok := pickTool(typ, toolsOf(c.tools...))
			if ok != (tool.Name != "") {
				t.Errorf("%q: %s: got %q, %v", c.tools, typ, tool.Name, ok)
			}
			got = append(got, tool.Name)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%q:\ngot  %q\nwant %q", c.tools, strings.Join(got, " "), c.want)
		}
	}
}

func TestNewsGoToToolsOfTheirName(t *testing.T) {
	tools := toolsOf("get_standings", "standings", "update_leaderboard", "round_started", "onRoundEnd", "tournament-finished",
		"get_round", "get_errors", "on_error", "league_status", "choose_parity")
	for typ, want := range map[protocol.Type]string{
		protocol.TypeLeagueStandingsUpdate: "update_leaderboard", protocol.TypeRoundAnnouncement: "round_started",
		protocol.TypeRoundCompleted: "onRoundEnd", protocol.TypeLeagueCompleted: "tournament-finished",
		protocol.TypeGameError: "on_error", protocol.TypeGameOver: "", protocol.TypeLeagueError: "",
		protocol.TypeStartMatch: "",
	} {
		if tool, _ := pickTool(typ, tools); tool.Name != want {
			t.Errorf("%s: got %q, want %q", typ, tool.Name, want)
		}
	}
}

func TestToolNamedByHandIsTheOne(t *testing.T) {
	tools := toolsOf("go", "think|Choose even or odd", "bye")
	byHand := map[protocol.Type]string{protocol.TypeChooseParityCall: "go", protocol.TypeGameOver: "gone"}
	uses := ToolUses(tools, protocol.TypeChooseParityCall, byHand)
	at := slices.IndexFunc(uses, func(u protocol.ToolUse) bool { return u.Message == protocol.TypeChooseParityCall })
	if uses[at].Tool != "go" || uses[0] != (protocol.ToolUse{Message: protocol.TypeGameInvitation}) || len(uses) != 8 {
		t.Errorf("got %v", uses)
	}
	if _, ok := FindTool(protocol.TypeGameOver, "gone", tools); ok {
		t.Error("a tool that is not there was found")
	}
	if !Plays(tools) || Plays(toolsOf("get_weather", "ping")) {
		t.Error("wrong about who can play")
	}
	if got := ToolNames(tools); got != "go, think, bye" {
		t.Errorf("got %q", got)
	}
}

func TestWordsOfANameInAnySpelling(t *testing.T) {
	for name, want := range map[string]string{
		"choose_parity": "choose parity", "chooseParity": "choose parity", "Choose-Parity": "choose parity",
		"CHOOSE_PARITY": "choose parity", "game.chooseParity": "game choose parity", "HTTPMove": "http move", "matchID": "match id",
		"": "", "__": "", "R1M1": "r1 m1",
	} {
		if got := strings.Join(spelledOut(name), " "); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}

func TestWhatAFailingToolSaidIsToldInASentence(t *testing.T) {
	for result, want := range map[string]string{
		`{"isError":true,"content":[{"type":"text","text":"I cannot decide"}]}`: "the tool play said: I cannot decide",
		`{"isError":true,"content":[]}`:                                         "the tool play said: nothing but that it failed",
		`{"isError":true,"content":7}`:                                          "the tool play said: nothing but that it failed",
		`{"content":[{"type":"text","text":"even"}]}`:                           "",
		`[]`: "",
	} {
		got := ""
		if r := ToolRefusal("play", json.RawMessage(result)); r != nil {
			got = r.Message
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", result, got, want)
		}
	}
}

func TestMappingByHandIsRead(t *testing.T) {
	for _, c := range []struct{ name, tool, want string }{
		{"choose_parity", "play", "M CHOOSE_PARITY_CALL=mcp:play"}, {"CHOOSE_PARITY_CALL", "x", "M CHOOSE_PARITY_CALL=mcp:x"},
		{"game_move", "a.b/c-d", "M GAME_MOVE_CALL=mcp:a.b/c-d"}, {"move", "play", "M GAME_MOVE_CALL=mcp:play"},
		{"gameOver", "bye", "M GAME_OVER=mcp:bye"}, {"game_invitation", "hi", "M GAME_INVITATION=mcp:hi"},
		{"fly", "x", `"fly" is no message; use choose_parity, game_move, game_invitation or game_over`},
		{"game_over", "a b", `"a b" cannot be the name of a tool`}, {"game_over", "", `"" cannot be the name of a tool`},
		{"game_over", "a@b", `"a@b" cannot be the name of a tool`},
	} {
		byHand, err := TypesByHand(map[string]string{c.name: c.tool}, protocol.TypeGameMoveCall)
		got := ToolDialect(byHand)
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s=%s: got %q, want %q", c.name, c.tool, got, c.want)
		}
	}
	if got := ToolDialect(nil); got != "M" {
		t.Errorf("nothing named: got %q", got)
	}
}
