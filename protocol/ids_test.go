package protocol

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestSenders(t *testing.T) {
	for sender, want := range map[string]struct {
		role  Role
		id    string
		valid bool
	}{
		"league_manager":                     {RoleManager, "", true},
		"league_manager:LM01":                {RoleManager, "LM01", true},
		"admin":                              {RoleAdmin, "", true},
		"player:P01":                         {RolePlayer, "P01", true},
		"player:a:b":                         {RolePlayer, "a:b", true},
		"referee:REF01":                      {RoleReferee, "REF01", true},
		"player":                             {RolePlayer, "", false},
		"referee:":                           {RoleReferee, "", false},
		"spectator:S01":                      {"spectator", "S01", false},
		"":                                   {"", "", false},
		"player:" + strings.Repeat("x", 128): {RolePlayer, strings.Repeat("x", 128), false},
		Sender(RolePlayer, AgentID(RolePlayer, 3)): {RolePlayer, "P03", true},
		Sender(RoleReferee, "REF07"):               {RoleReferee, "REF07", true},
	} {
		if role, id := ParseSender(sender); role != want.role || id != want.id {
			t.Errorf("%q: got %s and %s, want %s and %s", sender, role, id, want.role, want.id)
		}
		if got := validSender(sender); got != want.valid {
			t.Errorf("%q: got valid %v, want %v", sender, got, want.valid)
		}
	}
}

func TestAgentIDs(t *testing.T) {
	for n, want := range map[int][2]string{
		1: {"P01", "REF01"}, 99: {"P99", "REF99"}, 100: {"P100", "REF100"}, 12345: {"P12345", "REF12345"},
	} {
		for i, role := range []Role{RolePlayer, RoleReferee} {
			id := AgentID(role, n)
			if id != want[i] || !ValidID(role, id) || agentNumber(id) != n {
				t.Errorf("%s %d: got %s, valid %v, number %d; want %s", role, n, id, ValidID(role, id), agentNumber(id), want[i])
			}
		}
	}
	for _, id := range []string{
		"", "P", "P0", "P00", "P1", "P001", "P123456", "p01", "P01 ", "REF01", "01", "P-1", "P+01", "P٠١", "alpha", "P01\n",
	} {
		if ValidID(RolePlayer, id) {
			t.Errorf("%q is taken for a player's id", id)
		}
	}
	if ValidID(RoleReferee, "P01") || ValidID(RoleManager, "P01") || !ValidID(RoleReferee, "REF10") {
		t.Error("ids are mixed up between roles")
	}
	for _, id := range []string{"", "alpha", "P-3", "P99999999999999999999"} {
		if got := agentNumber(id); got != 0 {
			t.Errorf("%q: got the number %d, want 0", id, got)
		}
	}
}

func TestIDsAreOrderedByNumber(t *testing.T) {
	want := []string{"alpha", "beta", "P01", "P02", "P10", "P99", "P100", "P1000"}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, CompareIDs)
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if CompareIDs("P01", "P01") != 0 || CompareIDs("P01", "REF01") == 0 {
		t.Error("only equal ids are equal")
	}
}

func TestMatchIDs(t *testing.T) {
	for _, c := range [][2]int{{1, 1}, {3, 12}, {100, 5000}} {
		if round, n, ok := ParseMatchID(MatchID(c[0], c[1])); !ok || round != c[0] || n != c[1] {
			t.Errorf("%s: got %d and %d, %v", MatchID(c[0], c[1]), round, n, ok)
		}
	}
	for _, id := range []string{
		"", "R1", "M1", "R1M", "RM1", "R0M1", "R1M0", "R01M1", "r1m1", "R1M1M1", "R1M1 ", "R-1M1", "1M1",
		"R1M+1", "match_5f0c",
	} {
		if _, _, ok := ParseMatchID(id); ok {
			t.Errorf("%q is taken for a match id of ours", id)
		}
	}
}

