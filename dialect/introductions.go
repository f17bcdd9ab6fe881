package dialect

import (
	"encoding/json"

	"agentleague/protocol"
)

// metas are the members in which agents introduce themselves.
var metas = []string{
	"player_meta", "referee_meta", "meta", "agent_meta", "metadata", "player_info", "referee_info",
	"player", "referee", "agent",
}

// metaParts are the parts of an introduction, found at any position.
var metaParts = []string{
	"display_name", "contact_endpoint", "version", "game_types", "protocol_version", "max_concurrent_matches",
	"dialect", "nonce",
}

// metaNames maps third-party names for the parts of an introduction to ours.
var metaNames = [][2]string{
	{"name", "display_name"}, {"player_name", "display_name"}, {"agent_name", "display_name"},
	{"referee_name", "display_name"}, {"displayName", "display_name"},
	{"endpoint", "contact_endpoint"}, {"url", "contact_endpoint"}, {"contact_url", "contact_endpoint"},
	{"endpoint_url", "contact_endpoint"}, {"contactEndpoint", "contact_endpoint"}, {"callback_url", "contact_endpoint"},
	{"agent_endpoint", "contact_endpoint"},
	{"agent_version", "version"}, {"supported_games", "game_types"}, {"games", "game_types"},
}

// understandMeta collects the parts of an introduction under where, from any position and under any known name.
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

// mayHaveNoName reports whether an agent is of a kind that gives no name: it
// gives the protocol's name for its version, or nothing but an id and an address.
func mayHaveNoName(f, meta fields) bool {
	if release, _ := meta.Text("protocol_version"); release == protocol.Version {
		return true
	}
	id, address := f.Has("referee_id") || f.Has("player_id"), f.Has("endpoint") || f.Has("contact_endpoint")
	return len(objects(f, metas)) == 0 && id && address
}

// calledBy returns a name for an agent that gives none.
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

// objects returns the members of these names that are objects.
func objects(f fields, names []string) (found []fields) {
	for _, name := range names {
		if inner := f.Object(name); inner != nil {
			found = append(found, inner)
		}
	}
	return found
}

// understandAdmission reads the answer to a registration, whose id may have another name, and which may accept by
// giving only an id.
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
