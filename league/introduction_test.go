package league

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"agentleague/league/naming"
	"agentleague/protocol"
)

func TestVersions(t *testing.T) {
	for version, want := range map[string]struct{ ok, odd bool }{
		"": {true, false}, "league.v2": {true, false}, "2": {true, false}, "2.0.0": {true, false}, "2.1.0": {true, false},
		"2.9": {true, false}, "2.0.0-beta": {true, false},
		"1.9": {}, "1": {}, "0.1": {}, "3": {}, "3.0": {}, "10.0": {}, "-2.0": {}, "99999999999999999999.0": {},
		"v2": {true, true}, "two": {true, true}, ".2": {true, true}, "league.v1": {true, true},
	} {
		if got := versionSupported(version); got != want.ok {
			t.Errorf("%q: supported is %v, want %v", version, got, want.ok)
		}
		if got := OddVersion(version); got != want.odd {
			t.Errorf("%q: odd is %v, want %v", version, got, want.odd)
		}
	}
}

func TestNamesAreCleaned(t *testing.T) {
	for name, want := range map[string]string{
		"Alice": "Alice", "  Alice  ": "Alice", "Алиса": "Алиса", "爱丽丝": "爱丽丝",
		"Ali\x00ce\n": "Alice", "a\tb": "ab",
		"\u202eecilA\u202c": "ecilA", "Ali\u200bce": "Alice", "\ufeffAlice": "Alice", "Ali\xff\xfece": "Alice",
		"\u2066x\u2069": "x", "a\u00a0b": "a b", "山田\u3000太郎": "山田 太郎",
		"👩\u200d👧": "👩\u200d👧", "Al\u200dpha": "Alpha", "é\u200d": "é",
		strings.Repeat("x", 65):             strings.Repeat("x", 64),
		strings.Repeat(" ", 70) + "x":       "",
		strings.Repeat("🦊", 2500):           strings.Repeat("🦊", 64),
		"\n\u202e":                          "",
		"":                                  "",
		strings.Repeat("x", 63) + " yyyyyy": strings.Repeat("x", 63),
	} {
		got := naming.Clean(name)
		if got != want || !utf8.ValidString(got) {
			t.Errorf("%.40q: got %q, want %q", name, got, want)
		}
	}
}

func TestIntroductionsThatCannotBeActedOn(t *testing.T) {
	long := "http://localhost/" + strings.Repeat("x", 512)
	for _, c := range []struct {
		field  string
		change func(m *protocol.AgentMeta)
		want   *protocol.Kind
	}{
		{"display_name", func(m *protocol.AgentMeta) { m.DisplayName = "\u202e\n" }, protocol.MissingField},
		{"contact_endpoint", func(m *protocol.AgentMeta) { m.ContactEndpoint = "" }, protocol.InvalidMessage},
		{"contact_endpoint", func(m *protocol.AgentMeta) {
			m.ContactEndpoint = "localhost:8101/mcp"
		}, protocol.InvalidMessage},
		{"contact_endpoint", func(m *protocol.AgentMeta) {
			m.ContactEndpoint = "ftp://localhost/mcp"
		}, protocol.InvalidMessage},
		{"contact_endpoint", func(m *protocol.AgentMeta) { m.ContactEndpoint = "http://" }, protocol.InvalidMessage},
		{"contact_endpoint", func(m *protocol.AgentMeta) { m.ContactEndpoint = "http://:8101/mcp" }, protocol.InvalidMessage},
		{"contact_endpoint", func(m *protocol.AgentMeta) { m.ContactEndpoint = "http://a b/" }, protocol.InvalidMessage},
		{"contact_endpoint", func(m *protocol.AgentMeta) {
			m.ContactEndpoint = "http://localhost\n/"
		}, protocol.InvalidMessage},
		{"contact_endpoint", func(m *protocol.AgentMeta) {
			m.ContactEndpoint = "file:///etc/passwd"
		}, protocol.InvalidMessage},
		{"contact_endpoint", func(m *protocol.AgentMeta) { m.ContactEndpoint = long }, protocol.InvalidMessage},
		{"contact_endpoint", func(m *protocol.AgentMeta) {
			m.ContactEndpoint = "http://localhost/\u009b2J"
		}, protocol.InvalidMessage},
		{"contact_endpoint", func(m *protocol.AgentMeta) {
			m.ContactEndpoint = "http://\u202elocalhost/"
		}, protocol.InvalidMessage},
		{"nonce", func(m *protocol.AgentMeta) { m.Nonce = strings.Repeat("x", 65) }, protocol.InvalidMessage},
		{"nonce", func(m *protocol.AgentMeta) { m.Nonce = "a\nb" }, protocol.InvalidMessage},
		{"nonce", func(m *protocol.AgentMeta) { m.Nonce = "é" }, protocol.InvalidMessage},
		{"nonce", func(m *protocol.AgentMeta) { m.Nonce = "\xff" }, protocol.InvalidMessage},
		{"max_concurrent_matches", func(m *protocol.AgentMeta) { m.MaxConcurrentMatches = -1 }, protocol.InvalidMessage},
		{"max_concurrent_matches", func(m *protocol.AgentMeta) {
			m.MaxConcurrentMatches = 1_000_000
		}, protocol.InvalidMessage},
		{"dialect", func(m *protocol.AgentMeta) { m.Dialect = long }, protocol.InvalidMessage},
	} {
		for _, role := range []protocol.Role{protocol.RolePlayer, protocol.RoleReferee} {
			meta := applicant(role, "newcomer").Meta
			c.change(&meta)
			err := protocol.AsError(CheckMeta(role, &meta))
			if want := string(role) + "_meta." + c.field; err.Kind != c.want || err.Context["field"] != want ||
				!strings.HasPrefix(err.Detail, want+": want ") {
				t.Errorf("%+.80v: got %v, want %s about %s", meta, err, c.want.Code, want)
			}
		}
	}
}

