package exec

import (
	"slices"
	"strings"
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

func TestEachLineSaysWhoseItIs(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	p := &prefixed{to: &out, prefix: "bot: "}
	for _, part := range []string{"one\ntw", "o\r\n", "three", strings.Repeat("x", longestWord)} {
		if n, err := p.Write([]byte(part)); n != len(part) || err != nil {
			t.Errorf("wrote %d of %d, %v", n, len(part), err)
		}
	}
	if want := "bot: one\nbot: two\nbot: three" + strings.Repeat("x", longestWord) + "\n"; out.String() != want {
		t.Errorf("got %.60q, want %.60q", out.String(), want)
	}
}
