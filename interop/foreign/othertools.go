package foreign

import "encoding/json"

// otherTools answers the first requests of an MCP client. The listed tools are unrelated to matches and reject league
// messages.
func otherTools(body []byte) *answer {
	var top object
	_ = json.Unmarshal(body, &top)
	var result object
	switch top.text("method") {
	case "initialize":
		result = object{"protocolVersion": "2025-03-26", "capabilities": object{"tools": object{}},
			"serverInfo": object{"name": "player", "version": "1"}}
	case "notifications/initialized":
		return &answer{status: 204}
	case "tools/list":
		game := object{"type": "object", "properties": object{"game_id": object{"type": "string"}}, "required": []string{"game_id"}}
		result = object{"tools": []object{
			{"name": "get_status", "description": "Get player status", "inputSchema": object{"type": "object"}},
			{"name": "accept_game", "description": "Accept a game invitation", "inputSchema": game},
			{"name": "get_game_state", "description": "Get state of a game", "inputSchema": game},
		}}
	case "tools/call":
		if name := top.object("params").text("name"); name != "accept_game" && name != "get_game_state" {
			return &answer{200, encode(object{"jsonrpc": "2.0", "id": top["id"],
				"error": object{"code": -32602, "message": "Unknown tool: " + name}})}
		}
		result = object{"content": []object{{"type": "text", "text": `{"success": false, "error": "Unknown game"}`}}}
	default:
		return nil
	}
	return &answer{200, encode(object{"jsonrpc": "2.0", "id": top["id"], "result": result})}
}