func TestIntroductionsAreBroughtIntoBounds(t *testing.T) {
	games := make([]string, 1000)
	for i := range games {
		games[i] = strings.Repeat("g", 1000)
	}
	for _, endpoint := range []string{
		"http://localhost:8101/mcp", "https://agents.example/p/1", "http://[::1]:8101/mcp", "http://127.0.0.1:8101",
		"http://localhost:8101",
	} {
		meta := protocol.AgentMeta{
			DisplayName: " A ", ContactEndpoint: endpoint, Nonce: strings.Repeat("~", 64), Version: strings.Repeat("1", 9_000),
			GameTypes: games,
		}
		if err := CheckMeta(protocol.RoleReferee, &meta); err != nil {
			t.Errorf("%s: %v", endpoint, err)
		}
		if meta.DisplayName != "A" || meta.MaxConcurrentMatches != 1 || len(meta.Version) > 70 ||
			len(meta.GameTypes) != 32 || len(meta.GameTypes[0]) > 70 {
			t.Errorf("%s: got %.300v", endpoint, fmt.Sprintf("%+v", meta))
		}
	}
	meta := applicant(protocol.RolePlayer, "player").Meta
	meta.MaxConcurrentMatches = 0
	if err := CheckMeta(protocol.RolePlayer, &meta); err != nil || meta.MaxConcurrentMatches != 0 {
		t.Errorf("a player was given room for %d matches (%v)", meta.MaxConcurrentMatches, err)
	}
}

func TestAgentsAreCalledByIDOrByTheNameThatOnlyTheyHave(t *testing.T) {
	s := NewState()
	for id, name := range map[string]string{"P01": "Ada", "P02": "P01", "P03": "Grace", "REF01": "grace"} {
		role := protocol.RolePlayer
		if id == "REF01" {
			role = protocol.RoleReferee
		}
		s.Agents[id] = &Agent{Registered: Registered{Role: role, ID: id, Name: name}}
		s.names[role].rename(s.Agents[id], name)
	}
	for word, want := range map[string]string{
		"P01": "P01", "P02": "P02", "Ada": "P01", " ada ": "P01", "\u0410da": "P01", "Grace": "Grace", "Nobody": "Nobody", "": "",
	} {
		if got := s.Called(word); got != want {
			t.Errorf("%q: got %q, want %q", word, got, want)
		}
	}
}
