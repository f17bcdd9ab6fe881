package config_test

import (
	"path/filepath"
	"strings"
	"testing"

	"agentleague/config"
)

func TestIDs(t *testing.T) {
	for _, id := range []string{
		"P01", "REF01", league, "R1M1", "match_a1b2", "a.b-c", "-", "_", strings.Repeat("x", 128),
	} {
		if err := config.CheckID("id", id); err != nil {
			t.Errorf("%q: got %v, want none", id, err)
		}
	}
	for _, id := range []string{
		"", ".", "..", ".x", "a/b", `a\b`, "a b", "a\nb", "ä", "a:b", "%2e", "\xff", strings.Repeat("x", 129),
	} {
		if config.CheckID("id", id) == nil {
			t.Errorf("%q: got no error", id)
		}
	}
	wantError(t, config.CheckID("match id", "../etc"),
		`match id "../etc": want 1 to 128 letters, digits, "_", "-" and ".", not "." first`)
}

func FuzzCheckID(f *testing.F) {
	for _, id := range []string{"P01", "..", "a/../b", "con", "a\x00", "．．"} {
		f.Add(id)
	}
	f.Fuzz(func(t *testing.T, id string) {
		if config.CheckID("id", id) != nil {
			return
		}
		if !filepath.IsLocal(id) || filepath.Base(id) != id || filepath.Join("a", id) != "a"+string(filepath.Separator)+id {
			t.Errorf("%q is more than a name", id)
		}
	})
}
