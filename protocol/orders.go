package protocol

import "encoding/json"

// What we widen for others we understand from others.
func init() {
	for _, pair := range wide[TypeStartMatch] {
		otherForms[TypeStartMatch] = append(otherForms[TypeStartMatch], [2]string{pair[1], pair[0]})
	}
}

// understandPlayers finds the players of an order that lie in a list or by id.
func understandPlayers(f fields) bool {
	if f.has("player_A.id") {
		return false
	}
	var list []json.RawMessage
	_ = json.Unmarshal(f["players"], &list)
	endpoints := f.object("player_endpoints")
	for i, where := range []string{"player_A", "player_B"} {
		c := f.object(where)
		if c == nil {
			c = fields{}
		}
		if v, ok := f[where]; ok && v[0] == '"' { // the id alone
			c["id"] = v
		}
		if i < len(list) && !c.has("id") {
			c.fromList(list[i])
		}
		for _, pair := range [][2]string{{"player_id", "id"}, {"contact_endpoint", "endpoint"}, {"url", "endpoint"}, {"auth_token", "token"}} {
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
	return true
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
