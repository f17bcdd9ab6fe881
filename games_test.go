package agentleague_test

import (
	"path"
	"reflect"
	"strings"
	"testing"

	"agentleague/game/catalog"
	"agentleague/protocol"
)

// A new game is its folder and its line in the catalog: no code names all games, nor all but the newest.
func TestGamesAreListedInTheCatalogAlone(t *testing.T) {
	t.Parallel()
	for _, name := range sources(t) {
		if strings.HasPrefix(name, "docs/") || strings.HasPrefix(name, "doc/") || !isCode(name) {
			continue
		}
		if named := gamesNamedIn(read(t, name)); len(named) >= len(catalog.Types())-1 {
			t.Errorf("%s lists the games by hand: %s; range over catalog.All()", name, strings.Join(named, ", "))
		}
	}
}

// The rules in a folder of their own are in the catalog. Those of package wasm are files.
func TestEveryGameIsInTheCatalog(t *testing.T) {
	t.Parallel()
	listed := map[string]bool{"game/wasm": true}
	for _, g := range catalog.All() {
		listed[folder(reflect.TypeOf(g).PkgPath())] = true
	}
	for _, name := range sources(t) {
		in := path.Dir(name)
		if path.Dir(in) != "game" || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") || listed[in] {
			continue
		}
		if strings.Contains(read(t, name), ") Info() game.Info") {
			t.Errorf("%s: the catalog has no row for this game", name)
		}
	}
}

// isCode reports whether a file is of a kind that programs are written in.
func isCode(name string) bool {
	switch path.Ext(name) {
	case ".go", ".tmpl", ".py", ".js", ".mjs", ".html", ".json", ".txtar":
		return true
	}
	return false
}

// gamesNamedIn lists the games whose types a text has in quotes.
func gamesNamedIn(text string) (named []string) {
	for _, gameType := range catalog.Types() {
		if strings.Contains(text, `"`+gameType+`"`) || strings.Contains(text, `'`+gameType+`'`) {
			named = append(named, gameType)
		}
	}
	return named
}

func TestAListOfGamesIsSeen(t *testing.T) {
	t.Parallel()
	text := `var games = []string{"` + strings.Join(catalog.Types(), `", "`) + `"}`
	if got := gamesNamedIn(text); len(got) != len(catalog.Types()) {
		t.Errorf("got %q, want all games", got)
	}
}

// TestReadmeNamesEveryGame holds the list of games in README.md against the catalog. -update writes the list.
func TestReadmeNamesEveryGame(t *testing.T) {
	t.Parallel()
	const begin, end = "<!-- games -->", "<!-- /games -->"
	text := read(t, "README.md")
	before, rest, ok := strings.Cut(text, begin)
	_, after, closed := strings.Cut(rest, end)
	if !ok || !closed || !strings.Contains(before, "`"+protocol.EvenOdd+"`") && !strings.Contains(after, "`"+protocol.EvenOdd+"`") {
		t.Fatalf("README.md names no default game, or has no list of the others between %s and %s", begin, end)
	}
	var others []string
	for _, gameType := range catalog.Types() {
		if gameType != protocol.EvenOdd {
			others = append(others, "`"+gameType+"`")
		}
	}
	last := len(others) - 1
	want := before + begin + strings.Join(others[:last], ", ") + " and " + others[last] + end + after
	switch {
	case want == text:
	case *update:
		write(t, "README.md", want)
	default:
		t.Error("README.md does not list the games of the catalog; run with -update")
	}
}
