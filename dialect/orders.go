package dialect

import (
	"encoding/json"
	"strings"

	"agentleague/protocol"
)

// orderPaths returns {theirs, ours} paths for reading an order, the inverse of the aliases that
// we write into orders.
func orderPaths() (paths [][2]string) {
	for _, path := range allAliases[protocol.TypeStartMatch] {
		ours, theirs := path[0], path[1]
		if theirs != "player_a" && theirs != "player_b" { // third-party agents may have objects here, see understandPlayers
			paths = append(paths, [2]string{theirs, ours})
		}
	}
	return paths
}

// playerParts maps third-party names of a player's members in an order to ours: {theirs, ours}.
var playerParts = [][2]string{
	{"player_id", "id"}, {"display_name", "id"}, {"contact_endpoint", "endpoint"}, {"url", "endpoint"},
	{"auth_token", "token"},
}

// understandPlayers fills player_A and player_B of an order from lists, from other member names,
// or from an object of endpoints by id. It reports whether f changed.
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

// bareIDs strips the role from player ids such as player:P01, and reports whether it changed any.
func bareIDs(f fields) (changed bool) {
	for _, player := range []string{"player_A", "player_B"} {
		if id, ok := strings.CutPrefix(textAt(f, player+".id"), string(protocol.RolePlayer)+":"); ok {
			f.Set(player+".id", quoted(id))
			changed = true
		}
	}
	return changed
}

// takePlayer adds the description of a player to f. raw is an object with its members, or its id.
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
