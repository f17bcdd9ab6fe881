package cli

import (
	"strings"
	"unicode"

	"agentleague/internal/kit"

	"github.com/spf13/cobra"
)

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

// languageNames returns the languages as a list for a sentence.
func languageNames() string {
	names := kit.Languages()
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// newPlayer writes a kit and prints the next steps.
func newPlayer(a *app, dir, lang, name string) error {
	command := kit.Command(lang)
	if command == "" {
		return wrongUsage("--lang: use %s, got %q", languageNames(), lang)
	}
	if name == "" {
		name = kit.NameAfter(dir)
	}
	if strings.TrimSpace(name) == "" || strings.ContainsFunc(name, unicode.IsControl) {
		return wrongUsage("--name: use a name on one line, got %q", name)
	}
	if err := kit.Write(lang, dir, name); err != nil {
		return err
	}
	command += " --port 8101 --manager " + usualManager
	a.say(map[string]string{"dir": dir, "lang": lang, "name": name, "run": command},
		"%s is in %s. Next:\n\n  cd %s\n  %s\n\nIt waits for a league. In other terminals:\n\n"+
			"  league manager --start-when players=2,referees=1\n  league referee --port 8001 --manager %s\n  league "+
			"player --port 8102 --manager %s\n\n"+
			"Then change one function, choose; README.md says how.", name, dir, quoted(dir), command, usualManager, usualManager)
	return nil
}

// updatePlayer replaces the files of a player kit that an older version of the program wrote.
func updatePlayer(a *app, dir string) error {
	lang, replaced, kept, err := kit.Update(dir)
	if err != nil {
		return err
	}
	a.say(map[string]any{"dir": dir, "lang": lang, "replaced": replaced, "kept": kept},
		"Updated the player in %s.\n  replaced: %s\n  kept:     %s\nIts strategy and identity are unchanged; start it again as before.",
		dir, strings.Join(replaced, ", "), strings.Join(kept, ", "))
	return nil
}
