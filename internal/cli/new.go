package cli

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"agentleague/game/catalog"
)

// kits holds a player to start from in each language. Files that would be Go code of this module end in .tmpl, and
// "__NAME__" stands for the player's name.
//
//go:embed kits
var kits embed.FS

// languages are the kits there are, and how each is run.
var languages = []struct{ name, run string }{
	{"go", "go run ."},
	{"python", "python3 player.py"},
	{"node", "node player.mjs"},
}

// newCommand is `league new`.
func newCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use: "new", Short: "Write an agent to start from: player",
		Example: "  league new player evelyn --lang python",
		RunE:    func(*cobra.Command, []string) error { return wrongUsage("say what to write: player") },
	}
	var lang, name string
	var update bool
	player := &cobra.Command{
		Use:   "player DIR",
		Short: "Write a player to start from",
		Long: "Write a player to start from into DIR: a working one that chooses at random, with a README that says " +
			"what to change.\n" +
			"It needs nothing but its language: no packages, no modules.\n" +
			"--update replaces the files of a player written by an older version, except the one with its strategy; " +
			"its identity stays, too.",
		Example: "  league new player evelyn --lang python\n  league new player ada --lang go --name \"Ada\"\n" +
			"  league new player --update evelyn",
	}
	player.Flags().StringVar(&lang, "lang", "python", "the language: "+languageNames())
	player.Flags().StringVar(&name, "name", "", "the name in the table (default: made from DIR)")
	player.Flags().BoolVar(&update, "update", false, "replace the files of the player in DIR; keep its strategy and identity")
	player.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case !update:
			return newPlayer(a, args[0], lang, name)
		case cmd.Flags().Changed("lang") || cmd.Flags().Changed("name"):
			return wrongUsage("--update keeps the language and the name: leave out --lang and --name")
		}
		return updatePlayer(a, args[0])
	}
	cmd.AddCommand(player)
	return cmd
}

// languageNames lists the languages in words.
func languageList() (names []string) {
	for _, l := range languages {
		names = append(names, l.name)
	}
	return names
}

// languageNames is the list for a sentence.
func languageNames() string {
	names := languageList()
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// newPlayer writes a kit and prints the next steps.
func newPlayer(a *app, dir, lang, name string) error {
	run := ""
	for _, l := range languages {
		if l.name == lang {
			run = l.run
		}
	}
	if run == "" {
		return wrongUsage("--lang: use %s, got %q", languageNames(), lang)
	}
	if name == "" {
		name = nameAfter(dir)
	}
	if strings.TrimSpace(name) == "" || strings.ContainsFunc(name, unicode.IsControl) {
		return wrongUsage("--name: use a name on one line, got %q", name)
	}
	if err := empty(dir); err != nil {
		return err
	}
	if err := writeKit(path.Join("kits", lang), dir, name); err != nil {
		return fmt.Errorf("write the player: %w", err)
	}
	const manager = "http://localhost:8000/mcp"
	run += " --port 8101 --manager " + manager
	a.say(map[string]string{"dir": dir, "lang": lang, "name": name, "run": run},
		"%s is in %s. Next:\n\n  cd %s\n  %s\n\nIt waits for a league. In other terminals:\n\n"+
			"  league manager --start-when players=2,referees=1\n  league referee --port 8001 --manager %s\n  league "+
			"player --port 8102 --manager %s\n\n"+
			"Then change one function, choose; README.md says how.", name, dir, quoted(dir), run, manager, manager)
	return nil
}

// nameAfter makes a name of a folder: my-first_player becomes My First Player.
func nameAfter(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	words := strings.FieldsFunc(filepath.Base(dir), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for i, w := range words {
		first, size := []rune(w)[0], len(string([]rune(w)[0]))
		words[i] = string(unicode.ToUpper(first)) + w[size:]
	}
	return strings.Join(words, " ")
}

// empty makes sure that dir has nothing in it that could be lost.
func empty(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("%s cannot be used: %w; give a folder that is new or empty", dir, err)
	case len(entries) > 0:
		return fmt.Errorf("%s is not empty (it has %s); give a folder that is new or empty", dir, entries[0].Name())
	}
	return nil
}

// writeKit copies a kit into dir, under a name.
func writeKit(kit, dir, name string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	files, err := kitFiles(kit, name)
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(dir, f.name), []byte(f.text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// kitFile is a file of a kit as a player gets it.
type kitFile struct{ name, text string }

// kitFiles returns the files of a kit for a player of that name.
func kitFiles(kit, name string) (files []kitFile, err error) {
	fill, err := filler(name)
	if err != nil {
		return nil, err
	}
	entries, err := kits.ReadDir(kit)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		text, err := kits.ReadFile(path.Join(kit, e.Name()))
		if err != nil {
			return nil, err
		}
		files = append(files, kitFile{strings.TrimSuffix(e.Name(), ".tmpl"), fill.Replace(string(text))})
	}
	return files, nil
}

// filler puts the name in, and all games: a kit plays one of the options of any of them. A string in JSON is one in Go,
// Python and JavaScript too.
func filler(name string) (*strings.Replacer, error) {
	var literal strings.Builder
	e := json.NewEncoder(&literal)
	e.SetEscapeHTML(false)
	if err := e.Encode(name); err != nil {
		return nil, err
	}
	return strings.NewReplacer(`"__NAME__"`, strings.TrimSpace(literal.String()), "__NAME__", name,
		`"__GAMES__"`, `"`+strings.Join(catalog.Types(), `", "`)+`"`), nil
}