func TestConversations(t *testing.T) {
	for got, want := range map[string]string{
		MatchConversation("R1M1", 1, "5f0c"):  "conv-r1m1-001-5f0c",
		MatchConversation("R2M10", 2, "5f0c"): "conv-r2m10-002-5f0c",
		ReportConversation("R1M1"):            "conv-r1m1-report",
		RoundConversation(1, "announce"):      "conv-round-1-announce",
		LeagueConversation:                    "conv-league-complete",
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestStamps(t *testing.T) {
	at := time.Date(2025, 1, 15, 12, 30, 0, 1, time.FixedZone("CET", 7200))
	if got := Stamp(at); got != "2025-01-15T10:30:00Z" {
		t.Errorf("got %s, want it in UTC without a fraction", got)
	}
	if got := StampUp(at); got != "2025-01-15T10:30:01Z" {
		t.Errorf("got %s, want it rounded up", got)
	}
	if got := StampUp(at.Truncate(time.Second)); got != "2025-01-15T10:30:00Z" {
		t.Errorf("got %s, want a whole second as it is", got)
	}
}

// TestParseTime begins with table 3 of the assignment.
func TestParseTime(t *testing.T) {
	half := time.Date(2025, 1, 15, 10, 30, 0, 0, time.UTC)
	for s, want := range map[string]struct {
		at    time.Time
		plain bool
	}{
		"2025-01-15T10:30:00Z":             {half, true},
		"2025-01-15T10:30:00+00:00":        {half, true},
		"2025-01-15T10:30:00+02:00":        {},
		"2025-01-15T10:30:00":              {},
		"2025-01-15T10:30:00-00:00":        {half, true},
		"2025-01-15T10:30:00.5Z":           {half.Add(time.Second / 2), true},
		"2025-01-15T10:30:00.123456+00:00": {half.Add(123456 * time.Microsecond), true},
		"2025-01-15T10:30:00,5Z":           {half.Add(time.Second / 2), false},
		"20250115T103000Z":                 {half, false},
		"20250115T10:30:00Z":               {half, false},
		"20250115T10:30:00.5Z":             {half.Add(time.Second / 2), false},
		"20250115T103000+00:00":            {half, false},
		"20250115T103000+01:00":            {},
		"2025-01-15":                       {},
		"2025-13-15T10:30:00Z":             {},
		"10:30":                            {},
		"":                                 {},
		"1736937000":                       {},
		"now":                              {},
		strings.Repeat("2", 100):           {},
	} {
		at, plain, err := ParseTime(s)
		if !at.Equal(want.at) || plain != want.plain || (err == nil) != !want.at.IsZero() {
			t.Errorf("%q: got %v, %v, %v; want %v, %v", s, at, plain, err, want.at, want.plain)
		}
		if err != nil && len(err.Error()) > 120 {
			t.Errorf("%q: the error repeats all of it", s)
		}
		if err == nil && at.Location() != time.UTC {
			t.Errorf("%q: got it in %v, want UTC", s, at.Location())
		}
	}
}

func TestClipKeepsWholeLetters(t *testing.T) {
	if got := Clip("ééé", 3); got != "é…" {
		t.Errorf("got %q, want é…", got)
	}
	if got := Clip("abc", 3); got != "abc" {
		t.Errorf("got %q, want abc", got)
	}
}

func TestHomesAreThePortsOfTheSpecification(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		role     Role
		endpoint string
		id       string
	}{
		{RolePlayer, "http://localhost:8101/mcp", "P01"},
		{RoleReferee, "http://localhost:8002/mcp", "REF02"},
	} {
		if got := HomeID(c.role, c.endpoint); got != c.id {
			t.Errorf("%s: got %q, want %q", c.endpoint, got, c.id)
		}
		if got := Home(c.role, c.id); got != c.endpoint {
			t.Errorf("%s: got %q, want %q", c.id, got, c.endpoint)
		}
	}
	for _, elsewhere := range []string{
		"http://localhost:9101/mcp", "http://localhost/mcp", "http://localhost:8100/mcp", "::",
	} {
		if got := HomeID(RolePlayer, elsewhere); got != "" {
			t.Errorf("%s: got %q, want none", elsewhere, got)
		}
	}
	for _, id := range []string{"P100", "Alpha", "REF01", ""} {
		if got := Home(RolePlayer, id); got != "" {
			t.Errorf("%s: got %q, want none", id, got)
		}
	}
}
