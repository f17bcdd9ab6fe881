package agentleague_test

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"agentleague/game"
	"agentleague/game/catalog"
	"agentleague/game/draw"
)

const gamesGuide = "docs/guide/games.md"

// The guide's statements about a game are true: its name, whether guests may judge it, its questions, and the members
// of each example context.
func TestGuideToTheGamesIsTrue(t *testing.T) {
	t.Parallel()
	guide := read(t, gamesGuide)
	rows := regexp.MustCompile("(?m)^\\| `(\\w+)` \\| \\[(.*?)\\].*\\| (yes|no)[^|]*\\|$").FindAllStringSubmatch(guide, -1)
	for _, gameType := range catalog.Types() {
		if !slices.ContainsFunc(rows, func(row []string) bool { return row[1] == gameType }) {
			t.Errorf("%s has no row for %s", gamesGuide, gameType)
		}
	}
	for _, row := range rows {
		g, err := catalog.Lookup(row[1])
		if err != nil {
			t.Errorf("%s: %v", gamesGuide, err)
			continue
		}
		info, section := g.Info(), section(guide, row[2])
		if info.Name != row[2] || section == "" || info.GuestsMayJudge != (row[3] == "yes") {
			t.Errorf("%s: the row of %s says %q; want %s, a section of that name, and guests may judge: %v", gamesGuide, row[1], row[0],
				info.Name, info.GuestsMayJudge)
		}
		for _, moveType := range info.MoveTypes {
			if !strings.Contains(section, "`"+moveType+"`") {
				t.Errorf("%s, %s: the section does not say what %s is", gamesGuide, info.Name, moveType)
			}
		}
		checkContext(t, g, section)
	}
}

// checkContext wants the example of a context in a section, if there is one, to have the members that a game shows.
func checkContext(t *testing.T, g game.Game, section string) {
	t.Helper()
	example := regexp.MustCompile("(?s)```json\n(.*?)```").FindStringSubmatch(section)
	if example == nil {
		return
	}
	s, err := g.Start(2, draw.New(nil))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := members(t, []byte(example[1])), members(t, s.View(0).Context); !slices.Equal(got, want) {
		t.Errorf("%s, %s: the example has %v, a context %v", gamesGuide, g.Info().Name, got, want)
	}
}

// section returns the content of a document under a heading of the second level.
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
