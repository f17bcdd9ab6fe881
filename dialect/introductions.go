package dialect

import (
	"encoding/json"

	"agentleague/protocol"
)

// metas lists the members in which agents describe themselves when they register.
var metas = []string{
	"player_meta", "referee_meta", "meta", "agent_meta", "metadata", "player_info", "referee_info",
	"player", "referee", "agent",
}

// metaParts lists the members of an introduction. They are accepted at any position.
var metaParts = []string{
	"display_name", "contact_endpoint", "version", "game_types", "protocol_version", "max_concurrent_matches",
	"dialect", "nonce",
}

// metaNames lists pairs of names for the members of an introduction: {third-party name, league.v2 name}.
var metaNames = [][2]string{
	{"name", "display_name"}, {"player_name", "display_name"}, {"agent_name", "display_name"},
	{"referee_name", "display_name"}, {"displayName", "display_name"},
	{"endpoint", "contact_endpoint"}, {"url", "contact_endpoint"}, {"contact_url", "contact_endpoint"},
	{"endpoint_url", "contact_endpoint"}, {"contactEndpoint", "contact_endpoint"}, {"callback_url", "contact_endpoint"},
	{"agent_endpoint", "contact_endpoint"},
	{"agent_version", "version"}, {"supported_games", "game_types"}, {"games", "game_types"},
}

// understandMeta collects an agent's description of itself, from all positions and known member names, into the member
// where of f. It reports whether f changed.
func understandMeta(f fields, where string) bool {
	if f.Has(where+".display_name") && f.Has(where+".contact_endpoint") {
		return false
	}
	all := fields{}
	for _, source := range append([]fields{f}, objects(f, metas)...) {
		for name, v := range source {
			if _, taken := all[name]; !taken && !envelopeMembers[name] {
				all[name] = v
			}
		}
	}
	meta := f.Object(where)
	if meta == nil {
		meta = fields{}
	}
	for _, name := range metaParts {
		if v, ok := all[name]; ok && !meta.Has(name) {
			meta[name] = v
		}
	}
	for _, pair := range metaNames {
		if v, ok := all[pair[0]]; ok && !meta.Has(pair[1]) {
			meta[pair[1]] = v
		}
	}
	if !meta.Has("display_name") && mayHaveNoName(f, meta) {
		meta.Put("display_name", calledBy(f, all))
	}
	f.Put(where, meta)
	return true
}

// mayHaveNoName reports whether an agent may register without a display name: it
// has a protocol_version equal to ours, or gives only an id and an address.
func mayHaveNoName(f, meta fields) bool {
	if release, _ := meta.Text("protocol_version"); release == protocol.Version {
		return true
	}
	id, address := f.Has("referee_id") || f.Has("player_id"), f.Has("endpoint") || f.Has("contact_endpoint")
	return len(objects(f, metas)) == 0 && id && address
}

// calledBy returns a display name for an agent that sent none: its id, or the name in its sender field.
func calledBy(f, all fields) string {
	for _, member := range []string{"referee_id", "player_id", "agent_id", "id"} {
		if name, _ := all.Text(member); name != "" {
			return name
		}
	}
	sender, _ := f.Text("sender")
	if _, name := protocol.ParseSender(sender); name != "" {
		return name
	}
	return sender
}

// objects returns those members of f that have one of the names and are objects.
func objects(f fields, names []string) (found []fields) {
	for _, name := range names {
		if inner := f.Object(name); inner != nil {
			found = append(found, inner)
		}
	}
	return found
}

// understandAdmission normalizes the answer to a registration and reports whether it changed f. The id may have
// another name, and an answer without status but with an id accepts.
func understandAdmission(f fields, id string) (changed bool) {
	for _, other := range []string{"id", "assigned_id", "agent_id", "player_id", "referee_id"} {
		if f.Has(other) && !f.Has(id) {
			f[id], changed = f[other], true
		}
	}
	if f.Has("token") && !f.Has("auth_token") {
		f["auth_token"], changed = f["token"], true
	}
	var yes bool
	if json.Unmarshal(f["accepted"], &yes) == nil && f.Has("accepted") && !f.Has("status") {
		f.Put("status", map[bool]string{true: protocol.Accepted, false: protocol.Rejected}[yes])
		return true
	}
	if !f.Has("status") && f.Has(id) && !f.Has("message_type") {
		f.Put("status", protocol.Accepted)
		return true
	}
	return changed
}
