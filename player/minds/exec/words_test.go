package exec

import (
	"slices"
	"testing"
)

func TestACommandIsSplitAsInAShell(t *testing.T) {
	t.Parallel()
	for command, want := range map[string][]string{
		"python3 bot.py":         {"python3", "bot.py"},
		`  a   'b c' "d e"f `:    {"a", "b c", "d ef"},
		`a "" ''`:                {"a", "", ""},
		`a "say \"hi\"" b\ c`:    {"a", `say "hi"`, "b c"},
		`C:\tools\bot.exe 'x\y'`: {`C:\tools\bot.exe`, `x\y`},
		`x $HOME * && y`:         {"x", "$HOME", "*", "&&", "y"},
		"a\tb":                   {"a", "b"},
		`'it'"'"'s'`:             {"it's"},
		`ends\`:                  {`ends\`},
		"":                       nil,
	} {
		if got, err := split(command); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: got %q, %v; want %q", command, got, err, want)
		}
	}
}
