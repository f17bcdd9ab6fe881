package protocol

import (
	"encoding/json"
	"strings"
)

// What we widen for others we understand from others.
func init() {
	for _, pair := range wide[TypeStartMatch] {
		if pair[1] == "player_a" || pair[1] == "player_b" { // with others these are objects
			continue
		}
		otherForms[TypeStartMatch] = append(otherForms[TypeStartMatch], [2]string{pair[1], pair[0]})
	}
}

// understandPlayers finds the players of an order that lie in a list or by id.
func understandPlayers(f fields) bool {
	if f.has("player_A.id") {
		return f.bareIDs("player_A", "player_B")
	}
	var list []json.RawMessage
	_ = json.Unmarshal(f["players"], &list)
	endpoints := f.object("player_endpoints")
	for i, where := range []string{"player_A", "player_B"} {
		c := f.object(where)
		if c == nil {
			c = fields{}
		}
		for _, name := range []string{where, strings.ToLower(where), []string{"player1", "player2"}[i]} {
			if v, ok := f[name]; ok && !c.has("id") {
				c.fromList(v)
			}
		}
		if i < len(list) && !c.has("id") {
			c.fromList(list[i])
		}
		for _, pair := range [][2]string{{"player_id", "id"}, {"display_name", "id"}, {"contact_endpoint", "endpoint"}, {"url", "endpoint"}, {"auth_token", "token"}} {
			if v, ok := c[pair[0]]; ok && !c.has(pair[1]) {
				c[pair[1]] = v
			}
		}
		if id, ok := c.text("id"); ok && !c.has("endpoint") && endpoints[id] != nil {
			c["endpoint"] = endpoints[id]
		}
		if len(c) > 0 {
			f.put(where, c)
		}
	}
	f.bareIDs("player_A", "player_B")
	return true
}

// bareIDs takes the role from ids that are written as senders, such as player:P01.
func (f fields) bareIDs(seats ...string) (changed bool) {
	for _, seat := range seats {
		if id, ok := strings.CutPrefix(textAt(f, seat+".id"), string(RolePlayer)+":"); ok {
			f.set(seat+".id", quoted(id))
			changed = true
		}
	}
	return changed
}

// fromList takes a player of a list: an object, or its id alone.
func (f fields) fromList(raw json.RawMessage) {
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
