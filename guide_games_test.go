package agentleague_test

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"agentleague/game/catalog"
	"agentleague/game/draw"
)

const gamesGuide = "docs/guide/games.md"

// Every game has a row and a section in the guide. An example of a context there has the members that a context of the game has.
func TestGuideToTheGamesDescribesEachOfThem(t *testing.T) {
	t.Parallel()
	guide := read(t, gamesGuide)
	for _, g := range catalog.All() {
		info := g.Info()
		row, section := "| `"+info.Type+"` | ["+info.Name+"]", section(guide, info.Name)
		if !strings.Contains(guide, row) || section == "" {
			t.Errorf("%s: want a row %q, and a section %q", gamesGuide, row, "## "+info.Name)
		}
		for _, moveType := range info.MoveTypes {
			if !strings.Contains(section, "`"+moveType+"`") {
				t.Errorf("%s, %s: the section does not say what %s is", gamesGuide, info.Name, moveType)
			}
		}
		s, err := g.Start(2, draw.New(nil))
		if err != nil {
			t.Fatal(err)
		}
		if example := regexp.MustCompile("(?s)```json\n(.*?)```").FindStringSubmatch(section); example != nil {
			if got, want := members(t, []byte(example[1])), members(t, s.View(0).Context); !slices.Equal(got, want) {
				t.Errorf("%s, %s: the example has %v, a context %v", gamesGuide, info.Name, got, want)
			}
		}
	}
}

// section returns what stands in a document under a heading of the second level.
func section(document, heading string) string {
	_, rest, _ := strings.Cut(document, "\n## "+heading+"\n")
	text, _, _ := strings.Cut(rest, "\n## ")
	return text
}

// members returns the names of an object's members, sorted.
func members(t *testing.T, object []byte) []string {
	t.Helper()
	var fields map[string]any
	if err := json.Unmarshal(object, &fields); err != nil {
		t.Errorf("%.60s: %v", object, err)
	}
	return slices.Sorted(maps.Keys(fields))
}
