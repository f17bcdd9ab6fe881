// Package kit writes sample players in several languages, and a referee and a manager in Python: complete programs that
// need only their language.
//
//	Write, WriteAgent ─▶ a new folder with all files of a kit
//	Update ─▶ newer files, except those that the author of the player changes
package kit

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"agentleague/game/catalog"
)

// files holds the kits, a folder for each language. Files that would be Go code of this module end in .tmpl, and
// "__NAME__" stands for the player's name.
//
//go:embed go python node agents
var files embed.FS

// languages lists the kits: language, command to run, and extension of the source files.
var languages = []struct{ name, run, ext string }{
	{"go", "go run .", ".go"},
	{"python", "python3 player.py", ".py"},
	{"node", "node player.mjs", ".mjs"},
}

// Languages lists the languages.
func Languages() (names []string) {
	for _, l := range languages {
		names = append(names, l.name)
	}
	return names
}

// Command returns the command that runs a player of that language; "" for an unknown language.
func Command(lang string) string {
	for _, l := range languages {
		if l.name == lang {
			return l.run
		}
	}
	return ""
}

// NameAfter derives a display name from a folder: my-first_player becomes My First Player.
func NameAfter(dir string) string {
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

// empty returns an error if dir contains anything.
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

// Write writes a player kit into dir, which must be new or empty.
func Write(lang, dir, name string) error { return write(dir, name, lang) }

// WriteAgent writes a referee or a manager in Python into dir, which must be new or empty.
func WriteAgent(role, dir, name string) error { return write(dir, name, "agents", "agents/"+role) }

// write writes the files of some folders into dir, which must be new or empty.
func write(dir, name string, folders ...string) error {
	if err := empty(dir); err != nil {
		return err
	}
	made, err := filled(name, folders...)
	err = errors.Join(err, os.MkdirAll(dir, 0o755))
	for _, f := range made {
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, f.name), []byte(f.text), 0o644)
		}
	}
	if err != nil {
		return fmt.Errorf("write the agent: %w", err)
	}
	return nil
}

// Update replaces the files of a player that an older version wrote. It keeps the player's strategy, README, go.mod and
// all files that the kit did not write. replaced and kept list the files by name.
func Update(dir string) (lang string, replaced, kept []string, err error) {
	lang, ext, err := language(dir)
	if err != nil {
		return "", nil, nil, err
	}
	made, err := filled("", lang)
	if err != nil {
		return "", nil, nil, err
	}
	own := []string{"player" + ext, "README.md", "go.mod"} // the author's
	made = slices.DeleteFunc(made, func(f file) bool { return slices.Contains(own, f.name) })
	for _, f := range made {
		if err := replaceable(dir, f.name); err != nil {
			return "", nil, nil, err
		}
	}
	for _, f := range made {
		if err := replaceFile(filepath.Join(dir, f.name), f.text); err != nil {
			return "", nil, nil, fmt.Errorf("update the player: %w; run the command again", err)
		}
		replaced = append(replaced, f.name)
	}
	return lang, replaced, keptFiles(dir, replaced), nil
}

// A file is a file of a kit as it is written.
type file struct{ name, text string }

// filled returns the files of some folders for an agent of that name.
func filled(name string, folders ...string) (out []file, err error) {
	fill, err := filler(name)
	if err != nil {
		return nil, err
	}
	for _, folder := range folders {
		entries, err := files.ReadDir(folder)
		if err != nil {
			return nil, err
		}
		entries = slices.DeleteFunc(entries, fs.DirEntry.IsDir)
		for _, e := range entries {
			text, err := files.ReadFile(path.Join(folder, e.Name()))
			if err != nil {
				return nil, err
			}
			out = append(out, file{strings.TrimSuffix(e.Name(), ".tmpl"), fill.Replace(string(text))})
		}
	}
	return out, nil
}

// filler returns a replacer that fills in the player's name, JSON-quoted, and the list of games. A JSON string is a
// valid literal in Go, Python and JavaScript.
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

// language detects the language of the kit in dir and the extension of its files. The error explains why the kit cannot
// be updated.
func language(dir string) (lang, ext string, err error) {
	if _, err := os.ReadDir(dir); err != nil {
		return "", "", fmt.Errorf("%s cannot be read: %w; give the folder of a player that `league new player` wrote", dir, err)
	}
	has := func(name string) bool {
		info, err := os.Stat(filepath.Join(dir, name))
		return err == nil && info.Mode().IsRegular()
	}
	var missing []string
	for _, l := range languages {
		switch {
		case !has("player"+l.ext) || !has("wire"+l.ext):
			missing = append(missing, "player"+l.ext+" and wire"+l.ext)
		case !has("trust"+l.ext) || !has("matches"+l.ext):
			return "", "", fmt.Errorf("%s has player%s but no trust%s and matches%s: this player is too old to be updated; "+
				"write a new one with `league new player` and copy choose into it", dir, l.ext, l.ext, l.ext)
		default:
			return l.name, l.ext, nil
		}
	}
	return "", "", fmt.Errorf("%s has no player that `league new player` wrote: it has neither %s", dir, strings.Join(missing, ", nor "))
}

// replaceable returns an error if dir has a file of that name that the kit did not write.
func replaceable(dir, name string) error {
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil || strings.HasPrefix(name, "lock") || strings.Contains(string(text), "Nothing to change here") {
		return nil
	}
	return fmt.Errorf("%s does not have the kit's comment \"Nothing to change here\", so it may be yours: "+
		"rename it and run the command again", filepath.Join(dir, name))
}

// replaceFile replaces a file atomically.
func replaceFile(name, text string) error {
	if err := os.WriteFile(name+".new", []byte(text), 0o644); err != nil {
		return err
	}
	return os.Rename(name+".new", name)
}

// keptFiles lists the files of dir that were not replaced.
func keptFiles(dir string, replaced []string) (kept []string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if e.Type() == fs.FileMode(0) && !slices.Contains(replaced, e.Name()) && !strings.HasSuffix(e.Name(), ".lock") {
			kept = append(kept, e.Name())
		}
	}
	return kept
}
