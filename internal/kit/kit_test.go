package kit

import (
	"regexp"
	"testing"
)

// The kits are short enough to read in an hour, and list their requirements.
func TestKitsAreShort(t *testing.T) {
	t.Parallel()
	most := map[string]int{"python/player.py": 110, "node/player.mjs": 110, "go/player.go.tmpl": 190}
	for file, lines := range most {
		text, err := files.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(regexp.MustCompile(`(?m)^.*\S`).FindAll(text, -1)); got > lines {
			t.Errorf("%s has %d lines, want at most %d", file, got, lines)
		}
	}
}
