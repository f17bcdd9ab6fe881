package protocol

import "encoding/json"

// metas are the members in which agents introduce themselves.
var metas = []string{"player_meta", "referee_meta", "meta", "agent_meta", "metadata", "player_info", "referee_info", "player", "referee", "agent"}

// metaNames are what the parts of an introduction are called besides their own names.
var metaNames = [][2]string{
	{"name", "display_name"}, {"player_name", "display_name"}, {"agent_name", "display_name"}, {"referee_name", "display_name"}, {"displayName", "display_name"},
	{"endpoint", "contact_endpoint"}, {"url", "contact_endpoint"}, {"contact_url", "contact_endpoint"}, {"endpoint_url", "contact_endpoint"},
	{"contactEndpoint", "contact_endpoint"}, {"callback_url", "contact_endpoint"}, {"agent_endpoint", "contact_endpoint"},
	{"agent_version", "version"}, {"supported_games", "game_types"}, {"games", "game_types"},
}

// understandMeta finds an introduction that lies elsewhere, or under other names.
func understandMeta(f fields, where string) bool {
	if f.has(where+".display_name") && f.has(where+".contact_endpoint") {
		return false
	}
	all := fields{}
	for _, source := range append([]fields{f}, f.objects(metas)...) {
		for name, v := range source {
			if _, taken := all[name]; !taken && !envelopeMembers[name] {
				all[name] = v
			}
		}
	}
	meta := f.object(where)
	if meta == nil {
		meta = fields{}
	}
	for _, name := range []string{"display_name", "contact_endpoint", "version", "game_types", "protocol_version", "max_concurrent_matches", "dialect", "nonce"} {
		if v, ok := all[name]; ok && !meta.has(name) {
			meta[name] = v
		}
	}
	for _, pair := range metaNames {
		if v, ok := all[pair[0]]; ok && !meta.has(pair[1]) {
			meta[pair[1]] = v
		}
	}
	if release, _ := meta.text("protocol_version"); !meta.has("display_name") && (release == Version || introducesNobody(f)) { // such may have no name
		meta.put("display_name", calledBy(f, all))
	}
	f.put(where, meta)
	return true
}

// introducesNobody reports whether a registration has nothing but an id and an address.
func introducesNobody(f fields) bool {
	return len(f.objects(metas)) == 0 && (f.has("referee_id") || f.has("player_id")) && (f.has("endpoint") || f.has("contact_endpoint"))
}

// calledBy returns what an agent that gives no name calls itself by.
func calledBy(f, all fields) string {
	for _, member := range []string{"referee_id", "player_id", "agent_id", "id"} {
		if name, _ := all.text(member); name != "" {
			return name
		}
	}
	sender, _ := f.text("sender")
	if _, name := ParseSender(sender); name != "" {
		return name
	}
	return sender
}

func (f fields) objects(names []string) (found []fields) {
	for _, name := range names {
		if inner := f.object(name); inner != nil {
			found = append(found, inner)
		}
	}
	return found
}

// understandAdmission takes an answer that gives an id for a yes.
func understandAdmission(f fields, id string) bool {
	for _, other := range []string{"id", "assigned_id", "agent_id", "player_id", "referee_id"} {
		if v, ok := f[other]; ok && !f.has(id) {
			f[id] = v
		}
	}
	if v, ok := f["token"]; ok && !f.has("auth_token") {
		f["auth_token"] = v
	}
	var yes bool
	if json.Unmarshal(f["accepted"], &yes) == nil && f.has("accepted") && !f.has("status") {
		f.put("status", map[bool]string{true: Accepted, false: Rejected}[yes])
		return true
	}
	if !f.has("status") && f.has(id) && !f.has("message_type") {
		f.put("status", Accepted)
		return true
	}
	return false
}
