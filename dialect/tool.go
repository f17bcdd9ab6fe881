package dialect

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"agentleague/protocol"
)

// A Tool is a tool of a real MCP server as the server describes it.
type Tool struct {
	Name        string
	Schema      json.RawMessage // of its arguments
	Description string
}

// newsForPlayers are the messages for a player, besides the question for its move.
var newsForPlayers = []protocol.Type{
	protocol.TypeGameOver, protocol.TypeGameError, protocol.TypeRoundAnnouncement,
	protocol.TypeRoundCompleted, protocol.TypeLeagueStandingsUpdate, protocol.TypeLeagueCompleted,
}

// ForPlayer reports whether a message is for a player in a match, or news for it.
func ForPlayer(t protocol.Type) bool {
	return t == protocol.TypeGameInvitation || t == protocol.TypeChooseParityCall || t == protocol.TypeGameMoveCall ||
		slices.Contains(newsForPlayers, t)
}

// ToolUses lists the calls that a player's server will receive. Asks is the question for a move in the league's game.
// Entries in byHand override the search.
func ToolUses(tools []Tool, asks protocol.Type, byHand map[protocol.Type]string) (uses []protocol.ToolUse) {
	for _, t := range append([]protocol.Type{protocol.TypeGameInvitation, asks}, newsForPlayers...) {
		tool, _ := FindTool(t, byHand[t], tools)
		uses = append(uses, protocol.ToolUse{Message: t, Tool: tool.Name})
	}
	return uses
}

// FindTool finds the tool for a type of message: the tool of the given name, or else the best match.
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

// TypesByHand reads a mapping of tools by hand: the name of each message, or "move" for the question for one, and the
// tool that takes it.
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
		form := protocol.Form{Frame: "mcp", Name: tool}
		text := protocol.Dialect{Row: "M", Forms: map[protocol.Type]protocol.Form{types[0]: form}}
		if back, err := protocol.ParseDialect(text.String()); err != nil || back.Forms[types[0]] != form || tool == "" {
			return nil, fmt.Errorf("%q cannot be the name of a tool", protocol.Clip(tool, 40))
		}
		out[types[0]] = tool
	}
	return out, nil
}

// ToolDialect describes how tools of a server are found: automatically, except for those that are named.
func ToolDialect(byHand map[protocol.Type]string) string {
	d := protocol.Dialect{Row: rowOf("mcp").Name, Forms: map[protocol.Type]protocol.Form{}}
	for t, tool := range byHand {
		d.Forms[t] = protocol.Form{Frame: "mcp", Name: tool}
	}
	return d.String()
}

// Plays reports whether a server has a tool for a move, in any game.
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

// ToolRefusal returns the error text of a tool that failed, or nil if it succeeded.
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
