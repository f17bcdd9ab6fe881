package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentleague/protocol"
)

// updates runs the update of a player and returns its output.
func updates(t *testing.T, dir string, more ...string) (status int, printed string) {
	t.Helper()
	var out bytes.Buffer
	status = run(t.Context(), append([]string{"new", "player", "--update", dir}, more...), &out, &out)
	return status, out.String()
}

func writeTo(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// A player that an older version wrote is brought up to date: its strategy, its identity and its other files stay.
func TestUpdateKeepsStrategyAndIdentity(t *testing.T) {
	eachKit(t, func(t *testing.T, lang, dir string) {
		ending := map[string]string{"go": ".go", "python": ".py", "node": ".mjs"}[lang]
		player := filepath.Join(dir, "player"+ending)
		code, err := os.ReadFile(player)
		if err != nil {
			t.Fatal(err)
		}
		mark := map[string]string{"python": "\n# my strategy\n", "node": "\n// my strategy\n", "go": "\n// my strategy\n"}[lang]
		seed := protocol.SHA256("a seed")
		mine := map[string]string{
			"player" + ending: string(code) + mark, "README.md": "my notes\n", "notes.txt": "more notes\n",
			"identity-kit.json": `{"display_name":"Kit","private_key":"` + seed + `","manager":"","league_id":"","seal":"","id":"","token":""}`,
		}
		for name, text := range mine {
			writeTo(t, dir, name, text)
		}
		writeTo(t, dir, "wire"+ending, "an older wire. Nothing to change here.")
		if err := os.Remove(filepath.Join(dir, "places"+ending)); err != nil {
			t.Fatal(err)
		}
		status, printed := updates(t, dir)
		if status != 0 {
			t.Fatalf("status %d\n%s", status, printed)
		}
		for _, want := range []string{"wire" + ending, "places" + ending, "trust" + ending, "identity-kit.json", "player" + ending, "notes.txt"} {
			if !strings.Contains(printed, want) {
				t.Errorf("it prints no %s:\n%s", want, printed)
			}
		}
		for name, text := range mine {
			if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != text {
				t.Errorf("%s was changed (%v):\n%s", name, err, got)
			}
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "*.new")); len(left) > 0 {
			t.Errorf("it left %v behind", left)
		}
		m := newKitManager(t)
		k := startKit(t, lang, dir, m.url)
		k.prints(t, "Kit is P01 in "+kitLeague)
	})
}

// A folder that has no kit, or files that may not be the kit's, is left as it is.
func TestUpdateRefusesOtherFolders(t *testing.T) {
	t.Parallel()
	empty, old, own := t.TempDir(), t.TempDir(), newKit(t, "python", "Kit")
	writeTo(t, old, "player.py", "")
	writeTo(t, old, "wire.py", "")
	writeTo(t, own, "places.py", "my own module")
	before, _ := os.ReadFile(filepath.Join(own, "wire.py"))
	for _, c := range []struct {
		dir, want string
		more      []string
		status    int
	}{
		{filepath.Join(empty, "nowhere"), "cannot be read", nil, 1},
		{empty, "has no player that `league new player` wrote", nil, 1},
		{old, "too old to be updated", nil, 1},
		{own, "rename it and run the command again", nil, 1},
		{own, "leave out --lang and --name", []string{"--lang", "go"}, 2},
	} {
		if status, printed := updates(t, c.dir, c.more...); status != c.status || !strings.Contains(printed, c.want) {
			t.Errorf("%s: status %d\n%s\nwant %d and %q", c.dir, status, printed, c.status, c.want)
		}
	}
	after, _ := os.ReadFile(filepath.Join(own, "wire.py"))
	if !bytes.Equal(before, after) {
		t.Error("a refused update changed wire.py")
	}
	if names, _ := os.ReadDir(empty); len(names) > 0 {
		t.Errorf("a refused update wrote %v", names)
	}
}
