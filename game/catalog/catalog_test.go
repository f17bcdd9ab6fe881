package catalog_test

import (
	"os"
	"strings"
	"testing"

	"agentleague/game/catalog"
	"agentleague/game/gametest"
)

func TestEveryGameKeepsTheContract(t *testing.T) {
	for _, g := range catalog.All() {
		t.Run(g.Info().Type, func(t *testing.T) { gametest.Run(t, g, 1) })
	}
}

func TestTheDefaultGameIsListedFirst(t *testing.T) {
	if got, want := catalog.Types()[0], "even_odd"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestListBelongsToTheCaller(t *testing.T) {
	clear(catalog.All())
	if got := catalog.All()[0]; got == nil {
		t.Error("clearing a list cleared the catalog")
	}
}

func TestTypesAndModulesAreUnique(t *testing.T) {
	seen := map[string]bool{}
	for _, g := range catalog.All() {
		info := g.Info()
		for _, name := range []string{"type " + info.Type, "module " + info.Module} {
			if seen[name] {
				t.Errorf("two games have %s", name)
			}
			seen[name] = true
		}
	}
}

func TestLookupFindsAGameByItsType(t *testing.T) {
	for _, want := range catalog.Types() {
		g, err := catalog.Lookup(want)
		if err != nil {
			t.Errorf("%s: %v", want, err)
		} else if got := g.Info().Type; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestUnknownGameIsAnErrorThatSaysWhatThereIs(t *testing.T) {
	for _, name := range []string{"chess", "", "EVEN_ODD", "even_odd ", "evenodd"} {
		g, err := catalog.Lookup(name)
		want := `unknown game "` + name + `": use one of ` + strings.Join(catalog.Types(), ", ")
		if g != nil || err == nil || err.Error() != want {
			t.Errorf("%q: got %v, %v, want %s", name, g, err, want)
		}
	}
	if _, err := catalog.Lookup(strings.Repeat("x", 1<<16)); len(err.Error()) > 256 {
		t.Errorf("an endless name makes an error of %d bytes, want 256 or fewer", len(err.Error()))
	}
}

func TestEveryGameIsPlayedAtRandom(t *testing.T) {
	t.Parallel()
	for _, g := range catalog.All() {
		t.Run(g.Info().Type, func(t *testing.T) { gametest.Playouts(t, g, 100) })
	}
}

// It is ten thousand with LEAGUE_LONG=1.
func TestLongEveryGameIsPlayedThousandsOfTimes(t *testing.T) {
	t.Parallel()
	matches := 1_000
	if os.Getenv("LEAGUE_LONG") != "" {
		matches = 10_000
	}
	for _, g := range catalog.All() {
		t.Run(g.Info().Type, func(t *testing.T) {
			t.Parallel()
			gametest.Playouts(t, g, matches)
		})
	}
}
