package host

import (
	"slices"
	"strings"
	"testing"

	"agentleague/game/catalog"
)

func TestASpecNamesAMindAndItsArgument(t *testing.T) {
	t.Parallel()
	for spec, want := range map[string]string{ // "": it is one
		"random": "", " cycle ": "", "alternate": "", "always:even": "", "always-even": "", "always-odd": "",
		"genius":   `unknown strategy "genius"; use one of random, always, cycle`,
		"":         `unknown strategy ""`,
		"random:4": `the strategy random takes no argument, got "random:4"`,
		"always":   "the strategy always needs an argument: always:MOVE",
		"always: ": "the strategy always needs an argument: always:MOVE",
	} {
		s, err := strategyNamed(spec)
		switch {
		case want == "" && (err != nil || s == nil):
			t.Errorf("%q: got %v, %v; want a strategy", spec, s, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%q: got error %v, want %q", spec, err, want)
		}
	}
}

func TestAMindThatCannotPlayTheGameIsRefused(t *testing.T) {
	t.Parallel()
	if _, err := StrategyFor("always:three", "even_odd"); err == nil || !strings.Contains(err.Error(), `even_odd has no move "three"; use one of even, odd`) {
		t.Errorf("a move that the game does not have: got %v", err)
	}
	if _, err := StrategyFor("always:4", "tic_tac_toe"); err != nil {
		t.Errorf("a cell of a board: got %v", err)
	}
	for _, m := range Minds() {
		for _, g := range catalog.All() {
			able := len(m.Games) == 0 || slices.Contains(m.Games, g.Info().Type)
			if err := m.plays(g.Info().Type, ""); able != (err == nil) && m.Check == nil {
				t.Errorf("%s in %s: got %v, able is %v", m.Name, g.Info().Type, err, able)
			}
		}
	}
}

// Help, pages and completion show the table: each row is complete, and each game in it exists.
func TestEveryRowOfTheTableIsWhole(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, m := range Minds() {
		if m.Name == "" || m.About == "" || m.New == nil && m.Name != llmName || seen[m.Name] || m.Needed && m.Argument == "" ||
			strings.ContainsAny(m.Name, ":, ") {
			t.Errorf("%+v: want a name of its own, one line about it and a constructor", m)
		}
		seen[m.Name] = true
		for _, g := range m.Games {
			if _, err := catalog.Lookup(g); err != nil {
				t.Errorf("%s plays %v", m.Name, err)
			}
		}
	}
	for alias, spec := range aliases {
		if _, err := strategyNamed(alias); err != nil || seen[alias] {
			t.Errorf("alias %s of %s: %v", alias, spec, err)
		}
	}
}

func TestWhatAnybodyMayChooseNeedsNoArgument(t *testing.T) {
	t.Parallel()
	for _, g := range catalog.All() {
		names := BotNames(g.Info().Type)
		if !slices.Contains(names, "random") {
			t.Errorf("%s: got %q, want random among them", g.Info().Type, names)
		}
		for _, name := range names {
			if _, err := BotFor(name, g.Info().Type); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func TestAListOfSpecsIsSplitAtItsCommas(t *testing.T) {
	t.Parallel()
	got := SplitSpecs(` random, exec:python3 'a, b.py' ,,always:even,exec:x "1,2"`)
	want := []string{"random", "exec:python3 'a, b.py'", "always:even", `exec:x "1,2"`}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := SplitSpecs(""); got != nil {
		t.Errorf("of nothing got %q", got)
	}
}

// Strategies that run programs or cost money cannot be selected by clients: not by an order over the network, on a page
// or for a seat.
func TestOthersCannotNameWhatRunsPrograms(t *testing.T) {
	t.Parallel()
	for _, spec := range []string{"exec:sh", " exec:sh -c 'touch owned'", "exec", "llm", "llm:gpt"} {
		if s, err := BotFor(spec, "even_odd"); err == nil {
			t.Errorf("%q made a %T for somebody else", spec, s)
		}
	}
	for _, m := range Bots("") {
		if m.Private || m.Needed {
			t.Errorf("%s is offered to everybody", m.Name)
		}
	}
}

// A player registers for the games that its strategy can play, so that the manager of another refuses it.
func TestAPlayerRegistersForWhatItsStrategyPlays(t *testing.T) {
	t.Parallel()
	all := []string{"even_odd", "tic_tac_toe", "memory"}
	for _, c := range []struct{ plays, want []string }{
		{nil, all}, {[]string{"memory", "connect_four"}, []string{"memory"}}, {[]string{"connect_four"}, []string{"connect_four"}},
	} {
		if got := (Player{Plays: c.plays}).able(all); !slices.Equal(got, c.want) {
			t.Errorf("a strategy for %q: got %q, want %q", c.plays, got, c.want)
		}
	}
}
