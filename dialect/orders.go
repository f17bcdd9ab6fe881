package dialect

import (
	"encoding/json"
	"strings"

	"agentleague/protocol"
)

// orderPaths are where other managers have the members of an order: where we
// write them for other referees.
func orderPaths() (paths [][2]string) {
	for _, path := range allAliases[protocol.TypeStartMatch] {
		ours, theirs := path[0], path[1]
		if theirs != "player_a" && theirs != "player_b" { // third-party agents may have objects here, see understandPlayers
			paths = append(paths, [2]string{theirs, ours})
		}
	}
	return paths
}

// playerParts maps third-party names for the parts of a player in an order to ours.
var playerParts = [][2]string{
	{"player_id", "id"}, {"display_name", "id"}, {"contact_endpoint", "endpoint"}, {"url", "endpoint"},
	{"auth_token", "token"},
}

// understandPlayers finds the players of an order that lie in a list, or have
// their endpoints in an object by id.
func understandPlayers(f fields) bool {
	if f.Has("player_A.id") {
		return bareIDs(f)
	}
	var list []json.RawMessage
	_ = json.Unmarshal(f["players"], &list)
	endpoints := f.Object("player_endpoints")
	for i, where := range []string{"player_A", "player_B"} {
		player := f.Object(where)
		if player == nil {
			player = fields{}
		}
		for _, name := range []string{where, strings.ToLower(where), []string{"player1", "player2"}[i]} {
			if v, ok := f[name]; ok && !player.Has("id") {
				takePlayer(player, v)
			}
		}
		if i < len(list) && !player.Has("id") {
			takePlayer(player, list[i])
		}
		for _, pair := range playerParts {
			if v, ok := player[pair[0]]; ok && !player.Has(pair[1]) {
				player[pair[1]] = v
			}
		}
		if id, ok := player.Text("id"); ok && !player.Has("endpoint") && endpoints[id] != nil {
			player["endpoint"] = endpoints[id]
		}
		if len(player) > 0 {
			f.Put(where, player)
		}
	}
	bareIDs(f)
	return true
}

// bareIDs takes the role off the ids of players that are written as senders, such as player:P01.
func bareIDs(f fields) (changed bool) {
	for _, player := range []string{"player_A", "player_B"} {
		if id, ok := strings.CutPrefix(textAt(f, player+".id"), string(protocol.RolePlayer)+":"); ok {
			f.Set(player+".id", quoted(id))
			changed = true
		}
	}
	return changed
}

// takePlayer adds to f the members that describe a player: an object, or an id alone.
func takePlayer(f fields, raw json.RawMessage) {
	if len(raw) > 0 && raw[0] == '"' {
		f["id"] = raw
		return
	}
	var inner fields
	if json.Unmarshal(raw, &inner) == nil {
		for name, v := range inner {
			f[name] = v
		}
	}
}
