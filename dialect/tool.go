package dialect

import (
	"encoding/json"
	"strings"

	"agentleague/protocol"
)

// A Tool is a tool of a real MCP server as the server describes it.
type Tool struct {
	Name        string
	Schema      json.RawMessage // of its arguments
	Description string
}

// A ToolUse says which tool of a server takes a type of message.
type ToolUse struct {
	Type protocol.Type
	Tool string // "": it has none
}

// told are the messages that a player is told of, besides the question for its move.
var told = []protocol.Type{
	protocol.TypeGameOver, protocol.TypeGameError, protocol.TypeRoundAnnouncement,
	protocol.TypeRoundCompleted, protocol.TypeLeagueStandingsUpdate, protocol.TypeLeagueCompleted,
}

// ToolUses lists what a server of a player will be called for. Asks is the
// question for a move in the league's game. What is named by hand is as it says.
func ToolUses(tools []Tool, asks protocol.Type, byHand map[protocol.Type]string) (uses []ToolUse) {
	for _, t := range append([]protocol.Type{protocol.TypeGameInvitation, asks}, told...) {
		tool, _ := FindTool(t, byHand[t], tools)
		uses = append(uses, ToolUse{t, tool.Name})
	}
	return uses
}

// FindTool finds the tool for a type of message: the one of that name if a name is given, and otherwise the one that
// fits best.
func FindTool(t protocol.Type, name string, tools []Tool) (Tool, bool) {
	if name == "" {
		return PickTool(t, tools)
	}
	for _, tool := range tools {
		if tool.Name == name {
			return tool, true
		}
	}
	return Tool{}, false
}

// Plays reports whether a server has a tool for a move, in whatever game.
func Plays(tools []Tool) bool {
	_, chooses := PickTool(protocol.TypeChooseParityCall, tools)
	_, moves := PickTool(protocol.TypeGameMoveCall, tools)
	return chooses || moves
}

// ToolNames lists the names of tools, for showing.
func ToolNames(tools []Tool) string {
	names := make([]string, len(tools))
	for i, tool := range tools {
		names[i] = tool.Name
	}
	return protocol.Clip(protocol.Plain(strings.Join(names, ", ")), 200)
}

// ToolRefusal returns what a tool said that failed, or nil if it did not.
func ToolRefusal(tool string, result json.RawMessage) *protocol.Refusal {
	f, _ := protocol.ParseFields(result)
	if string(f["isError"]) != "true" {
		return nil
	}
	said := strings.Join(allTexts(f["content"]), " ")
	if said == "" {
		said = "nothing but that it failed"
	}
	r := refusal(0, result)
	r.Message = protocol.Clip("the tool "+tool+" said: "+protocol.Plain(said), 300)
	return r
}

// AllTexts returns the texts of the content blocks of a tool's result, for showing what it answered.
func AllTexts(result json.RawMessage) string {
	f, _ := protocol.ParseFields(result)
	return protocol.Clip(protocol.Plain(strings.Join(allTexts(f["content"]), " ")), 200)
}

// allTexts returns the texts of content blocks.
func allTexts(raw json.RawMessage) (texts []string) {
	var blocks []struct {
		Text string `json:"text"`
	}
	_ = json.Unmarshal(raw, &blocks)
	for _, b := range blocks {
		if text := strings.TrimSpace(b.Text); text != "" {
			texts = append(texts, text)
		}
	}
	return texts
}
