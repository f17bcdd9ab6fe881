package dialect

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"agentleague/dialect/notation"
	"agentleague/protocol"
)

// A Tool describes a tool of an MCP server, as the server lists it.
type Tool struct {
	Name        string
	Schema      json.RawMessage // of its arguments
	Description string
}

// newsForPlayers lists the notifications that a player receives.
var newsForPlayers = []protocol.Type{
	protocol.TypeGameOver, protocol.TypeGameError, protocol.TypeRoundAnnouncement,
	protocol.TypeRoundCompleted, protocol.TypeLeagueStandingsUpdate, protocol.TypeLeagueCompleted,
}

// ForPlayer reports whether messages of type t are sent to players: questions in a match or notifications.
func ForPlayer(t protocol.Type) bool {
	return t == protocol.TypeGameInvitation || t == protocol.TypeChooseParityCall || t == protocol.TypeGameMoveCall ||
		slices.Contains(newsForPlayers, t)
}

// ToolUses returns, for each message that a player's server receives, the tool that takes it; "" for none. asks is the
// type of the question for a move in the league's game. Entries in byHand override the search.
func ToolUses(tools []Tool, asks protocol.Type, byHand map[protocol.Type]string) (uses []protocol.ToolUse) {
	for _, t := range append([]protocol.Type{protocol.TypeGameInvitation, asks}, newsForPlayers...) {
		tool, _ := FindTool(t, byHand[t], tools)
		uses = append(uses, protocol.ToolUse{Message: t, Tool: tool.Name})
	}
	return uses
}

// FindTool returns the tool with the given name or, if name is empty, the best match for messages of type t.
func FindTool(t protocol.Type, name string, tools []Tool) (Tool, bool) {
	if name == "" {
		return pickTool(t, tools)
	}
	for _, tool := range tools {
		if tool.Name == name {
			return tool, true
		}
	}
	return Tool{}, false
}

// TypesByHand converts a user's mapping of message names to tools. The name "move" stands for the question asks. It
// returns an error for an unknown message or an invalid tool name.
func TypesByHand(named map[string]string, asks protocol.Type) (map[protocol.Type]string, error) {
	out := map[protocol.Type]string{}
	for name, tool := range named {
		types := TypesNamed(name)
		if plainName(name) == "move" {
			types = []protocol.Type{asks}
		}
		if len(types) == 0 {
			types = TypesNamed(plainName(name))
		}
		if len(types) == 0 {
			return nil, fmt.Errorf("%q is no message; use choose_parity, game_move, game_invitation or game_over",
				protocol.Clip(name, 40))
		}
		form := notation.Form{Frame: "mcp", Name: tool}
		text := notation.Dialect{Row: "M", Forms: map[protocol.Type]notation.Form{types[0]: form}}
		if back, err := notation.Parse(text.String()); err != nil || back.Forms[types[0]] != form || tool == "" {
			return nil, fmt.Errorf("%q cannot be the name of a tool", protocol.Clip(tool, 40))
		}
		out[types[0]] = tool
	}
	return out, nil
}

// ToolDialect returns the dialect of an MCP server whose tools are found automatically, except for those in byHand.
func ToolDialect(byHand map[protocol.Type]string) string {
	d := notation.Dialect{Row: rowOf("mcp").Name, Forms: map[protocol.Type]notation.Form{}}
	for t, tool := range byHand {
		d.Forms[t] = notation.Form{Frame: "mcp", Name: tool}
	}
	return d.String()
}

// Plays reports whether a server has a tool that makes a move, in any game.
func Plays(tools []Tool) bool {
	_, chooses := pickTool(protocol.TypeChooseParityCall, tools)
	_, moves := pickTool(protocol.TypeGameMoveCall, tools)
	return chooses || moves
}

// ToolNames returns the names of tools as one line of limited length, for display.
func ToolNames(tools []Tool) string {
	names := make([]string, len(tools))
	for i, tool := range tools {
		names[i] = tool.Name
	}
	return protocol.Clip(protocol.Plain(strings.Join(names, ", ")), 200)
}

// ToolRefusal returns the error of a failed tool call, or nil if the call succeeded.
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

// AllTexts returns the texts of the content blocks of a tool's result, for display.
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
