package cli

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// kitEndings are how the names of a kit's source files end, by language.
var kitEndings = map[string]string{"go": ".go", "python": ".py", "node": ".mjs"}

// updatePlayer replaces the files of a player that an older version wrote. It keeps the player's strategy, README,
// go.mod and everything that the kit did not write.
func updatePlayer(a *app, dir string) error {
	lang, err := kitLanguage(dir)
	if err != nil {
		return err
	}
	files, err := kitFiles(path.Join("kits", lang), "")
	if err != nil {
		return err
	}
	own := []string{"player" + kitEndings[lang], "README.md", "go.mod"} // the student's
	files = slices.DeleteFunc(files, func(f kitFile) bool { return slices.Contains(own, f.name) })
	for _, f := range files {
		if err := replaceable(dir, f.name); err != nil {
			return err
		}
	}
	var replaced []string
	for _, f := range files {
		if err := replaceFile(filepath.Join(dir, f.name), f.text); err != nil {
			return fmt.Errorf("update the player: %w; run the command again", err)
		}
		replaced = append(replaced, f.name)
	}
	kept := keptFiles(dir, replaced)
	a.say(map[string]any{"dir": dir, "lang": lang, "replaced": replaced, "kept": kept},
		"Updated the player in %s.\n  replaced: %s\n  kept:     %s\nIts strategy and identity are unchanged; start it again as before.",
		dir, strings.Join(replaced, ", "), strings.Join(kept, ", "))
	return nil
}

// kitLanguage returns the language of the kit in dir, or why dir has none that can be updated.
func kitLanguage(dir string) (string, error) {
	if _, err := os.ReadDir(dir); err != nil {
		return "", fmt.Errorf("%s cannot be read: %w; give the folder of a player that `league new player` wrote", dir, err)
	}
	has := func(name string) bool {
		info, err := os.Stat(filepath.Join(dir, name))
		return err == nil && info.Mode().IsRegular()
	}
	var missing []string
	for _, lang := range languageList() {
		ending := kitEndings[lang]
		switch {
		case !has("player"+ending) || !has("wire"+ending):
			missing = append(missing, "player"+ending+" and wire"+ending)
		case !has("trust"+ending) || !has("matches"+ending):
			return "", fmt.Errorf("%s has player%s but no trust%s and matches%s: this player is too old to be updated; "+
				"write a new one with `league new player` and copy choose into it", dir, ending, ending, ending)
		default:
			return lang, nil
		}
	}
	return "", fmt.Errorf("%s has no player that `league new player` wrote: it has neither %s", dir, strings.Join(missing, ", nor "))
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
